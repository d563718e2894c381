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
#: Java prints the outer exceptions first, with a stack each.
_MOST_ABOVE = 4


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
        if failure.kind != "error-line" and failure.role == "root" and other.role == "wrapper":
            break
        apart = other.first_line - last
        begin = last + 1 if apart <= near else other.first_line
        if apart > max(near, far) or len(numbers) + other.last_line - begin >= most:
            break
        numbers = [*numbers, *range(begin, other.last_line + 1)]
        last = numbers[-1]
    return numbers


def raised_as(failure: Failure, beside: Sequence[Failure]) -> list[Failure]:
    """As what `failure` was raised again: what callers, and most readers, know it by; the nearest first."""
    if failure.kind not in _RAISED:
        return []
    place = next((at for at, one in enumerate(beside) if one is failure), None)
    found: list[Failure] = []
    for _ in range(_MOST_ABOVE):
        place = next((at for at, one in enumerate(beside) if _raises(one, failure, place)), None)
        if place is None or (beside[place].line > failure.line and len(found) >= _MOST_RAISED):
            break
        found.append(beside[place])
    return found


def _raises(one: Failure, failure: Failure, place: int | None) -> bool:
    if place is None or one.caused_by != place or one.kind not in _RAISED or not one.type:
        return False
    near = one.line != failure.line and abs(one.line - failure.line) <= _REACH
    return near and one.message != failure.message and one.process == failure.process
