"""TypeScript: errors of tsc with their codes, in the plain and the pretty form, and as ts-loader prints them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.streams import Stream

NAME = "typescript"
ABOUT = "TypeScript: compile errors with their codes"
EXAMPLE = """\
src/order.ts(4,20): error TS2304: Cannot find name 'missing'.
src/price.ts:2:63 - error TS18048: 'p.vat' is possibly 'undefined'.
"""

_ERROR = re.compile(
    r"(?:(?P<file>[^\s():][^():\n]{0,400})(?:\((?P<line>\d{1,7}),\d{1,7}\):|:(?P<row>\d{1,7}):\d{1,7} -) )?"
    r"(?:\[tsl\] )?(?:error|ERROR) +(?P<code>TS\d{2,6}): (?P<message>\S.*)$"
)
#: ts-loader and fork-ts-checker: the place in the line before, then the code alone.
_BARE = re.compile(r"\s{0,8}(?P<code>TS\d{2,6}): (?P<message>\S.*)$")
_LOADER = re.compile(
    r"(?:\[tsl\] )?ERROR in (?P<file>\S{1,400}?)(?:[:(](?P<line>\d{1,7})[:,]\d{1,7}\)?)?(?:-\d{1,7})?$"
)
_COUNT = re.compile(r"Found \d{1,6} errors?")


def read(lines: Stream) -> Iterator[Find]:
    """Every error in its order; the indented lines below one explain it."""
    for index, line in enumerate(lines):
        if "TS" not in line.text:
            continue
        match = _ERROR.match(line.text)
        place = None
        begin = index
        if match is not None:
            if match["file"]:
                place = Frame(match["file"], "", int(match["line"] or match["row"]))
        else:
            match = _BARE.match(line.text)
            loader = _LOADER.match(lines[index - 1].text.strip()) if match is not None and index else None
            if match is None or loader is None:
                continue
            place = Frame(loader["file"], "", int(loader["line"] or 0))
            begin = index - 1
        more: list[str] = []
        for following in lines[index + 1 : index + 6]:
            if not re.match(r"  \S|    \S", following.text) or _ERROR.match(following.text.strip()):
                break
            more.append(following.text.strip())
        yield spotted(
            NAME,
            "build",
            match["code"],
            "\n".join([match["message"].strip(), *more]),
            line,
            lines[begin : index + 1 + len(more)],
            language=NAME,
            frames=(place,) if place else (),
        )
