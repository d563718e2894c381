"""NCCL and PyTorch's process groups over it: what the watchdog says, what ends the process, NCCL's own warnings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find
from kb.failures.model import Frame
from kb.failures.streams import Line, Stream

NAME = "nccl"
ABOUT = "NCCL and ProcessGroupNCCL: collective timeouts, watchdog, terminate, NCCL WARN"
EXAMPLE = """\
[rank1]:[E1129 09:10:11.100200300 ProcessGroupNCCL.cpp:689] [Rank 1] Watchdog caught collective operation timeout: \
WorkNCCL(SeqNum=81, OpType=ALLREDUCE, NumelIn=4096, NumelOut=4096, Timeout(ms)=600000) \
ran for 600019 milliseconds before timing out.
[rank1]:[E1129 09:10:12.100200300 ProcessGroupNCCL.cpp:764] [Rank 1] To avoid data inconsistency, we are taking the \
entire process down.
"""

_RANK = re.compile(r"(?:\[(?:[^\]]{0,80} )?Rank (?P<rank>\d{1,6})\] *){1,3}")
_TIMEOUT = re.compile(r"(?P<message>Watchdog caught collective operation timeout: .*)$")
_ENDED = re.compile(
    r"(?:Process group watchdog thread terminated with exception|"
    r"NCCL watchdog thread terminated with exception): (?P<inner>.+)$"
)
_STUCK = re.compile(r"(?P<message>ProcessGroupNCCL's watchdog got stuck for .*)$")
_TERMINATE = re.compile(r"terminate called after throwing an instance of '(?P<type>c10(?:d)?::\w+)'")
_WHAT = re.compile(r"  what\(\):  (?P<text>.+)$")
_AFTER: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("cascade", re.compile(r"Some NCCL operations have failed or timed out")),
    (
        "cascade",
        re.compile(
            r"Received a dump signal due to a collective timeout from +rank|Observed flight "
            r"recorder dump signal from another"
        ),
    ),
    (
        "cascade",
        re.compile(
            r"Received a (?:global timeout|dump signal) from another rank|Timeout signal from other "
            r"rank"
        ),
    ),
    ("teardown", re.compile(r"To avoid data inconsistency, we are taking the entire process down")),
    (
        "",
        re.compile(
            r"(?:Exception|failure|Timeout) .{0,60}?(?:detected by|at) (?:watchdog|NCCL work)|failure "
            r"detected by watchdog"
        ),
    ),
    (
        "",
        re.compile(
            r"Stack trace of the failed collective|First PG on this rank to signal|preparing to dump debug "
            r"info"
        ),
    ),
    (
        "",
        re.compile(
            r"Received a dump signal due to a collective timeout from this local rank|Finished flight "
            r"recorder|flight recorder is disabled"
        ),
    ),
)
_AFTER_WHY = {
    "cascade": "the watchdog tells of a collective that timed out, here or on another rank",
    "teardown": "the watchdog ends the process",
}
_WARN = re.compile(r"NCCL WARN (?P<message>\S.*)$")
#: Tries that NCCL makes at start-up and survives.
_TRIES = re.compile(
    r"Call to bind failed: Address already in use|retrying|NET/Plugin|No module named|Failed to find|"
    r"(?:NET/)?[A-Z]\w+ ?: (?:Unable to|No device|Could not) |nvmlDeviceGet|dlopen|libibverbs|Missing|"
    r"MSCCL|environment variable|Could not find"
)
_CPP_FRAME = re.compile(r"frame #\d+: (?P<function>.{1,600}?) \+ 0x[0-9a-f]+ \(0x[0-9a-f]+ in (?P<file>[^)]{1,400})\)")
_BODY = re.compile(r"frame #\d+: |Exception raised from |<omitting python frames>|$")


def read(lines: Stream) -> Iterator[Find]:
    """The failures of one stream; a report that repeats an earlier one of the same rank points to it."""
    seen: dict[str, Find] = {}
    said: set[tuple[str, str]] = set()
    index = 0
    while index < len(lines):
        text = lines[index].text
        find: Find | None = None
        end = index + 1
        if "NCCL WARN " in text[:300]:
            find = _warning(lines[index], seen)
        elif "terminate called" in text[:20]:
            find, end = _terminate(lines, index)
        elif text.startswith("Exception raised from ") and text.endswith("(most recent call first):"):
            find = _find(lines[index], "c10", text, weight=1)
            find.harmless = "the C++ frames of what the watchdog has told"
            end = _stack(lines, index, find)
        elif lines[index].level in ("error", "fatal"):
            find, end = _watchdog(lines, index, said)
        if find is not None:
            key = f"{find.process}|{find.type}|{find.message}"
            if key in seen and not find.harmless:
                find.inner.append(("quotes", seen[key]))
            elif find.weight == 0 and not find.harmless:
                seen[key] = find
            yield find
        index = end


def _warning(line: Line, seen: dict[str, Find]) -> Find | None:
    match = _WARN.search(line.text)
    if match is None or f"WARN|{match['message']}" in seen:
        return None
    find = _find(line, "NCCL WARN", match["message"].strip(), weight=1)
    seen[f"WARN|{match['message']}"] = find
    if _TRIES.search(match["message"]):
        find.harmless = "NCCL tries several ways at start-up and tells of each that it cannot take"
    return find


def _watchdog(lines: Stream, index: int, said: set[tuple[str, str]]) -> tuple[Find | None, int]:
    line = lines[index]
    rank, text = _rank(line.text[:8000])
    if match := _TIMEOUT.match(text):
        return _find(line, "DistBackendError", match["message"].strip(), rank), index + 1
    if match := _STUCK.match(text):
        return _find(line, "watchdog stuck", match["message"].strip(), rank), index + 1
    if match := _ENDED.match(text):
        inner_rank, inner = _rank(match["inner"])
        find = _find(line, _type_of(inner), inner.strip(), inner_rank or rank)
        return find, _stack(lines, index + 1, find)
    for role, expression in _AFTER:
        if not expression.search(text[:200]):
            continue
        find = _find(line, "NCCL", text.strip(), rank, weight=1)
        if role and (role, line.process) not in said:
            said.add((role, line.process))
            setattr(find, role, _AFTER_WHY[role])
        else:
            find.harmless = "one of the watchdog's notes on a collective that timed out"
        return find, index + 1
    return None, index + 1


def _terminate(lines: Stream, index: int) -> tuple[Find | None, int]:
    match = _TERMINATE.match(lines[index].text)
    if match is None or index + 1 >= len(lines):
        return None, index + 1
    what = _WHAT.match(lines[index + 1].text)
    if what is None:
        return None, index + 1
    rank, text = _rank(what["text"])
    if ended := _ENDED.match(text):
        inner_rank, text = _rank(ended["inner"])
        rank = inner_rank or rank
    name = _type_of(text) if "watchdog" in what["text"] else match["type"].rsplit("::", 1)[-1]
    # This line has no time of its own: the one that it seems to have is that of an older record.
    find = _find(lines[index + 1]._replace(time=""), name, text.strip(), rank)
    find.first = lines[index].number
    find.lines.add(lines[index].number)
    return find, _stack(lines, index + 2, find)


def _stack(lines: Stream, index: int, find: Find) -> int:
    """Claim the C++ frames that follow; the index after them."""
    frames: list[Frame] = []
    start = index
    while index < len(lines) and index - start < 300 and (_BODY.match(lines[index].text) or index == start):
        text = lines[index].text
        if index == start and not _BODY.match(text):
            # CUDA's advice stands between the error and its frames.
            if not text.startswith(("CUDA kernel errors", "Search for `", "For debugging", "Compile with")):
                break
            while index < len(lines) and lines[index].text.startswith(
                ("CUDA kernel", "Search for", "For debug", "Compile with")
            ):
                index += 1
            start = index
            continue
        if step := _CPP_FRAME.match(text):
            frames.append(Frame(step["file"], step["function"].split("(")[0]))
        find.lines.add(lines[index].number)
        find.last = max(find.last, lines[index].number)
        index += 1
    find.frames = find.frames or tuple(reversed(frames[:200]))
    return index


def _type_of(text: str) -> str:
    if "CUDA error" in text[:100]:
        return "CUDA error"
    return "DistBackendError"


def _rank(text: str) -> tuple[str, str]:
    """The rank that `text` names in front, and the text after it."""
    match = _RANK.match(text)
    return (f"rank{match['rank']}", text[match.end() :].strip()) if match else ("", text)


def _find(line: Line, name: str, message: str, rank: str = "", *, weight: int = 0) -> Find:
    return Find(
        kind="nccl",
        type=name,
        message=message.removeprefix("CUDA error: ") if name == "CUDA error" else message,
        at=line,
        first=line.number,
        last=line.number,
        process=line.process or rank,
        reader=NAME,
        weight=weight,
        lines={line.number},
    )
