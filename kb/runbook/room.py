"""Texts in part, for pages that would take long on a phone: what matters of them, and how much is left out."""

from __future__ import annotations

from collections.abc import Sequence

from kb.runbook.excerpts import Excerpt, cut_line, shortened

#: How large a page is, in bytes beside what the site puts around it, before its texts are shown in part.
MOST = 44_000
#: How many characters of each log are shown then: as many as the page has room for.
ROOMS = (4_000, 2_800, 2_000, 1_400, 1_000, 700, 500, 350, 250, 180, 120)
#: Code, and what people wrote, say more in less: they have so much more room.
CODE, PROSE = 2, 4

#: The part of its room that one line of an excerpt may take.
_LINE = 4


def excerpt_within(excerpt: Excerpt, room: int) -> Excerpt:
    """About `room` characters of an excerpt (0: all of it): its marked lines, and others as far as there is room."""
    if not room or sum(map(len, excerpt.lines)) <= room:
        return excerpt
    lines = tuple(cut_line(line, max(room // _LINE, 60)) for line in excerpt.lines)
    average = sum(map(len, lines)) / len(lines) + 1
    return shortened(excerpt._replace(lines=lines), max(1, int(room / average)))


def text_within(text: str, room: int) -> str:
    """The whole lines of `text` that begin in its first `room` characters (0: all of it), and what is left out."""
    if not room or len(text) <= room:
        return text
    lines = text.splitlines()
    kept: list[str] = []
    size = 0
    for line in lines:
        if size and size + len(line) > room:
            break
        kept.append(cut_line(line, room))
        size += len(line) + 1
    return "\n".join([*kept, *_left_out(lines[len(kept) :])])


def _left_out(lines: Sequence[str]) -> tuple[str, ...]:
    return ("", f"[… {len(lines):,} more lines; the record has them]") if lines else ()
