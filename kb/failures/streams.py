"""Taking a log apart: each process writes its own stream, and a log holds several at once."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kb.failures.bare_times import untimed
from kb.failures.collisions import Collisions, label_of
from kb.failures.framing import UNFRAMED, Framed, Framing
from kb.failures.framing import label_of as label_of_line
from kb.failures.json_lines import LOGFMT_STARTS, Record, looks_logfmt, unfold, unfold_logfmt
from kb.failures.listed import looks_listed, unfold_listed
from kb.failures.prefixes import Peeled, peel
from kb.failures.spread_json import Spread, looks_spread, records

#: Envelopes in envelopes: a collector's record of a container's record of a program's record.
_DEPTH = 4
#: A line that a collector cut into pieces is put together up to this many characters.
_LONGEST = 1 << 20
_HEADER = "Traceback (most recent call last)"
_NOTHING = Peeled("", "", "", "", "", False)


class Line(NamedTuple):
    """One line of a stream: its raw 1-based number, its own text, and what its prefixes said.

    A line without a process label of its own carries that of the record it continues. `unfolded` says that the text is
    not to be seen in the raw line, but in a field of it; `tangled` that lines of other processes could not be told from
    those around it. `key` names the stream, with the process id where one was printed. `within` is the level of the
    structured record that the text is a further line of, or of whose traceback.
    """

    number: int
    text: str
    process: str
    level: str
    time: str
    record: bool
    labelled: bool
    unfolded: bool = False
    tangled: bool = False
    key: str = ""
    within: str = ""


Stream = list[Line]

#: Levels below that of an error, as a line has them.
MILD = frozenset({"debug", "info", "warning"})


class _Piece(NamedTuple):
    """A line of a program out of its envelopes: what its prefixes said, and the raw number of its first part."""

    peeled: Peeled
    number: int
    unfolded: bool = False
    within: str = ""


def split_streams(lines: Sequence[str], numbers: Sequence[int] | None = None) -> list[Stream]:
    """The streams of the clean lines, in the order of their first line; lines without a label form one of their own.

    A clean line that holds more than one visible text (see `lines.clean`) counts as that many lines of one number.
    `numbers` are the lines' raw numbers where lines between them were left out.
    """
    splitter = _Splitter(Framing(lines))
    spread = records(lines) if looks_spread(lines) else {}
    for place, whole in enumerate(lines, 1):
        number = numbers[place - 1] if numbers else place
        if place in spread:
            splitter.add_record(spread[place])
        elif "\n" in whole:
            for text in whole.split("\n"):
                splitter.add(number, text, unfolded=True)
        else:
            splitter.add(number, whole)
    return splitter.finish()


class _Splitter:
    """Gives each line to the stream of the process that wrote it."""

    def __init__(self, framing: Framing) -> None:
        self._streams: dict[str, Stream] = {}
        self._said: dict[str, tuple[str, str]] = {}
        self._collisions = Collisions()
        self._framing = framing
        self._pipes: dict[str, _Piece] = {}
        self._heads = 0
        self._last: Stream = []
        self._now = ""

    def add(self, number: int, text: str, *, unfolded: bool = False) -> None:
        framed = self._framing.take(text)
        if framed is None:
            framed = UNFRAMED
        elif framed.gap:
            self._end_of_section(number)
            return
        else:
            text = framed.text
        if looks_logfmt(text) and (record := unfold_logfmt(text)) is not None:
            for piece in _told(record, _NOTHING, number):
                self._put(piece, framed)
            return
        if looks_listed(text):
            # What stands before the text says how loudly it was logged; inside it each line speaks for itself.
            for piece in _told(unfold_listed(text), _NOTHING, number, peel(text).level):
                self._put(piece, framed)
            return
        peeled = peel(text)
        if self._framing.labels:
            peeled = self._unlabelled(peeled)
        if self._framing.timed and framed.key + peeled.key in self._framing.timed:
            rest, time = untimed(peeled.text)
            peeled = _inside(peeled._replace(time=time or peeled.time), peel(rest))
        if not peeled.text.startswith("{"):
            if peeled.text.startswith(LOGFMT_STARTS) and (record := unfold_logfmt(peeled.text)) is not None:
                for piece in _told(record, peeled, number):
                    self._put(piece, framed)
            else:
                self._put(_Piece(peeled, number, unfolded), framed)
            return
        for piece in self._unfold(peeled, number, _DEPTH):
            self._put(piece, framed)

    def _unlabelled(self, peeled: Peeled) -> Peeled:
        """`peeled` without the label that a runner of several programs put before the line."""
        name = label_of_line(peeled.text)
        if name not in self._framing.labels:
            return peeled
        outer = peeled._replace(key=f"{peeled.key}{name}|;", process=name, labelled=True)
        return _inside(outer, peel(peeled.text[len(name) + 3 :]))

    def add_record(self, spread: Spread | None) -> None:
        """Adds a record whose JSON was spread over several lines; None stands for its other lines."""
        if spread is not None:
            for piece in self._unfold(_NOTHING._replace(text=spread.text), spread.number, _DEPTH):
                self._put(piece._replace(unfolded=True), UNFRAMED)

    def _end_of_section(self, number: int) -> None:
        """Drops the blank line that stands before the name of the next file."""
        if self._last and self._last[-1].number == number - 1 and not self._last[-1].text:
            self._last.pop()

    def finish(self) -> list[Stream]:
        for piece in self._pipes.values():
            self._put(piece, UNFRAMED)
        if not self._heads:
            return list(self._streams.values())
        from kb.failures.interleaved import gathered  # most logs hold no traceback

        self._forget_lone_label()
        streams = [gathered(stream) for stream in self._streams.values()]
        if self._heads < 2:
            return streams
        return [part for stream in streams for part in _untangle(stream)]

    def _forget_lone_label(self) -> None:
        """A label that stands before every line tells nothing apart: what follows a report may be anybody's."""
        speaking = [key for key, stream in self._streams.items() if any(line.text for line in stream)]
        if len(speaking) == 1 and self._streams[speaking[0]][0].labelled:
            self._streams[speaking[0]] = [line._replace(labelled=False) for line in self._streams[speaking[0]]]

    def _put(self, piece: _Piece, framed: Framed) -> None:
        peeled = piece.peeled
        key = self._collisions.owner(peeled.key, peeled.record)
        process, time = peeled.process, peeled.time or framed.time
        if key != peeled.key:
            process = label_of(key)
        place = framed.key + key
        stream = self._streams.get(place)
        if peeled.record or peeled.level:
            self._said[place] = (process, time)
        elif place in self._said:
            before = self._said[place]
            if not peeled.labelled and self._last is not stream:
                # What has no label and stands behind another's line may continue nothing: it is no older than that.
                before = self._said[place] = (before[0], self._now)
            process, time = process or before[0], time or before[1]
        self._now = time or self._now
        if stream is None:
            stream = self._streams[place] = []
        text = peeled.text
        if text.endswith((" ", "\t")):
            text = text.rstrip(" \t")  # terminals and tables fill lines up; only here no part of a line is to come
        if _HEADER in text:
            self._heads += 1
        self._last = stream
        stream.append(
            Line(
                piece.number,
                text,
                process or framed.process,
                peeled.level,
                time,
                peeled.record,
                peeled.labelled,
                piece.unfolded,
                False,
                key,
                piece.within,
            )
        )

    def _unfold(self, peeled: Peeled, number: int, depth: int) -> Iterator[_Piece]:
        """The lines that the JSON record in `peeled` holds; `peeled` itself when it is none."""
        record = unfold(peeled.text) if depth else None
        if record is None:
            yield _Piece(peeled, number, depth < _DEPTH)
            return
        if not record.carried:
            yield from _told(record, peeled, number)
            return
        outer = _said(record, peeled)
        for whole in self._joined(record, outer, number):
            inner = _inside(outer, peel(whole.peeled.text))
            if inner.text.startswith("{"):
                yield from self._unfold(inner, whole.number, depth - 1)
            else:
                yield _Piece(inner, whole.number, True)

    def _joined(self, record: Record, outer: Peeled, number: int) -> Iterator[_Piece]:
        """The whole lines in a carried record; the last is held back while its pipe owes the rest of it."""
        *whole, last = record.text
        pipe = f"{outer.key}{record.pipe}"
        held = self._pipes.pop(pipe, None) if record.pipe else None
        for index, text in enumerate([*whole, last]):
            before = held if index == 0 else None
            piece = _Piece(
                outer._replace(text=before.peeled.text + text if before else text), before.number if before else number
            )
            if record.part and index == len(whole) and len(piece.peeled.text) < _LONGEST:
                self._pipes[pipe] = piece
            else:
                yield piece


def _told(record: Record, peeled: Peeled, number: int, logged: str | None = None) -> Iterator[_Piece]:
    """The lines of a record that the program wrote itself: its message's, then its traceback's.

    It was `logged` under that level; None where its first line says which.
    """
    outer = _said(record, peeled)
    level = outer.level if logged is None else logged
    for index, text in enumerate(record.text):
        own = peel(text)
        inner = _inside(outer if index == 0 else _further(outer), own)
        yield _Piece(inner, number, True, "" if own.record or index == 0 else level)
        if logged is None and not outer.level and own.record:
            level = own.level  # a program's own record stands in the text, and what follows is of it
    for text in record.trace:
        yield _Piece(_further(outer)._replace(text=text), number, True, level)


def _said(record: Record, peeled: Peeled) -> Peeled:
    """What the record says of its lines, behind the prefixes that stood before it."""
    return Peeled(
        "",
        peeled.key + record.key,
        record.process or peeled.process,
        record.level or peeled.level,
        record.time or peeled.time,
        not record.carried or peeled.record,
        peeled.labelled or (bool(record.key) and not record.carried),
    )


def _inside(outer: Peeled, inner: Peeled) -> Peeled:
    return Peeled(
        inner.text,
        outer.key + inner.key,
        inner.process or outer.process,
        inner.level or outer.level,
        inner.time or outer.time,
        inner.record or outer.record,
        inner.labelled or outer.labelled,
    )


def _further(outer: Peeled) -> Peeled:
    """What is said of the further lines of a record: the level and the beginning are the first line's."""
    return outer._replace(level="", record=False)


def _untangle(stream: Stream) -> Iterator[Stream]:
    """The stream without the tracebacks that others were printed into, and each of these as a stream of its own."""
    from kb.failures.tangles import tangles, unmarked  # few logs hold two tracebacks

    taken: set[int] = set()
    apart: list[Stream] = []
    for tangle in tangles(stream):
        main = tangle.traces[0].places if tangle.traces[0].sure else ()
        taken.update(place for place in range(tangle.start, tangle.end) if place not in main)
        for trace in tangle.traces[1:] if main else tangle.traces:
            lines = [stream[place] for place in trace.places]
            apart.append(
                lines if trace.sure else [line._replace(text=unmarked(line.text), tangled=True) for line in lines]
            )
    yield [line for place, line in enumerate(stream) if place not in taken] if taken else stream
    yield from apart
