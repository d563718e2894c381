"""The log of a CI job: what failed in it stands in a step that failed."""

from collections.abc import Sequence

from kb.failures.found import Find
from kb.failures.roles import judge
from kb.failures.step_words import step_words
from kb.failures.steps import Spans, failed_steps
from kb.failures.streams import Stream

_ASIDE = "it stands in a step that did not fail"


def in_failed_steps(streams: Sequence[Stream], finds: list[Find]) -> list[Find]:
    """`finds` with those of other steps set aside, and what a failed step said where it holds no failure.

    The first failed step that tells a failure is taken: what runs after it may fail for want of it.
    """
    steps = [(stream, step) for stream in streams for step in failed_steps(stream)]
    spans = [
        # A step may begin in another stream than its end stands in: what follows the line before it is its own.
        (stream[step.start - 1].number + 1 if step.start else 1, stream[step.end].number)
        for stream, step in steps
        if step.start < step.end
    ]
    if not spans:
        return finds
    judged, _ = judge(finds)
    roots = [j.find for j in judged if j.role == "root"]
    before_end = Spans(spans)
    inside = [find for find in roots if find.at.number in before_end]
    more: list[Find] = []
    if not inside:
        taken = frozenset().union(*(find.lines for find in finds))
        for stream, step in steps:
            more = list(step_words(stream, step.start, step.end, taken))
            if more:
                break
    if inside or more:
        whole = Spans((first, last + 1) for first, last in spans)
        for find in roots:
            if find.at.number not in whole:
                find.aside = _ASIDE
    return sorted([*finds, *more], key=lambda find: (find.at.number, find.first))
