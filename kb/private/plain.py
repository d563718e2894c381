"""A line as a person reads it, without colours and cursor movements, and where each of its bytes stood."""

from __future__ import annotations

import re

#: Escape sequences of terminals: control sequences, what opens and closes an operating system command (a title, a
#: link: the text inside is text, and may hold a secret), and the short ones.
ESCAPES = re.compile(rb"\x1b(?:\[[0-9:;<=>?]*[ -/]*[@-~]|\][0-9]*;?|[PX^_]|\\|[ -/]*[0-OQ-WYZ`-~])|\x07")


def without_escapes(data: bytes) -> bytes:
    """`data` without escape sequences; as many lines as before."""
    return ESCAPES.sub(b"", data) if b"\x1b" in data else data


class Places:
    """Where the bytes of a line without escape sequences stand in the line with them."""

    def __init__(self, raw: bytes) -> None:
        #: The line as it was printed.
        self.raw = raw
        #: The line without escape sequences.
        self.plain = raw
        #: (where in the plain line, where it begins and ends in the raw one) of each sequence.
        self._sequences: list[tuple[int, int, int]] = []
        if b"\x1b" not in raw:
            return
        removed = 0
        for match in ESCAPES.finditer(raw):
            self._sequences.append((match.start() - removed, match.start(), match.end()))
            removed += match.end() - match.start()
        self.plain = ESCAPES.sub(b"", raw)

    def replaced(self, spans: list[tuple[int, int, bytes]]) -> bytes:
        """The raw line with the plain `spans` (ascending, apart) replaced; sequences inside them stay, behind them."""
        if not self._sequences:
            return _joined(self.raw, spans)
        raw_spans, sequences, index = [], self._sequences, 0
        removed = 0
        for start, end, text in spans:
            while index < len(sequences) and sequences[index][0] <= start:
                removed += sequences[index][2] - sequences[index][1]
                index += 1
            raw_start, kept = start + removed, []
            while index < len(sequences) and sequences[index][0] < end:
                kept.append(self.raw[sequences[index][1] : sequences[index][2]])
                removed += sequences[index][2] - sequences[index][1]
                index += 1
            raw_spans.append((raw_start, end + removed, text + b"".join(kept)))
        return _joined(self.raw, raw_spans)


def _joined(line: bytes, spans: list[tuple[int, int, bytes]]) -> bytes:
    pieces: list[bytes] = []
    at = 0
    for start, end, text in spans:
        pieces += (line[at:start], text)
        at = end
    return b"".join((*pieces, line[at:]))
