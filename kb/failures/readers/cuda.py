"""CUDA device code: assertions that kernels print, one line a thread, before the host sees an error."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find
from kb.failures.model import Frame
from kb.failures.streams import Stream

NAME = "cuda"
ABOUT = "CUDA: assertions of kernels"
EXAMPLE = """\
Indexing.cu:1515: indexSelectSmallIndex: block: [0,0,0], thread: [0,0,0] Assertion `srcIndex < srcSelectDimSize` failed.
"""

_ASSERT = re.compile(
    r"(?P<file>\S{1,500}):(?P<line>\d{1,9}): (?:(?P<function>.{1,300}): )?block: \[\d+,\d+,\d+\], "
    r"thread: \[\d+,\d+,\d+\] Assertion `(?P<what>.{1,400}?)` failed"
)


def read(lines: Stream) -> Iterator[Find]:
    """One find per asserted condition; the flood of threads that repeat it belongs to that find."""
    seen: dict[str, Find] = {}
    for line in lines:
        match = _ASSERT.search(line.text) if "Assertion `" in line.text else None
        if match is None:
            continue
        find = seen.get(match["what"])
        if find is not None:
            find.last = line.number
            find.lines.add(line.number)
            continue
        seen[match["what"]] = Find(
            kind="device-assert",
            type="Assertion",
            message=f"Assertion `{match['what']}` failed.",
            at=line,
            first=line.number,
            last=line.number,
            language="cuda",
            frames=(Frame(match["file"], match["function"] or "", int(match["line"])),),
            process=line.process,
            reader=NAME,
            lines={line.number},
        )
    yield from seen.values()
