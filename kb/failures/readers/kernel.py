"""The Linux kernel: oopses, BUGs, lockups, stalls, hung tasks, KASAN and panics, each with its call trace."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find
from kb.failures.model import Frame
from kb.failures.readers.native_frames import numbered_frame
from kb.failures.streams import Line, Stream

NAME = "kernel"
ABOUT = "Linux kernel: oopses, BUGs, lockups, hung tasks, KASAN, panics"
EXAMPLE = """\
[  311.204518] BUG: kernel NULL pointer dereference, address: 0000000000000018
[  311.204521] #PF: supervisor read access in kernel mode
[  311.204530] Oops: 0000 [#1] PREEMPT SMP NOPTI
[  311.204533] RIP: 0010:ring_refill+0x46/0x120 [shaper]
[  311.204561] Call Trace:
[  311.204563]  <TASK>
[  311.204570]  ring_poll+0x17d/0x240 [shaper]
[  311.204577]  net_rx_action+0x28e/0x2d0
[  311.204590]  </TASK>
[  311.204612] ---[ end trace 0000000000000000 ]---
"""

#: How reports begin: (type, expression whose `message` stands in the line as printed).
_HEADS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("KASAN", re.compile(r"BUG: (?P<message>KA?SAN: .+)$")),
    ("KCSAN", re.compile(r"BUG: (?P<message>KCSAN: .+)$")),
    ("UBSAN", re.compile(r"(?P<message>UBSAN: .+)$")),
    (
        "NULL deref",
        re.compile(
            r"(?:BUG: )?(?:unable to handle |Unable to handle )?(?P<message>kernel NULL pointer "
            r"dereference)"
        ),
    ),
    (
        "page fault",
        re.compile(
            r"(?:BUG: )?(?P<message>[uU]nable to handle (?:page fault for address: |kernel "
            r"paging request at ).*)$"
        ),
    ),
    ("soft lockup", re.compile(r"(?:(?:NMI )?watchdog: )?BUG: (?P<message>soft lockup - .*)$")),
    ("hard lockup", re.compile(r"(?:(?:NMI )?watchdog: )?(?P<message>Watchdog detected hard LOCKUP on cpu.*)$")),
    ("hung task", re.compile(r"INFO: (?P<message>task .{1,80} blocked for more than \d+ seconds)")),
    (
        "rcu stall",
        re.compile(
            r"(?:rcu: )?INFO: (?P<message>rcu_\w+ (?:self-)?detected (?:expedited )"
            r"?stalls?.{0,40}?)(?: \{.*|:.*)?$"
        ),
    ),
    ("kernel BUG", re.compile(r"(?P<message>kernel BUG at .+)$")),
    (
        "BUG",
        re.compile(
            r"BUG: (?P<message>(?:scheduling while atomic|sleeping function|Bad |workqueue lockup|using "
            r"|spinlock |unable ).*)$"
        ),
    ),
    (
        "general protection fault",
        re.compile(
            r"(?P<message>general protection fault(?:, probably.{0,80}|, "
            r"maybe.{0,80})?): [0-9a-f]{4} \[#\d+\]"
        ),
    ),
    ("Oops", re.compile(r"(?P<message>(?:Internal error: |kernel )?Oops(?: - [\w ]+)?:? .*\[#\d+\].*)$")),
    (
        "trap",
        re.compile(
            r"(?P<message>invalid opcode|divide error|stack segment|double fault|int3|alignment check)"
            r": [0-9a-f]{4} \[#\d+\]"
        ),
    ),
    ("Kernel panic", re.compile(r"(?P<message>Kernel panic - not syncing: .*)$")),
    (
        "WARNING",
        re.compile(
            r"WARNING: (?:CPU: \d+ PID: \d+ )?(?P<message>at [\w./-]+:\d+ .*|possible (?:circular|"
            r"recursive) locking.*|suspicious RCU usage.*)$"
        ),
    ),
)
_HEAD_WORDS = re.compile(
    r"BUG|UBSAN|NULL pointer|nable to handle|LOCKUP|INFO: |general protection|Oops|\[#\d|Kernel panic|WARNING: "
)
#: Lines that only an oops holds; a report ends where several lines in a row are none of these.
_BODY = re.compile(
    r"#\d{1,4} \[<|"
    r"\s|\[<[0-9a-f]|\[[0-9a-f]{8,}\] \*pgd|[er]?[A-Z0-9]{2,3}:? ?[:=]? ?[0-9a-f(\[]|[pP][cC] |LR |[a-z]\w{1,3} ?: "
    r"?\[?[<0-9a-f]|PGD|P4D|"
    r"pgd = |#PF|Oops|Internal error|invalid opcode|CPU|Pid:|Process |Tainted|Hardware name|RIP|EIP|RSP|ESP|EFLAGS|"
    r"Code|Call [Tt]race|Stack|Modules linked in|Flags: |Control: |task: |irq event|(?:hard|soft)irqs? |FS:|CS:|"
    r"Kernel Offset|Rebooting|---\[|Unable to handle|Mem abort|Data abort|[A-Z][a-z]+ (?:of size|by task)|=====|"
    r"The buggy address|Memory state|>?[0-9a-f]{8,16}: |Sending NMI|NMI backtrace|Workqueue:|Backtrace|Fixing|"
    r"page:|flags: |raw: |page dumped|Address belongs|Allocated|Freed|Linux Kernel Library|"
    r"Disabling lock debugging|Future hung task|\"echo 0 >|note: |Trace:|Comm: |[0-9a-f]{3,4}: |"
    r"[0-9a-f]{4} {1,4}[0-9a-f]{8} "
)
_END = re.compile(r"---\[ end (?:trace|Kernel panic)")
_STEP = re.compile(
    r"\s*(?:#\d{1,4} )?(?:\[<(?:0x)?[0-9a-f]+>\] )?(?P<maybe>\? )?"
    r"(?P<function>[A-Za-z_][\w.$]{0,200})\+0x[0-9a-f]+/0x[0-9a-f]+(?: "
    r"\[(?P<module>[\w-]+)[^\]]*\])?(?: [\w./-]{1,200}:\d{1,7})?\s*$"
)
_INLINE_STEP = re.compile(r"\s*\[< *inline *>\] (?P<function>[A-Za-z_]\w{0,200}) [\w./-]{1,200}:\d{1,7}\s*$")
_ARM_STEP = re.compile(r"\[<[0-9a-f]+>\] \((?P<function>[\w.]+)(?: \[(?P<module>\w+)\])?\) from ")
_HERE = re.compile(
    r"(?:RIP: 0010:|RIP[: ].{0,60}\] |EIP is at |EIP: |IP: .{0,60}\] |PC is at |pc : )"
    r"(?P<function>[A-Za-z_][\w.$]{0,200})\+0x"
    r"[0-9a-f]+/0x[0-9a-f]+(?: \[(?P<module>[\w-]+))?"
)
_CLONE = re.compile(r"\.(?:part|isra|constprop|cold|llvm)(?:\.\d+)?(?=\.|$)|\.\d+$")
_COMM = re.compile(r"(?:Comm|comm): (?P<comm>\S{1,16})")
_LONGEST_REPORT = 400
_STRANGERS = 3


def read(lines: Stream) -> Iterator[Find]:
    """One find per report; what the kernel prints after a first one because of it is tied to that."""
    index = 0
    before: Find | None = None
    while index < len(lines):
        head = _head(lines[index])
        if head is None:
            index += 1
            continue
        find, index = _report(lines, index, *head)
        if find.type == "Kernel panic" and before is not None and find.first - before.last < 60:
            find.inner.append(("quotes", before))
        yield find
        before = find


def _head(line: Line) -> tuple[str, str] | None:
    text = line.text
    if not _HEAD_WORDS.search(text[:400]):
        return None
    for name, expression in _HEADS:
        match = expression.match(text[:2000])
        if match:
            return name, match["message"].strip()
    return None


def _report(lines: Stream, start: int, name: str, message: str) -> tuple[Find, int]:
    """The report that begins at `start`, and the index after it."""
    frames: list[Frame] = []
    here: Frame | None = None
    comm, end, strangers, index, tracing = "", start + 1, 0, start + 1, True
    while index < len(lines) and index - start < _LONGEST_REPORT and strangers < _STRANGERS:
        text = lines[index].text
        if name != "Kernel panic" and _head(lines[index]) is not None and not _BODY.match(text):
            break
        step = _STEP.match(text) or _ARM_STEP.match(text) or _INLINE_STEP.match(text)
        numbered = numbered_frame(text) if step is None else None
        at = _HERE.match(text.strip())
        if at and here is None:
            here = _frame(at)
        elif step and tracing:
            if not step.groupdict().get("maybe"):
                frames.append(_frame(step))
        elif numbered is not None and tracing:
            frames.append(numbered[1])
        elif frames and not text.startswith(" ") and not text.startswith("[<"):
            # What follows the first trace are other CPUs, allocations, registers: none of them is where it failed.
            tracing = False
        comm = comm or next((m["comm"] for m in [_COMM.search(text[:200])] if m), "")
        known = step or numbered or at or _BODY.match(text) or not text.strip()
        strangers = 0 if known else strangers + 1
        index += 1
        if known and text.strip():
            end = index
        if _END.search(text):
            break
    if here is not None and (not frames or frames[0].function != here.function):
        frames.insert(0, here)
    head = lines[start]
    return (
        Find(
            kind="kernel",
            type=name,
            message=message,
            at=head,
            first=head.number,
            last=lines[end - 1].number,
            frames=tuple(reversed(frames[:200])),
            notes=(f"running: {comm}",) if comm else (),
            process=head.process,
            reader=NAME,
            weight=1 if name == "WARNING" else 0,
            lines={line.number for line in lines[start:end]},
        ),
        end,
    )


def _frame(match: re.Match[str]) -> Frame:
    module = match.groupdict().get("module") or ""
    return Frame(module, _CLONE.sub("", match["function"]))
