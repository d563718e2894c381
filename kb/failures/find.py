"""From a log to its failures: streams, readers, roles."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from kb.failures.clock import seconds
from kb.failures.complaints import parting_words
from kb.failures.found import Find
from kb.failures.headed import with_heads
from kb.failures.lines import clean, decode, raw_lines
from kb.failures.many import bounded
from kb.failures.mild import likely, mark_mild, without_handled
from kb.failures.model import Failure, Link
from kb.failures.one_request import WORDS as REQUEST_WORDS
from kb.failures.one_request import set_requests_aside
from kb.failures.pasted import mend
from kb.failures.printed import told_in_report
from kb.failures.readers import general
from kb.failures.registry import LINE_STARTS, Reader, called
from kb.failures.roles import Judged, judge
from kb.failures.steps import WORDS as STEP_WORDS
from kb.failures.streams import Stream, split_streams

_QUIET = frozenset({"info", "debug", "trace"})
#: What the launcher says of a worker that failed, before it starts all of them anew, or ends.
_NEW_ATTEMPT = "failed (exitcode: "
#: So much of a raw line is kept as the text of a failure; one record may hold thousands of them.
_LONGEST_TEXT = 4000
_BEFORE_MESSAGE = 500
#: A message of more characters is cut, and says so.
_LONGEST_MESSAGE = 16_000


class Found(NamedTuple):
    """The failures of one log in the order of their lines, which of them is the primary, and what else to say.

    `primary` is the root failure; when only symptoms are in the log it is the first of them, and `symptom_only` holds.
    """

    failures: tuple[Failure, ...]
    primary: int | None
    lines: int
    symptom_only: bool = False
    hints: tuple[str, ...] = ()


def find_failures(data: bytes | str) -> Found:
    """All failures in a log, each with its role and the reasons for it. Linear in the size of `data`; never raises."""
    raw = raw_lines(decode(data))
    return conclude(read_lines(raw), lambda number: raw[number - 1], len(raw))


def read_lines(raw: Sequence[str]) -> list[Find]:
    """What all readers find in these lines, numbered from 1, in the order of the lines."""
    seen, numbers = mend([clean(line) for line in raw])
    streams = split_streams(seen, numbers)
    loud = _loud(streams, dict(zip(numbers or range(1, len(seen) + 1), seen, strict=True)))
    readers = called(loud)
    finds: list[Find] = []
    harmless = False
    requests = any(word in loud for word in REQUEST_WORDS)
    for stream in streams:
        mine = _read(stream, readers)
        mine.extend(general.read(stream, frozenset().union(*(find.lines for find in mine if not likely(find)))))
        mark_mild(mine)
        harmless = harmless or any(find.harmless for find in mine)
        mine = [find for find in mine if not find.harmless]
        told_in_report(stream, mine)
        with_heads(stream, mine)
        if requests:
            set_requests_aside(stream, mine)
        finds.extend(mine)
    finds.sort(key=lambda f: (f.at.number, f.first))
    if finds and any(word in loud for word in STEP_WORDS):
        from kb.failures.job import in_failed_steps  # most logs are no jobs of a CI service

        finds = in_failed_steps(streams, finds)
    if len(finds) > 1 and _NEW_ATTEMPT in loud:
        from kb.failures.attempts import in_last_attempt  # few launchers try again

        in_last_attempt(streams, finds)
    if not finds and not harmless:
        finds.extend(parting_words(streams))
    elif finds and judge(without_handled(finds))[1] is None:
        from kb.failures.last_words import last_words  # few logs come to this, and start-up counts

        finds.extend(last_words(streams, finds))
        finds.sort(key=lambda f: (f.at.number, f.first))
    return finds


def conclude(finds: list[Find], line: Callable[[int], str], total: int) -> Found:
    """The answer that `finds` make: roles, the primary, and what else to say; `line` gives a raw line by its number."""
    judged, primary = judge(bounded(without_handled(finds)))
    failures = _failures(judged, line)
    if primary is not None:
        return Found(failures, judged.index(primary), total)
    if not judged:
        return Found((), None, total)
    from kb.failures.hints import hints  # few logs come to this, and start-up counts

    return Found(failures, _first_symptom(judged), total, True, hints(judged, line))


def _loud(streams: list[Stream], seen: dict[int, str]) -> str:
    """The lines that may hold a failure: all but those whose own level says that all is well."""
    loud: dict[str, None] = {}  # each text once: logs repeat themselves, and searching them is what costs
    for stream in streams:
        for line in stream:
            if line.level not in _QUIET:
                loud[line.text if line.unfolded else seen[line.number]] = None
                if line.text.startswith(LINE_STARTS):
                    loud[line.text] = None  # behind a prefix it begins no line
    return "\n".join(loud)


def _read(stream: Stream, readers: tuple[Reader, ...]) -> list[Find]:
    """What the readers find in one stream; of two that claim a line, the whole report, then the earlier reader."""
    finds = [find for reader in readers for find in reader.read(stream)]
    owner: dict[int, str] = {}
    for weight in (-1, 0, 1, 2):
        for find in finds:
            if find.weight == weight:
                for number in find.lines:
                    owner.setdefault(number, find.reader)
    return [find for find in finds if owner.get(find.at.number, find.reader) == find.reader]


def _first_symptom(judged: list[Judged]) -> int:
    """The symptom nearest to the root: cascades, wrappers, after-effects; whole ones first, then the first."""
    rank = {"cascade": 0, "wrapper": 1, "teardown": 2, "root": 0}
    return min(
        range(len(judged)), key=lambda i: (rank[judged[i].role], not judged[i].find.complete, judged[i].find.at.number)
    )


def _failures(judged: list[Judged], line: Callable[[int], str]) -> tuple[Failure, ...]:
    place = {id(j.find): i for i, j in enumerate(judged)}
    return tuple(
        Failure(
            kind=j.find.kind,
            type=j.find.type,
            message=_bounded(j.find.message),
            line=j.find.at.number,
            first_line=j.find.first,
            last_line=j.find.last,
            text=_text(j.find, line(j.find.at.number)),
            language=j.find.language,
            process=j.find.process or None,
            frames=j.find.frames,
            notes=j.find.notes,
            links=tuple(Link(relation, place[id(f)]) for relation, f in j.find.inner if id(f) in place),
            time=seconds(j.find.at.time) if j.find.at.time else None,
            reader=j.find.reader,
            complete=j.find.complete,
            role=j.role,
            because=tuple(j.because),
            caused_by=place.get(id(j.caused_by)) if j.caused_by is not None else None,
            spans=_spans(j.find),
        )
        for j in judged
    )


def _bounded(message: str) -> str:
    rest = len(message) - _LONGEST_MESSAGE
    return message if rest <= 0 else f"{message[:_LONGEST_MESSAGE]}[... {rest} characters left out ...]"


def _text(find: Find, raw: str) -> str:
    """The raw line of `find`; of one too long to repeat, or of its own line in the record, what shows the failure."""
    if len(raw) <= _LONGEST_TEXT:
        return raw
    whole = find.at.text if find.at.unfolded else raw
    place = whole.find(find.message.split("\n", 1)[0][:_BEFORE_MESSAGE])
    start = place - _BEFORE_MESSAGE if place > _LONGEST_TEXT // 2 else 0
    return whole[start : start + _LONGEST_TEXT]


def _spans(find: Find) -> tuple[tuple[int, int], ...]:
    """The runs of lines that belong to `find`; none when it is one run from its first line to its last."""
    runs: list[tuple[int, int]] = []
    for number in sorted(find.lines):
        if runs and runs[-1][1] == number - 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return tuple(runs) if runs != [(find.first, find.last)] else ()
