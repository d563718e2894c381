"""Elixir: exceptions, exits and throws, processes that terminated, compile errors."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.streams import Stream

NAME = "elixir"
ABOUT = "Elixir: exceptions, exits, terminating GenServers and tasks, compile errors"
EXAMPLE = """\
14:05:23.709 [error] GenServer Depot.Bin terminating
** (KeyError) key "bolt-M8" not found in: %{}
    depot.exs:5: Depot.Bin.handle_call/3
    (stdlib 4.2) gen_server.erl:1149: :gen_server.try_handle_call/4
Last message (from Depot.Desk): {:take, "bolt-M8", 1}
"""

_HEAD = re.compile(r"(?P<indent>\s{0,60})\*\* \((?P<type>[A-Za-z][\w.]{0,200})\) ?(?P<message>.*)$")
_EXIT = re.compile(r"(?P<indent>\s{0,60})\*\* \(EXIT(?: from #PID<[\d.]{1,40}>)?\) ?(?P<message>.*)$")
_FRAME = re.compile(
    r"\s{2,60}(?:\((?P<app>[\w-]{1,80})(?: [^)\n]{1,60})?\) )?(?:(?P<file>[^\s:]{1,500}):(?P<line>\d{1,7}): )?"
    r"(?P<function>:?[\w.\"\\/<>?!@-]{1,300}(?:/\d{1,3}|\(.{0,2000}\))"
    r"|anonymous fn/\d{1,3} in \S{1,300}|\((?:file|module)\))(?: \(.{0,100}\))?$"
)
_TITLE = re.compile(
    r"(?:GenServer|Task|Process|gen_server|Ranch|:gen_\w+|State machine|Agent) (?P<name>\S{1,200})"
    r"(?: started from \S{1,200})?(?: \(.{0,200}\))? (?:terminating|raised an exception|exited|terminated)"
)
_ERROR = re.compile(r"\s{0,8}(?:error: |\*\* \(CompileError\) )(?P<message>\S.*)$")
_PLACE = re.compile(
    r"\s{2,12}(?:└─ )?(?P<file>\S{1,400}\.exs?):(?P<line>\d{1,7})(?::\d{1,5})?(?:: (?P<function>\S{1,200}))?$"
)
_AT_START = re.compile(r"(?P<file>[^\s:]{1,400}\.exs?):(?P<line>\d{1,7})(?::\d{1,5})?: ")
_ANONYMOUS = re.compile(r"anonymous fn/\d{1,3} in ")
_TAIL = 60


def read(lines: Stream) -> Iterator[Find]:
    """Every `** (…)` report, an inner one tied to the exit that carries it; the compiler's errors."""
    opened: list[tuple[int, Find]] = []
    index = 0
    while index < len(lines):
        text = lines[index].text
        match = _HEAD.match(text) if "** (" in text[:80] else None
        if match is None:
            exit_ = _EXIT.match(text) if "** (EXIT" in text[:80] else None
            if exit_ is None and text.strip() and not text.startswith((" ", "\t")):
                opened.clear()
            if text.lstrip().startswith("error: ") and (found := _compiler(lines, index)) is not None:
                yield found
            index += 1
            continue
        if match["type"] == "EXIT":
            index += 1
            continue
        find, index = _report(lines, index, match)
        indent = len(match["indent"])
        while opened and opened[-1][0] >= indent:
            opened.pop()
        if opened:
            opened[-1][1].inner.append(("cause", find))
            find.process = _exited(opened[-1][1]) or find.process
        opened.append((indent, find))
        yield find


def _exited(outer: Find) -> str:
    """The process that an exit names: `exited in: GenServer.call(Depot.Bin, …)`."""
    match = re.match(r"exited in: [\w.]+\((?P<name>[A-Z:][\w.:]{0,200})", outer.message)
    return match["name"] if match else ""


def _report(lines: Stream, at: int, match: re.Match[str]) -> tuple[Find, int]:
    indent = len(match["indent"])
    index = at + 1
    more: list[str] = []
    while index < len(lines) and index - at < 30:
        text = lines[index].text
        reason = _EXIT.match(text)
        if reason is not None and not reason["message"].endswith(("exception was raised:", "exited in:")):
            more.append(text.strip())
            index += 1
            continue
        if lines[index].record or _FRAME.match(text) or "** (" in text or text.startswith("Last message"):
            break
        if text.strip() and (not text[0].isspace() or len(text) - len(text.lstrip()) < indent):
            break
        more.append(text.strip())
        index += 1
    frames, end = _frames(lines, index, indent)
    if not frames:
        end = at + 1
        more = more if match["message"].endswith(":") else []
    begin, name = _title(lines, at)
    tail = _tail(lines, end) if begin < at or indent == 0 else end
    message = "\n".join([match["message"].strip(), *(t for t in more if t)]).strip()
    process = name or lines[at].process
    place = _AT_START.match(message)
    if place is not None:
        message = message[place.end() :]
        frames = frames or [Frame(place["file"], "", int(place["line"]))]
    find = spotted(
        NAME,
        "error",
        match["type"],
        message,
        lines[at],
        [*lines[begin:at], *lines[at:end], *lines[end:tail]],
        language=NAME,
        frames=tuple(reversed(frames)),
    )
    find.process = process
    return find, end


def _frames(lines: Stream, index: int, indent: int) -> tuple[list[Frame], int]:
    frames: list[Frame] = []
    while index < len(lines):
        text = lines[index].text
        match = _FRAME.match(text) if len(text) - len(text.lstrip()) > indent else None
        if match is None:
            break
        frames.append(_frame(match))
        index += 1
    return frames[:300], index


def _frame(match: re.Match[str]) -> Frame:
    name = _ANONYMOUS.sub("", match["function"])
    if name in ("(file)", "(module)") or "__FILE__" in name:
        name = "<module>"
    elif name.endswith(")"):
        # A call that has no such function shows its arguments: only how many there are would be its arity.
        name = name.partition("(")[0]
    name = name.removeprefix(":")
    file = f"{match['app']}/{match['file'] or ''}" if match["app"] else match["file"] or ""
    return Frame(file, name, int(match["line"] or 0))


def _title(lines: Stream, at: int) -> tuple[int, str]:
    """The record that says which process this was: its index and the process' name."""
    if at == 0:
        return at, ""
    before = lines[at - 1]
    match = _TITLE.search(before.text[:600]) if before.level in ("error", "fatal", "") else None
    if match is None:
        return (at - 1 if before.level == "error" and before.record else at), ""
    name = match["name"]
    return at - 1, "" if name.startswith("#PID") else name.strip('":')


def _tail(lines: Stream, end: int) -> int:
    """The index after what follows a terminating process: its last message, its state, its client's stack."""
    index = end
    if index >= len(lines) or not lines[index].text.startswith(("Last message", "State:", "Function:", "Initial Call")):
        return end
    while index < len(lines) and index - end < _TAIL and not lines[index].record:
        if "** (" in lines[index].text or (
            lines[index].text.strip() == "" and index + 1 < len(lines) and lines[index + 1].record
        ):
            break
        index += 1
    return index


def _compiler(lines: Stream, at: int) -> Find | None:
    """`error: undefined function …` with its place below, as the compiler prints since Elixir 1.15."""
    match = _ERROR.match(lines[at].text)
    if match is None:
        return None
    for position in range(at + 1, min(at + 12, len(lines))):
        place = _PLACE.match(lines[position].text)
        if place is not None:
            frame = Frame(place["file"], place["function"] or "", int(place["line"]))
            block = lines[at : position + 1]
            return spotted(NAME, "build", "error", match["message"], lines[at], block, language=NAME, frames=(frame,))
        if not lines[position].text.strip():
            break
    return None
