"""Other tools' expressions into the portable subset, where that can be done without changing what they find in a line.

The expression is read by Python's own parser of expressions, and each node is written again; what has no portable form
(look-around, backward references, word boundaries, flags) is refused with the reason.
"""

from __future__ import annotations

import re
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from kb.rules.model import Piece
from kb.rules.portable import NotPortableError, parse, render
from kb.signature.pattern import escape

#: Members of a class by the name of a category, and those of its opposite.
_CATEGORIES = {
    op.CATEGORY_DIGIT: ("0-9",),
    op.CATEGORY_WORD: ("A-Z", "a-z", "0-9", "_"),
    op.CATEGORY_SPACE: (" ", "\t"),
}
_OPPOSITE = {op.CATEGORY_NOT_SPACE: "[^ ]", op.CATEGORY_NOT_DIGIT: "[^0-9]", op.CATEGORY_NOT_WORD: "[^A-Za-z0-9_]"}
_NAMES = {
    op.ASSERT: "look-ahead or look-behind",
    op.ASSERT_NOT: "look-ahead or look-behind",
    op.GROUPREF: "a backward reference",
    op.AT: "a word boundary",
}
_IN_CLASS = re.compile(r"[A-Za-z0-9_ '\":,`]")
_LONGEST = 2_000


def translate(expression: str, *, whole: bool = False) -> tuple[Piece, ...]:
    """The pieces of a portable pattern that finds in a line what `expression` finds.

    With `whole`, the tool matches whole lines: `.*` at the ends is dropped. Raises NotPortableError.
    """
    if len(expression) > _LONGEST:
        raise NotPortableError(f"it has {len(expression)} characters; {_LONGEST} are the most that is read")
    plain = _other_syntax(expression)
    try:
        tree = parser.parse(plain)
    except (re.error, RecursionError, OverflowError) as error:
        raise NotPortableError(f"it cannot be read: {error}") from error
    if tree.state.flags & ~re.UNICODE.value:
        raise NotPortableError("it sets a flag for the whole expression (as `(?i)` does)")
    return parse(_trimmed(_sequence(list(tree)), whole=whole))


def literal(text: str) -> tuple[Piece, ...]:
    """The pieces for `text` as it stands."""
    return parse(render([Piece(" ".join(text.split()))]))


def _other_syntax(expression: str) -> str:
    """What Go, Rust, Java and JavaScript write in a way that Python does not read."""
    text = re.sub(r"\(\?<(?=[A-Za-z])", "(?P<", expression)
    return text.replace(r"\/", "/").replace(r"\z", r"\Z")


def _trimmed(pattern: str, *, whole: bool) -> str:
    """Without what decides nothing in a search: `.*` at the ends."""
    pattern = pattern.removeprefix("^.*") if pattern.startswith("^.*") else pattern
    while pattern.startswith(".*"):
        pattern = pattern.removeprefix(".*")
    for end in (".*$", ".*"):
        while pattern.endswith(end) and not pattern.endswith("\\" + end):
            pattern = pattern.removesuffix(end)
    # No tool that trims its patterns may make another of it; a blank at an end tells little.
    return pattern.strip(" ")


def _sequence(nodes: list[tuple[Any, Any]]) -> str:
    return "".join(_node(kind, value) for kind, value in nodes)


def _node(kind: Any, value: Any) -> str:
    if kind is op.LITERAL:
        return _char(value)
    if kind is op.NOT_LITERAL:
        return _class([(op.NEGATE, None), (op.LITERAL, value)])
    if kind is op.ANY:
        return "."
    if kind is op.IN:
        return _class(value)
    if kind is op.BRANCH:
        return f"(?:{'|'.join(_sequence(list(branch)) for branch in value[1])})"
    if kind is op.SUBPATTERN:
        if value[1] or value[2]:
            raise NotPortableError("it sets a flag for a group")
        inner = list(value[3])
        return _sequence(inner) if len(inner) == 1 else f"(?:{_sequence(inner)})"
    if kind in (op.MAX_REPEAT, op.MIN_REPEAT):
        return _repeat(*value)
    if kind is op.AT and value in (op.AT_BEGINNING, op.AT_BEGINNING_STRING):
        return "^"
    if kind is op.AT and value in (op.AT_END, op.AT_END_STRING):
        return "$"
    name = _NAMES.get(kind, str(kind).lower().replace("_", " "))
    raise NotPortableError(f"it uses {name}, which not every engine has")


def _repeat(low: int, high: Any, nodes: Any) -> str:
    inner = _sequence(list(nodes))
    one = inner if _is_one(inner) else f"(?:{inner})"
    if high is op.MAXREPEAT:
        return one + {0: "*", 1: "+"}.get(low, f"{{{low},}}")
    if (low, high) == (0, 1):
        return f"{one}?"
    return one + (f"{{{low}}}" if low == high else f"{{{low},{high}}}")


def _is_one(text: str) -> bool:
    """Whether a repeat sign after `text` would take all of it: one character, escape, class or group."""
    if len(text) == 1 or re.fullmatch(r"\\.|\\x[0-9a-f]{2}", text):
        return True
    if re.fullmatch(r"\[[^\]]+\]", text):
        return True
    return text.startswith("(?:") and text.endswith(")") and text.count("(?:") == 1


def _char(code: int) -> str:
    return escape(chr(code))


def _class(members: list[tuple[Any, Any]]) -> str:
    negated = bool(members) and members[0][0] is op.NEGATE
    if not negated and _anything(members):
        return "."
    parts: list[str] = []
    for kind, value in members[negated:]:
        if kind is op.LITERAL:
            parts.append(chr(value))
        elif kind is op.RANGE:
            parts.append(f"{chr(value[0])}-{chr(value[1])}")
        elif kind is op.CATEGORY and value in _CATEGORIES:
            parts.extend(_CATEGORIES[value])
        elif kind is op.CATEGORY and len(members) == 1 and value in _OPPOSITE:
            return _OPPOSITE[value]
        else:
            raise NotPortableError("a class in it holds what no portable class can")
    return _negated(parts) if negated else _positive(parts)


def _anything(members: list[tuple[Any, Any]]) -> bool:
    """Whether a class holds every character of a line, as `[\\s\\S]` does, and `[\\S ]` but for the TAB."""
    categories = {value for kind, value in members if kind is op.CATEGORY}
    blank = op.CATEGORY_SPACE in categories or (op.LITERAL, 32) in members
    pairs = ((op.CATEGORY_DIGIT, op.CATEGORY_NOT_DIGIT), (op.CATEGORY_WORD, op.CATEGORY_NOT_WORD))
    return (blank and op.CATEGORY_NOT_SPACE in categories) or any(set(pair) <= categories for pair in pairs)


def _negated(parts: list[str]) -> str:
    parts = [part for part in parts if part not in ("\t", "\n", "\r")] or ["\n"]
    if parts == ["\n"]:
        return "."
    if not all(_plain(part) for part in parts):
        raise NotPortableError("a class that excludes characters such as / or - is not read alike everywhere")
    return f"[^{''.join(parts)}]"


def _positive(parts: list[str]) -> str:
    inside = [part for part in parts if _plain(part)]
    others = [part for part in parts if not _plain(part)]
    if any(len(part) != 1 for part in others):
        raise NotPortableError("a range in a class is not read alike everywhere")
    alternatives = ([f"[{''.join(inside)}]"] if inside else []) + [escape(part) for part in others]
    return alternatives[0] if len(alternatives) == 1 else f"(?:{'|'.join(alternatives)})"


def _plain(part: str) -> bool:
    """Whether `part`, a character or a range, may stand in a portable class."""
    ends = part.split("-") if len(part) == 3 and part[1] == "-" else [part]
    return all(_IN_CLASS.fullmatch(end) for end in ends)
