"""Errors of one request that a server answered and survived: not what ended the program, if something else did."""

from collections.abc import Sequence

from kb.expressions import late
from kb.failures.found import Find
from kb.failures.streams import Stream

#: Words of which a log must hold one to tell of such a request.
WORDS = (
    "Exception on /", "Internal Server Error: /", "Exception in ASGI application", "rror handling request",
    "Uncaught exception GET /", "Uncaught exception POST /", "Unhandled exception while processing request",
)  # fmt: skip
_REQUEST = late(
    r"Exception on /\S{0,1000} \[[A-Z]{3,7}\]|Internal Server Error: /|Exception in ASGI application"
    r"|[Ee]rror handling request|Uncaught exception (?:GET|POST|PUT|DELETE|PATCH) /"
    r"|Unhandled exception while processing request"
)
_LONGEST = 2_000
_HEAD = "Traceback (most recent call last)"
#: So many lines may follow what ended a program.
_AFTER = 5
_ASIDE = "a request failed, the server went on, and another error ended it"


def set_requests_aside(stream: Stream, finds: Sequence[Find]) -> None:
    """Sets aside the errors of requests among `finds`, of one stream, where its last exception ended the program.

    That one is printed by the runtime itself, outside the records of the program, and hardly anything follows it.
    """
    raised = [find for find in finds if find.kind == "exception" and find.complete]
    place = {line.number: at for at, line in enumerate(stream)}
    last = max(raised, key=lambda find: find.first, default=None)
    if last is None or len(raised) < 2 or last.first not in place or last.last not in place:
        return
    head, end = stream[place[last.first]], place[last.last]
    uncaught = head.text.startswith(_HEAD) and not head.record and not _of_request(stream, place[last.first])
    if not uncaught or sum(1 for line in stream[end + 1 :] if line.text.strip()) > _AFTER:
        return
    for find in raised:
        at = place.get(find.first)
        if find.last >= last.first or at is None or not _of_request(stream, at):
            continue
        between = stream[place[find.last] + 1 : place[last.first]]
        if any(line.record and line.level not in ("error", "fatal") for line in between):
            find.aside = _ASIDE


def _of_request(stream: Stream, at: int) -> bool:
    near = stream[max(at - 1, 0) : at + 1]
    return any(_REQUEST.search(line.text[:_LONGEST]) for line in near)
