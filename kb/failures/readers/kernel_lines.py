"""Single lines by which the Linux kernel tells a failure: GPU faults (Xid), crashed processes, disks, links, memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kb.failures.found import Find, first_said, spotted
from kb.failures.streams import Line, Stream

NAME = "kernel-lines"
ABOUT = "Linux kernel: NVIDIA Xid, segfaults, disk and file system errors, hardware errors"
EXAMPLE = """\
[  901.110042] NVRM: Xid (PCI:0000:3b:00): 79, pid=1711, name=render, GPU has fallen off the bus.
[  955.204410] tagger[2210]: segfault at 18 ip 000055d0c2a4f161 sp 00007ffc1a3ddfd0 error 4 in tagger[55d0c2a4f000+1000]
"""

_XID = re.compile(
    r"(?P<message>NVRM: Xid \([^)]{1,40}\): (?P<code>\d{1,4}))(?:, pid='?(?:<unknown>|\d+)'?)?(?:, name=\S{0,40})"
    r"?,? ?(?P<rest>.*)$"
)
#: Codes that the driver prints for what an earlier one began.
_XID_AFTER = {
    "43": "the GPU stops a program after an earlier fault",
    "45": "the driver cleans up after an earlier fault",
    "154": "the driver says what an earlier fault needs",
}
#: Codes that a faulty program causes by itself; its own report tells more, where there is one.
_XID_PROGRAM = frozenset({"13", "31", "69", "109"})

_SEGFAULT = re.compile(
    r"(?P<comm>.{1,60})\[(?P<pid>\d+)\]: (?P<message>segfault at [0-9a-f]+ ip [0-9a-f]+ sp [0-9a-f]+ error \w+(?: "
    r"in [^\[\s]{1,200})?)"
)
_TRAP = re.compile(
    r"traps: (?P<comm>.{1,60})\[(?P<pid>\d+)\] (?:trap )?(?P<message>(?P<type>general protection fault|[a-z][\w "
    r"]{2,40}?) "
    r"ip:[0-9a-f]+ sp:[0-9a-f]+ error:\w+(?: in [^\[\s]{1,200})?)"
)


class _Shape(NamedTuple):
    type: str
    weight: int
    expression: re.Pattern[str]


#: (type, weight, expression whose `message` is told).
_SHAPES = tuple(
    _Shape(name, weight, re.compile(pattern))
    for name, weight, pattern in (
        (
            "I/O error",
            1,
            r"(?:blk_update_request: |print_req_error: )?(?P<message>(?:critical )?(?:I/O|medium|"
            r"target|nexus) error, dev \S{1,40}, sector .*)$",
        ),
        ("Buffer I/O error", 2, r"(?P<message>Buffer I/O error on dev.*)$"),
        ("file system error", 1, r"(?P<message>(?:EXT[234]-fs|BTRFS) (?:error|critical)[: (].*)$"),
        (
            "file system error",
            1,
            r"(?P<message>XFS \([\w-]+\): (?:Corruption|Metadata|Internal error|log I/O error|"
            r"Log I/O Error|xfs_do_force_shutdown|Filesystem has been shut down).*)$",
        ),
        ("file system error", 2, r"(?:EXT4-fs \(\S+\): )?(?P<message>Remounting filesystem read-only)$"),
        (
            "disk error",
            1,
            r"(?P<message>ata\d+(?:\.\d+)?: (?:exception Emask|failed command|SError|hard resetting "
            r"link|COMRESET failed).*)$",
        ),
        (
            "disk error",
            1,
            r"(?P<message>nvme nvme\d+: (?:I/O (?:tag )?\d+ .*(?:timeout|QID).*|controller is down.*|"
            r"Device not ready.*|Removing after probe failure.*))$",
        ),
        ("disk error", 1, r"(?P<message>sd [\d:]+ \[\w+\] .*(?:FAILED Result|Medium Error|Unrecovered read error).*)$"),
        (
            "hardware error",
            0,
            r"(?P<message>(?:mce: )?\[Hardware Error\]: (?:Machine check|CPU \d+: Machine Check|"
            r".*[Uu]ncorrect|.*fatal).*)$",
        ),
        ("hardware error", 0, r"(?P<message>EDAC \w+: \d+ UE .*)$"),
        (
            "hardware error",
            0,
            r"(?P<message>pcieport [\w:.]+: (?:AER: )?(?:Multiple )?[Uu]ncorrect(?:ed|able) "
            r"\((?:Fatal|Non-Fatal)\) error.*)$",
        ),
        (
            "GPU lost",
            0,
            r"(?:NVRM: )?(?P<message>GPU at PCI:[\w:.]+ has fallen off the bus.*|NVRM: "
            r"(?:RmInitAdapter failed|GPU [\w:.]+: RmInitAdapter failed).*)$",
        ),
        ("driver mismatch", 0, r"(?P<message>NVRM: API mismatch: .*)$"),
        ("network stall", 1, r"(?P<message>NETDEV WATCHDOG: .*transmit queue \d+ timed out.*)$"),
        ("NFS stall", 1, r"(?P<message>nfs: server \S+ not responding, .*)$"),
        (
            "VFS",
            0,
            r"(?P<message>VFS: (?:Unable to mount root fs|file-max limit \d+ reached|Cannot open root "
            r"device).*)$",
        ),
        (
            "amdgpu",
            0,
            r"(?:amdgpu \S+: )?(?:amdgpu: )?(?P<message>(?:\[drm:\w+ \[amdgpu\]\] \*ERROR\* )?ring "
            r"\w[\w.]* timeout.*|GPU fault detected.*|\[\w+\] (?:no-retry |retry )?page fault \(src_id.*)$",
        ),
    )
)
_WORDS = re.compile(
    r"Xid|segfault|traps:|rror|EDAC|fallen off|RmInit|mismatch|WATCHDOG|not responding|VFS:|ata\d|nvme|read-only|"
    r"XFS|amdgpu|ring "
)


def read(lines: Stream) -> Iterator[Find]:
    """One find per distinct line; the same code or message again belongs to the first."""
    seen: dict[tuple[str, str], Find] = {}
    for index, line in enumerate(lines):
        if not _WORDS.search(line.text[:300]):
            continue
        find = _line(line)
        if find is None:
            continue
        if index + 1 < len(lines) and find.type not in ("I/O error",) and lines[index + 1].text.startswith("Code: "):
            find.last = lines[index + 1].number
            find.lines.add(find.last)
        key = (find.type, re.sub(r"\d+", "", find.message.split("\n")[0]))
        if not first_said(seen, key, find):
            seen[key].last = max(seen[key].last, find.last)
    yield from seen.values()


def _line(line: Line) -> Find | None:
    text = line.text[:2000]
    if match := _XID.search(text):
        code = match["code"]
        find = _find(line, f"Xid {code}", match["message"], 1 if code in _XID_PROGRAM else 0)
        find.message += f"\n{match['rest']}" if match["rest"] else ""
        find.cascade = _XID_AFTER.get(code, "")
        return find
    if match := _SEGFAULT.match(text):
        find = _find(line, "segfault", match["message"], 0)
        find.process = match["comm"]
        return find
    if match := _TRAP.match(text):
        find = _find(line, match["type"], match["message"], 0)
        find.process = match["comm"]
        return find
    for shape in _SHAPES:
        if match := shape.expression.match(text):
            return _find(line, shape.type, match["message"].strip(), shape.weight)
    return None


def _find(line: Line, name: str, message: str, weight: int) -> Find:
    return spotted(NAME, "kernel", name, message, line, [line], weight=weight)
