"""Printing for people: hostile characters shown as escapes, colours only where they are wanted, lines that fit.

Everything that comes from a log, a record or a file name passes `visible` before it reaches a terminal: an escape
sequence in a log must not move the cursor, retitle the window or answer for the user.
"""

from __future__ import annotations

import os
import re
import sys
import unicodedata

import click

from kb.expressions import late

# C0 without tab and newline, DEL, C1, line and paragraph separators, marks that reorder text, surrogates, BOM.
_HOSTILE = late(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ud800-\udfff]"
)

# Colours are the one sequence that means nothing once it is not obeyed.
_COLOUR = late("\x1b\\[[0-9;:]{0,40}m")

#: How much wider than this a terminal may be before lines stop growing: long lines read badly.
WIDEST = 100

#: How much of one line is printed where lines are not broken.
_LONGEST = 4000


def visible(text: str) -> str:
    """`text` without colours, every other control, reordering and undecodable character as an escape; newlines stay."""
    if "\x1b" in text:
        text = _COLOUR.sub("", text)
    return _HOSTILE.sub(_escape, text).expandtabs(4)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:  # a byte that was no UTF-8, kept by surrogateescape
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def one_line(text: str) -> str:
    """`visible` text on one line: line ends become a visible mark."""
    return visible(text.strip()).replace("\n", " ⏎ ")


def own_title(slug: str, title: str) -> str:
    """`: title` for a fix whose title says more than its slug does, else ""."""
    says_more = title.casefold() not in {"", slug, slug.replace("-", " ")}
    return f": {one_line(title)}" if says_more else ""


def piped() -> bool:
    """Whether standard output is no terminal."""
    return not sys.stdout.isatty()


def width() -> int:
    """The columns to fill: the terminal's, at most `WIDEST`; 80 when it is no terminal or has no width."""
    if piped():
        return 80
    try:
        # Not shutil's function of the same name: importing shutil costs as much as importing click.
        found = int(os.environ.get("COLUMNS") or 0) or os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):
        found = 80
    return max(40, min(found or 80, WIDEST))


def columns(text: str) -> int:
    """How many terminal columns `text` takes: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def cut(text: str, limit: int) -> str:
    """`text` in at most `limit` columns, the end replaced by an ellipsis when it is longer."""
    if columns(text) <= limit:
        return text
    kept: list[str] = []
    room = limit - 1
    for character in text:
        room -= columns(character)
        if room < 0:
            break
        kept.append(character)
    return "".join(kept) + "…"


def cut_left(text: str, limit: int) -> str:
    """`text` in at most `limit` columns, its beginning replaced by an ellipsis: of a path the end says most."""
    return text if columns(text) <= limit else cut(text[::-1], limit)[::-1]


def wrap(text: str, *, indent: str = "", first: str | None = None, lines: int = 0) -> list[str]:
    """`text` broken into lines that fit `width()`, each behind `indent` (the first behind `first`).

    With `lines`, no more than that many: the last one then ends in an ellipsis. Long words are broken in a terminal;
    elsewhere they stay whole, for the program or the person that takes a path or an id from there.
    """
    lead = indent if first is None else first
    room = width() - max(columns(indent), columns(lead))
    # A log line may be of any length; a terminal shows some of it, at a cost that does not grow with the rest.
    most = 4 * room * lines if lines else 20_000
    if len(text) > most:
        text = text[:most] + "…"
    rows = _rows(text, room, break_words=not piped())
    if lines and len(rows) > lines:
        rows = [*rows[: lines - 1], cut(rows[lines - 1] + " …", room)]
    return [((lead if number == 0 else indent) + line).rstrip() for number, line in enumerate(rows)]


def verbatim(text: str, *, indent: str = "", first: str | None = None, lines: int = 0) -> list[str]:
    """Like `wrap` in a terminal; elsewhere each line of `text` stays one line: a log line, a path, a pattern."""
    if not piped():
        return wrap(text, indent=indent, first=first, lines=lines)
    lead = indent if first is None else first
    kept = [cut(line, _LONGEST) for line in text.split("\n")]
    if lines and len(kept) > lines:
        kept = [*kept[: lines - 1], f"{kept[lines - 1]} …"]
    return [((lead if number == 0 else indent) + line).rstrip() for number, line in enumerate(kept)]


def _rows(text: str, room: int, *, break_words: bool) -> list[str]:
    """`text` in rows of at most `room` columns, broken at spaces where there are any; words only with `break_words`."""
    rows: list[str] = []
    # Indentation means something in tracebacks and patches.
    row = text[: len(text) - len(text.lstrip(" "))][: room // 2]
    for match in re.finditer(r"\S+\s*", text):
        word = match[0]
        if row.strip() and columns(row + word.rstrip()) > room and (not break_words or room >= columns(word.rstrip())):
            rows.append(row.rstrip())
            row = ""
        rest = row + word
        while break_words and columns(rest.rstrip()) > room:
            taken = _fitting(rest, room)
            rows.append(rest[:taken].rstrip())
            rest = rest[taken:]
        row = rest
    if row.strip() or not rows:
        rows.append(row.rstrip())
    return rows


def _fitting(word: str, room: int) -> int:
    """How many characters of `word` fit into `room` columns (at least one, so that a narrow room still ends)."""
    taken = 0
    while taken < len(word) and columns(word[: taken + 1]) <= room:
        taken += 1
    return max(taken, 1)


def colours() -> bool:
    """Whether standard output takes colours: a terminal that is not dumb, and no NO_COLOR in the environment."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def paint(text: str, colour: str = "", *, bold: bool = False, dim: bool = False) -> str:
    """`text` in a colour where colours are wanted, else as it is."""
    if not colours():
        return text
    return click.style(text, fg=colour or None, bold=bold or None, dim=dim or None)


def say(text: str = "") -> None:
    """Print one line or more to standard output."""
    click.echo(text, color=colours())


def note(text: str) -> None:
    """Print a remark for people to standard error, where it does not mix with data."""
    click.echo(f"kb: {visible(text)}", err=True)


class Progress:
    """A one-line progress report on standard error, only when that is a terminal.

    Call it with what is done and the total; with another label, when it is another step.
    """

    def __init__(self, label: str) -> None:
        self._label = label
        self._shown = sys.stderr.isatty()
        self._last = ""

    def __call__(self, done: int, total: int, label: str = "") -> None:
        if not self._shown:
            return
        percent = 100 * done // total if total else 100
        step = f"{label or self._label} ({percent} %)"
        if step != self._last:
            self._last = step
            click.echo(f"\r{label or self._label} {done}/{total} ({percent} %)\x1b[K", err=True, nl=False)

    def close(self) -> None:
        """Clear the line, so that what is printed next stands alone."""
        if self._last:
            click.echo("\r\x1b[K", err=True, nl=False)
