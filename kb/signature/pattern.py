"""Rendering segments as a portable regular expression, and finding the anchor.

The escape function and the limits are those that all of Python, RE2, Go, Rust, PCRE2, Java, JavaScript (plain, u, v),
Ruby, Perl and .NET read alike.
"""

from __future__ import annotations

from collections.abc import Sequence

from kb.signature.gaps import GAPS
from kb.signature.model import Segment

#: The longest pattern that every target takes, in bytes (mtail refuses more than 1024, Elasticsearch more than 1000).
LONGEST = 900
#: Gaps that may hold anything: more of them make a backtracking engine (a browser's) slow, so the pattern ends there.
_MOST_OPEN = 3
_OPEN = (".+", ".*")
#: An anchor shorter than this finds too much to be a rule.
SHORTEST_ANCHOR = 12

_SPECIAL = frozenset("\\^$.|?*+()[]{}")
_ESCAPES = {ord(char): f"\\{char}" for char in _SPECIAL}


def escape(literal: str) -> str:
    """`literal` for a pattern: only the characters special everywhere are escaped; non-ASCII runs become a gap."""
    if literal.isascii() and literal.isprintable():
        return literal.translate(_ESCAPES)
    out: list[str] = []
    for char in literal:
        if char in _SPECIAL:
            out.append("\\" + char)
        elif char == "\t":
            out.append("\\t")
        elif " " <= char <= "~":
            out.append(char)
        elif char < " " or char == "\x7f":
            out.append(f"\\x{ord(char):02x}")
        elif not out or out[-1] != "[^ -~]+":
            out.append("[^ -~]+")
    return "".join(out)


def trimmed(segments: Sequence[Segment]) -> tuple[Segment, ...]:
    """`segments` as a rule needs them: no gap at either end (it would decide nothing), no space at either end."""
    parts = list(segments)
    while parts and (parts[0].gap or not parts[0].text.strip()):
        parts.pop(0)
    while parts and (parts[-1].gap or not parts[-1].text.strip()):
        parts.pop()
    if not parts:
        return ()
    parts[0] = Segment(parts[0].text.lstrip())
    parts[-1] = Segment(parts[-1].text.rstrip())
    return tuple(parts)


def ruled(segments: Sequence[Segment]) -> tuple[Segment, ...]:
    """The segments that the pattern renders: trimmed, and cut at a segment's end where it would grow too long."""
    kept: list[Segment] = []
    length = opened = 0
    for segment in trimmed(segments):
        if segment.gap:
            opened += GAPS[segment.gap].regex in _OPEN
            if opened > _MOST_OPEN:
                break
            length += len(GAPS[segment.gap].regex)
            kept.append(segment)
            continue
        text = segment.text
        while length + len(escape(text)) > LONGEST and text:
            text = text[: max(len(text) * 3 // 4 - 1, 0)].rstrip()
        length += len(escape(text))
        if text:
            kept.append(Segment(text))
        if text != segment.text:
            break
    return tuple(kept)


def render(segments: Sequence[Segment]) -> str:
    """The portable pattern of `segments`; "" for none."""
    out = "".join(GAPS[one.gap].regex if one.gap else escape(one.text) for one in ruled(segments))
    # A pattern may not end in a gap's repetition over nothing, nor in a backslash (line continuation elsewhere).
    return out[:-2] + "\\x5c" if out.endswith("\\\\") else out


def anchor(segments: Sequence[Segment]) -> str:
    """The longest printable literal that every match of the pattern holds, without space at its ends; may be ""."""
    best = ""
    room = LONGEST
    for segment in trimmed(segments):
        if segment.gap:
            room -= len(GAPS[segment.gap].regex)
            continue
        for run in _printable_runs(segment.text[: max(room, 0)]):
            if len(run) > len(best):
                best = run
        room -= len(escape(segment.text))
        if room <= 0:
            break
    return best


def _printable_runs(text: str) -> list[str]:
    run, runs = "", []
    for char in text:
        if " " <= char <= "~":
            run += char
        else:
            runs.append(run.strip())
            run = ""
    return [*runs, run.strip()]
