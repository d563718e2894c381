"""CUDA's error texts, as programs print them that check each call by hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from kb.errors import Location, TableError
from kb.failures.found import Find
from kb.failures.readers.line_shapes import Shape, read_shapes
from kb.failures.streams import MILD, Stream
from kb.failures.tables import rows

NAME = "cuda_texts"
ABOUT = "CUDA: the texts of its errors, printed by programs that check each call by hand"
EXAMPLE = """\
kernel failed: no kernel image is available for execution on the device
"""

_TABLE = Path(__file__).parent.parent / "cuda_texts.txt"
_AFTER = r"[\"')\]]{0,2}\.?(?:,? (?:in|at|file)?:? ?\S{1,200}(?::| line )\d{1,7}.{0,40}| \S{1,200} \d{1,7})?\s*$"


def _shapes() -> tuple[Shape, ...]:
    texts: dict[str, list[str]] = {"alone": [], "beside": []}
    for number, (how, text) in rows(_TABLE, 2):
        if how not in texts:
            raise TableError(f"not 'alone' or 'beside': {how}", location=Location(str(_TABLE), number))
        texts[how].append(re.escape(text))
    alone, beside = ("|".join(texts[how]) for how in ("alone", "beside"))
    head = r"(?:.{0,300}?[:=(\[\"'-] ?)"
    near = rf"(?=.{{0,300}}(?:[Ff]ail|FAIL|[Ee]rror|ERROR))(?=.{{0,300}}?(?:CUDA|[Cc]uda|GPU|[Kk]ernel)){head}"
    return (
        Shape("CUDA error", re.compile(rf"{head}(?P<message>{alone}){_AFTER}")),
        Shape("CUDA error", re.compile(rf"{near}(?P<message>{beside}){_AFTER}")),
    )


_SHAPES = _shapes()


def read(lines: Stream) -> Iterator[Find]:
    """One find per distinct text that ends a line, or stands before the place of the check."""
    yield from read_shapes(NAME, "gpu", lines, _SHAPES, quiet=MILD)
