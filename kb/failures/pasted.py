"""What pasting and printing does to a whole log: entities of HTML, hard wraps, doubled lines, lost indentation.

Such damage is known by the whole log only, so all lines decide, once, whether it is mended.
"""

from collections.abc import Sequence
from typing import NamedTuple

from kb.expressions import late
from kb.failures.lines import clean

_QUOTES = ("&quot;", "&#34;", "&#39;", "&#x27;", "&apos;")
#: What a page sets round text; the tags of a report have a reader of their own.
_TAGS = late(
    r"</?(?:a|b|blockquote|body|br|code|details|div|em|font|html|i|kbd|li|ol|p|pre|samp|span|strong|summary|table|tbody"
    r"|td|tr|tt|u|ul)(?:\s[^<>\n]{0,300})?/?>"
)
#: Lines of so many characters may have been wrapped there.
_NARROWEST, _WIDEST = 60, 250
#: So many different lines must be full for a width to be one. Lines that differ only in a number or a hash are as wide
#: as each other by nature.
_FULL = 3
_NUMBER = late(r"[0-9a-f]+")
_HEADER = "Traceback (most recent call last)"
_FRAME = late(r'File "[^"\n]{1,1000}", line \d{1,9}(?:, in |$)')
_RAISED = late(r"(?:[a-z_]\w*\.){0,8}[A-Z]\w{0,80}(?:Error|Exception|Interrupt|Exit|Warning|Iteration|Timeout)(?::|$)")
_ALIKE = 6
_DIGIT = late(r"\d")
#: Lines that a program made as wide as its terminal: rulers and boxes. Terminals fill up others with spaces.
_RULED = late(r"([=_*#.+~-])\1{9}|[\u2500-\u257f]$")
#: What a line begins with that no wrap cut off the line before it.
_FRESH = late(
    r"\s{2}| File \"|Traceback |\s*$|\[?\d{4}[-/]\d\d[-/]\d\d|\[?\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:"
    r"|[IWEF]\d{4} |\[rank\d|\(\w{1,60} (?:rank=\d{1,4} )?pid=|(?:INFO|WARNING|ERROR|DEBUG) |\{\""
)


class Mended(NamedTuple):
    """Lines and, where some were joined or left out, the raw 1-based number of each; None when they are all there."""

    lines: Sequence[str]
    numbers: Sequence[int] | None = None


def mend(lines: Sequence[str]) -> Mended:
    """`lines` (clean) as they were before they were pasted; linear, and the same object where nothing is to mend."""
    mended = Mended(_unescaped(lines))
    mended = _undoubled(mended)
    mended = _unwrapped(mended)
    return mended._replace(lines=_indented(mended.lines))


def _unescaped(lines: Sequence[str]) -> Sequence[str]:
    """The lines without entities, where every quotation mark is one: then all of the log was escaped."""
    if not any(mark in line for line in lines for mark in _QUOTES if "&" in line):
        return lines
    plain = sum('"' in _TAGS.sub("", line) for line in lines if '"' in line)
    escaped = sum(any(mark in line for mark in _QUOTES) for line in lines if "&" in line)
    if plain * 20 > escaped:
        return lines
    from html import unescape  # names 2,000 entities, and few logs were escaped

    return [clean(unescape(_untagged(line))) if "&" in line or "<" in line else line for line in lines]


def _untagged(raw: str) -> str:
    return _TAGS.sub("", raw) if "<" in raw else raw


def _undoubled(mended: Mended) -> Mended:
    """Without the blank line that copying from a page set behind each line."""
    lines = mended.lines
    if len(lines) < 8 or any(map(str.strip, lines[1:16:2])):
        return mended
    if any(map(str.strip, lines[1::2])) or sum(not line.strip() for line in lines[::2]) * 2 > len(lines[::2]):
        return mended
    return Mended(lines[::2], range(1, len(lines) + 1, 2))


def _unwrapped(mended: Mended) -> Mended:
    """With the lines put together that something broke at one width."""
    lines = mended.lines
    width = max(map(len, lines), default=0)
    if not _NARROWEST <= width <= _WIDEST:
        return mended
    full = [index for index, line in enumerate(lines[:-1]) if len(line) == width]
    whole = sum(lines[index].endswith("  ") or _RULED.search(lines[index]) is not None for index in full)
    if len({_NUMBER.sub("0", lines[index]) for index in full}) < _FULL or whole * 2 > len(full):
        return mended
    broken = {index for index in full if not lines[index].strip(" ^~") or not _fresh(lines[index], lines[index + 1])}
    if (len(full) - len(broken)) * 4 > len(full):
        return mended  # cut at that width, or of it by nature
    pieces: list[list[str]] = []
    numbers: list[int] = []
    for index, line in enumerate(lines):
        if index - 1 in broken:
            pieces[-1].append(line)
        else:
            pieces.append([line])
            numbers.append(mended.numbers[index] if mended.numbers else index + 1)
    return Mended(list(map("".join, pieces)), numbers)


def _fresh(line: str, after: str) -> bool:
    """Whether `after` begins as lines do, or as `line` itself does: then it is no rest of `line`."""
    return _FRESH.match(after) is not None or _DIGIT.sub("0", after[:_ALIKE]) == _DIGIT.sub("0", line[:_ALIKE])


def _indented(lines: Sequence[str]) -> Sequence[str]:
    """With the indentation of Python's frames, where the log lost that of all its lines."""
    if not any(line.startswith('File "') for line in lines) or not any(line.startswith(_HEADER) for line in lines):
        return lines
    if any(line.startswith(" ") for line in lines):
        return lines
    out: list[str] = []
    place = ""  # what the line before was, inside a traceback
    for line in lines:
        if _FRAME.match(line):
            out.append(f"  {line}")
            place = "frame"
        elif place == "frame" and line and not _RAISED.match(line) and not line.startswith(_HEADER):
            out.append(f"    {line}")
            place = "source"
        elif place == "source" and line and not line.strip("^~ "):
            out.append(f"    {line}")
        else:
            out.append(line)
            place = ""
    return out
