"""PHP: uncaught exceptions with those they came from, fatal and parse errors, exceptions as Monolog writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.readers.logged import harmless
from kb.failures.streams import Stream

NAME = "php"
ABOUT = "PHP: uncaught exceptions with previous ones, fatal and parse errors, exceptions in Monolog"
EXAMPLE = """\
PHP Fatal error:  Uncaught TypeError: price(): Return value must be of type int, null returned in /srv/shop/order.php:3
Stack trace:
#0 /srv/shop/order.php(4): price()
#1 {main}

Next StockException: no total for A-9 in /srv/shop/order.php:4
Stack trace:
#0 {main}
  thrown in /srv/shop/order.php on line 4
"""

_TYPE = r"(?P<type>\\?[A-Za-z_][\w\\]{0,300})"
_UNCAUGHT = re.compile(rf"(?:PHP )?(?:Fatal error|Fatal): +Uncaught {_TYPE}(?:: (?P<message>.*)| in .*)$")
_NEXT = re.compile(rf"Next {_TYPE}(?:: (?P<message>.*)| in .*)$")
_IN = re.compile(r"(?: |^)in (?P<file>(?:[A-Za-z]:)?[^\s:]{1,1000}):(?P<line>\d{1,7})$")
_FATAL = re.compile(
    r"(?:PHP )?(?P<type>Fatal error|Parse error|Compile error|Recoverable fatal error): +"
    r"(?!Uncaught )(?P<message>\S.*)$"
)
_ON_LINE = re.compile(r"(?P<message>.*) in (?P<file>\S[^\n]{0,1000}) on line (?P<line>\d{1,7})$")
_FRAME = re.compile(
    r"#\d{1,5} (?:(?P<file>[^\n(]{1,1000})\((?P<line>\d{1,7})\)|\[internal function\]): (?P<function>[^\s(]{1,400})\("
)
_CALLED = re.compile(r", called in \S{1,500} on line \d{1,7}(?: and defined)?$")
_CONSOLE = re.compile(r"In (?P<file>[\w.-]{1,200}\.php) line (?P<line>\d{1,7}):$")
_CLASS = re.compile(r"\[(?P<type>[A-Z][\w\\]{1,200})(?: \([\w-]{1,20}\))?\]$")
_END = re.compile(r"#\d{1,5} \{main\}|\[stacktrace\]|Stack trace:$|\s+thrown in |\[previous exception\]")
_MONOLOG = re.compile(
    r"(?P<head>.{0,4000}?)\{\"(?:exception|userId\":\d{1,12},\"exception)\":\"\[object\] \((?P<type>[\w\\]{1,300})"
    r"\(code: [^)\n]{0,40}\): (?P<message>.*) at (?P<file>[^\s:]{1,500}):(?P<line>\d{1,7})\)"
)
_PREVIOUS = re.compile(
    r"\[previous exception\] \[object\] \((?P<type>[\w\\]{1,300})\(code: [^)\n]{0,40}\): "
    r"(?P<message>.*) at (?P<file>[^\s:]{1,500}):(?P<line>\d{1,7})\)"
)


def read(lines: Stream) -> Iterator[Find]:
    """Every uncaught exception and fatal error; the first of a chain is the root, each `Next` came from it."""
    index = 0
    while index < len(lines):
        text = lines[index].text
        # Web servers put their own words before it.
        text = text[max(text.find("PHP "), 0) :]
        finds: list[Find] = []
        if (match := _UNCAUGHT.match(text)) is not None:
            finds, index = _uncaught(lines, index, match)
        elif (fatal := _FATAL.match(text)) is not None:
            finds = _fatal(lines, index, fatal)
            index += 1
        elif (console := _CONSOLE.match(text)) is not None:
            find, index = _console(lines, index, console)
            finds = [find] if find else []
        elif "[object] (" in text and (logged := _MONOLOG.match(text)) is not None:
            finds, index = _logged(lines, index, logged)
        else:
            index += 1
        yield from finds


def _console(lines: Stream, at: int, head: re.Match[str]) -> tuple[Find | None, int]:
    """What Symfony's console (Composer, Laravel) draws of an exception: where, and a block wrapped to the terminal."""
    index = at + 1
    while index < min(at + 4, len(lines)) and not lines[index].text.strip():
        index += 1
    first, said = index, []
    while index < min(first + 40, len(lines)) and lines[index].text.startswith("  ") and lines[index].text.strip():
        said.append(lines[index].text.strip())
        index += 1
    if not said or first == at + 1:
        return None, at + 1
    named = _CLASS.match(said[0])
    texts = said[1:] if named and len(said) > 1 else said
    where = first + (texts is not said)
    frame = Frame(head["file"], "", int(head["line"]))
    name = named["type"] if named else "error"
    find = spotted(NAME, "error", name, "\n".join(texts), lines[where], lines[at:index], language=NAME, frames=(frame,))
    return find, index


def _fatal(lines: Stream, at: int, match: re.Match[str]) -> list[Find]:
    """A fatal error, which PHP prints with its place: without one it is another language's."""
    placed = _ON_LINE.match(match["message"][:4000])
    if placed is None:
        return []
    frames = (Frame(placed["file"], "<module>", int(placed["line"])),)
    line = lines[at]
    return [spotted(NAME, "error", match["type"], placed["message"], line, [line], language=NAME, frames=frames)]


def _uncaught(lines: Stream, at: int, match: re.Match[str]) -> tuple[list[Find], int]:
    finds: list[Find] = []
    index = at
    head: re.Match[str] | None = match
    while head is not None:
        find, end = _one(lines, index, head)
        if finds:
            find.inner.append(("cause", finds[-1]))
        finds.append(find)
        index = end
        while index < len(lines) and not lines[index].text.strip() and index - end < 2:
            index += 1
        head = _NEXT.match(lines[index].text) if index < len(lines) else None
        if head is None:
            return finds, end
    return finds, index


def _one(lines: Stream, at: int, match: re.Match[str]) -> tuple[Find, int]:
    """One exception: a message of one or more lines that ends with its place, then its stack."""
    texts = [match["message"] if match["message"] is not None else lines[at].text.partition(match["type"])[2]]
    index = at + 1
    while (
        index < min(at + 30, len(lines)) and not _END.match(lines[index].text) and not _FRAME.match(lines[index].text)
    ):
        texts.append(lines[index].text)
        index += 1
    if index >= min(at + 30, len(lines)):
        texts, index = texts[:1], at + 1
    # In the logs of web servers a whole report is one line, with its line ends escaped.
    message = "\n".join(texts).partition("\\nStack trace:")[0]
    place = _IN.search(message)
    frames: list[Frame] = []
    if place is not None:
        message = _CALLED.sub("", message[: place.start()])
        frames.append(Frame(place["file"], "", int(place["line"])))
    calls, end = _stack(lines, index)
    return (
        spotted(
            NAME,
            "exception" if message.strip() else "error",
            match["type"].lstrip("\\"),
            message.strip(),
            lines[at],
            lines[at:end],
            language=NAME,
            frames=tuple(reversed(_shifted(frames, calls))),
        ),
        end,
    )


def _stack(lines: Stream, index: int) -> tuple[list[Frame], int]:
    """The calls, innermost first: a line of PHP's stack names the function that was called, and from where."""
    calls: list[Frame] = []
    while index < len(lines):
        text = lines[index].text
        match = _FRAME.match(text)
        if match is not None:
            name = re.split(r"->|::", match["function"])[-1].rpartition("\\")[2]
            calls.append(Frame(match["file"] or "", name, int(match["line"] or 0)))
        elif not _END.match(text) or "previous exception" in text:
            break
        index += 1
    return calls, index


def _shifted(place: list[Frame], calls: list[Frame]) -> list[Frame]:
    """Frames as other languages have them: each function with the place reached inside it."""
    places = [*place, *(Frame(c.file, "", c.line) for c in calls)]
    names = [c.function for c in calls] + ["<module>"]
    return [Frame(p.file, "<module>" if n == "{closure}" else n, p.line) for p, n in zip(places, names, strict=False)]


def _logged(lines: Stream, at: int, match: re.Match[str]) -> tuple[list[Find], int]:
    """Monolog's record: the exception as text in its context, its stack on the next lines, then previous exceptions."""
    finds: list[Find] = []
    head: re.Match[str] | None = match
    index = at
    while head is not None:
        calls, end = _stack(lines, index + 1)
        frames = _shifted([Frame(head["file"], "", int(head["line"]))], calls)
        name, message = head["type"].replace("\\\\", "\\"), head["message"]
        find = spotted(
            NAME, "error", name, message, lines[index], lines[index:end], language=NAME, frames=tuple(reversed(frames))
        )
        find.harmless = harmless(lines, at) if lines[at].level else ""
        if finds:
            finds[-1].inner.append(("cause", find))
        finds.append(find)
        index = end
        while index < min(end + 2, len(lines)) and not lines[index].text.strip():
            index += 1
        head = _PREVIOUS.match(lines[index].text) if index < len(lines) else None
        if head is None:
            return finds, end
    return finds, index
