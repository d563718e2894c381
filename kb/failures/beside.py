"""What else an excerpt shows of a log: the list that a failure begins, and what it was raised as further out."""

from collections.abc import Sequence

from kb.failures.model import Failure

#: Of problems that are told in a list, those that stand so near to each other are one with what stands between them.
_LISTED = frozenset({"lint", "build", "error-line"})
_NEAR = 3
#: So far away a problem still belongs to the list of its tool, without what stands between.
_FAR = 12
_RAISED = frozenset({"exception"})
_REACH = 200
_MOST_RAISED = 2


def with_list(numbers: list[int], failure: Failure, beside: Sequence[Failure], most: int) -> list[int]:
    """`numbers` and the lines of what the same tool goes on to tell below, of `most` lines at most."""
    if failure.kind not in _LISTED:
        return numbers
    near, far = _NEAR, _FAR
    if failure.kind == "error-line":
        near, far = (1 if failure.role == "root" else _NEAR + 1), 0
    last = numbers[-1]
    for other in beside:
        if other.reader != failure.reader or other.kind != failure.kind or other.first_line <= last:
            continue
        apart = other.first_line - last
        begin = last + 1 if apart <= near else other.first_line
        if apart > max(near, far) or len(numbers) + other.last_line - begin >= most:
            break
        numbers = [*numbers, *range(begin, other.last_line + 1)]
        last = numbers[-1]
    return numbers


def raised_as(failure: Failure, beside: Sequence[Failure]) -> list[int]:
    """The lines that tell as what `failure` was raised again: what callers, and most readers, know it by."""
    if failure.kind not in _RAISED:
        return []
    place = next((at for at, one in enumerate(beside) if one is failure), None)
    lines: list[int] = []
    while place is not None and len(lines) < _MOST_RAISED:
        place = next((at for at, one in enumerate(beside) if _raises(one, failure, place)), None)
        if place is not None:
            lines.append(beside[place].line)
    return lines


def _raises(one: Failure, failure: Failure, place: int) -> bool:
    again = one.caused_by == place and one.kind in _RAISED and one.message != failure.message and bool(one.type)
    return again and one.process == failure.process and 0 < one.line - failure.line <= _REACH
