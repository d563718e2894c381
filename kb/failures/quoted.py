"""Failures of one log of which one only repeats the other, as the wording of both shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kb.failures.found import Find

#: A shorter text may stand in two messages by chance.
_SHORTEST = 16
_LONGEST = 4_000
_MOST_LINES = 40
_MOST = 64


def quotes(roots: Sequence[Find]) -> Iterator[tuple[Find, Find, str]]:
    """The copies among `roots` (in the order of their lines), each with the failure it repeats, and why.

    A lone line is the copy where a whole report holds its text as a further line of its message, as PyTorch's
    exceptions hold NCCL's last error. A report is the copy where its message holds the type and message of an earlier
    whole one as Python writes a value: `got RuntimeError('...')`.
    """
    held: dict[str, Find] = {}
    for find in roots:
        if find.weight == 0:
            for text in find.message[:_LONGEST].split("\n")[1:_MOST_LINES]:
                held.setdefault(text.strip(), find)
    earlier: list[Find] = []
    for find in roots:
        text = find.message.split("\n", 1)[0].strip()
        if find.weight and len(text) >= _SHORTEST and text in held:
            yield find, held[text], f"the report of line {held[text].at.number} holds this text"
        elif find.weight == 0:
            words = find.message[:_LONGEST]
            own = next((before for before in earlier if any(form in words for form in _written(before))), None)
            if own is not None:
                yield find, own, f"its message repeats the failure of line {own.at.number}"
            elif len(earlier) < _MOST:
                earlier.append(find)


def repeated(find: Find, outer: Sequence[Find]) -> Find | None:
    """The earlier report among `outer`, of another process and type, whose message `find` says word for word."""
    text = find.message.split("\n", 1)[0].strip()
    if find.weight or len(text) < _SHORTEST or " " not in text:
        return None
    for report in outer[:_MOST]:
        other = (report.process or report.at.process) != (find.process or find.at.process)
        if (
            other
            and report.at.number < find.at.number
            and report.type != find.type
            and report.message.split("\n", 1)[0].strip() == text
        ):
            return report
    return None


def _written(find: Find) -> tuple[str, ...]:
    """How Python writes an exception as a value, as far as its message's first line goes."""
    text = find.message.split("\n", 1)[0]
    name = find.type.rsplit(".", 1)[-1]
    return (f"{name}('{text}", f'{name}("{text}') if len(text) >= _SHORTEST and name else ()
