"""From the bytes of a log to clean lines: decoding, colours, carriage returns, control characters."""

from __future__ import annotations

import codecs
import io
from typing import BinaryIO, cast

from kb.expressions import late

#: CSI, OSC (with hyperlinks), DCS/APC/PM strings, and two-byte escapes; bounded so that a lone introducer eats nothing.
_ANSI = late(
    r"\x1b(?:"
    r"\[[0-?]{0,64}[ -/]{0,8}[@-~]"
    r"|[\]PX^_][^\x07\x1b\r\n]{0,2048}(?:\x07|\x1b\\)"
    r"|[ -/]{0,4}[0-Z\\^-~]"
    r")"
)
#: Colour codes that lost their ESC in copying: `[1;36m(`, `[0;0m`, or ESC written as `^[` or as JSON's `\u001b`.
_LOST_ESCAPE = late(
    r"(?:\^\[|\u241b|(?<!\\)\\u001[bB])\[[0-9;]{0,16}m|\[(?:\d{1,2};){1,4}\d{1,3}m|"
    r"(?<![\w\])])\[(?:0|1|3[0-7])m|(?<=[\w)\]])\[0m"
)
#: What Ray appends to a line that many of its workers wrote.
_REPEATED = late(r" ?\[repeated \d{1,9}x across cluster\](?: \(Ray deduplicates logs.*)?$")
#: What CI writes to fold and to time its lines, and then erases; in a copy the codes that erase may be lost.
_FOLDS = late(
    r"(?:travis_(?:fold|time):(?:start|end):[\w.:=,-]{1,200}?"
    r"|section_(?:start|end):\d{1,12}:[\w.-]{1,200}(?:\[[^\]\r\n]{0,200}\])?)(?:\r?\x1b?\[0K|\r|$)"
)
_CONTROL = late(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x85\u2028\u2029\ufeff]")


#: A part of a line that a carriage return hid is kept if it holds one of these, in lower case.
_TELLING = ("error", "exception", "traceback", "fatal", "panic", "failed", "killed", "aborted", "segmentation fault")
#: What a progress bar shows: it repeats itself, and hides nothing.
_RATES = ("it/s", "s/it")
_PROGRESS = ("%|", "it/s", "s/it", "eta ", "B/s")


def decode(data: bytes | str) -> str:
    """The text of a log.

    UTF-8, unless a byte order mark or NUL bytes say UTF-16. A line that is not UTF-8 is read as Windows-1252, which
    Latin-1 is a part of, unless most of it is UTF-8 that was cut; what cannot be read becomes U+FFFD.
    """
    if isinstance(data, str):
        return data
    wide = _wide(data)
    if wide:
        return data.decode(wide, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return "\n".join(map(decode_line, data.split(b"\n")))


def _wide(data: bytes) -> str:
    """The name of the UTF-16 that `data` begins in, or ""."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    even, odd = data[0:64:2], data[1:64:2]
    if len(data) >= 4 and _mostly_nul(odd) and not _mostly_nul(even):
        return "utf-16-le"
    if len(data) >= 4 and _mostly_nul(even) and not _mostly_nul(odd):
        return "utf-16-be"
    return ""


class _Wide(io.RawIOBase):
    """A stream of UTF-16 read as UTF-8, so that bytes can be searched."""

    def __init__(self, stream: BinaryIO, encoding: str, begun: bytes) -> None:
        """`begun` was read from `stream` already."""
        super().__init__()
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._begun = begun

    def read(self, size: int = -1) -> bytes:
        """The next bytes, more or fewer than `size`; none at the end."""
        while True:
            data, self._begun = self._begun or self._stream.read(size), b""
            text = self._decoder.decode(data, not data)
            if text or not data:
                return text.encode("utf-8", "replace")


def as_utf8(stream: BinaryIO) -> BinaryIO:
    """`stream`, or when it begins in UTF-16 a stream of the same text in UTF-8."""
    begun = stream.read(64)
    wide = _wide(begun)
    if wide:
        return cast(BinaryIO, _Wide(stream, wide, begun))
    return cast(BinaryIO, _Begun(stream, begun))


class _Begun(io.RawIOBase):
    """A stream of which some bytes were read, and are given again."""

    def __init__(self, stream: BinaryIO, begun: bytes) -> None:
        super().__init__()
        self._stream = stream
        self._begun = begun

    def read(self, size: int = -1) -> bytes:
        """The next bytes, perhaps fewer than `size`; none at the end."""
        begun, self._begun = self._begun, b""
        return begun or self._stream.read(size)


def _mostly_nul(some: bytes) -> bool:
    return some.count(0) > 0.8 * len(some)


def decode_line(line: bytes) -> str:
    """The text of one line: UTF-8, else Windows-1252, unless most of it is UTF-8 that was cut."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        text = line.decode("utf-8", "replace")
    lost = text.count("\ufffd")
    if len(text) - len(text.encode("ascii", "ignore")) > 2 * lost:
        return text
    return line.decode("cp1252", "replace")


def _kept(hidden: list[str]) -> list[str]:
    """The parts that tell of an error, and what follows them; neither progress bars nor repetitions."""
    kept: list[str] = []
    for part in map(_past_bar, hidden):
        tells = _tells(part)
        follows = bool(kept) and part.strip() and not any(word in part for word in _PROGRESS)
        if (tells or follows) and part not in kept[-1:]:
            kept.append(part)
    return kept


def _past_bar(line: str) -> str:
    """What was printed right behind a progress bar, which ends without a line end; without a bar `line` itself."""
    for rate in _RATES:
        at = line.rfind(rate)
        if at >= 0:
            rest = line[at:].partition("]")[2]
            return rest if rest.strip() else line
    return line


def _tells(part: str) -> bool:
    lower = part.lower()
    return any(word in lower for word in _TELLING)


def raw_lines(text: str) -> list[str]:
    """The raw lines of `text`: only `\\n` ends a line, so that numbers agree with every editor and `grep -n`."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return lines


def clean(line: str) -> str:
    """`line` as a person saw it: no colours, only what a carriage return left visible, no control characters.

    An error text that was written over is kept: it stands before the visible text, each as a line of its own.
    """
    if "travis_" in line or "section_" in line:
        line = _FOLDS.sub("", line)
    if "\x1b" in line:
        line = _ANSI.sub("", line)  # first: a colour code behind a carriage return hides nothing
    if "\r" in line:
        line = line.rstrip("\r")
        if "\r" in line:
            *hidden, line = line.split("\r")
            kept = _kept(hidden)
            if kept:
                return "\n".join(map(clean, [*kept, line]))
    if "it/s" in line or "s/it" in line:
        line = _past_bar(line)
    if "0m" in line or "^[" in line or "\u241b" in line or (";" in line and "[" in line):
        line = _LOST_ESCAPE.sub("", line)
    if "x across cluster]" in line:
        line = _REPEATED.sub("", line)
    if line.endswith("^M"):
        line = line[:-2]
    if not (line.isascii() and line.isprintable()):
        line = _CONTROL.sub("", line)
        if line.startswith("\xa0"):  # so that no collector strips the margin of a traceback
            line = line.replace("\xa0", " ")
    return line
