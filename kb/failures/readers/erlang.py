"""Erlang/OTP: error and crash reports, servers that terminated, the shell's and escript's exceptions, erlc."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.streams import Stream

NAME = "erlang"
ABOUT = "Erlang/OTP: error and crash reports, terminating servers, escript, erlc"
EXAMPLE = """\
=ERROR REPORT==== 29-Nov-2026::17:09:01.714291 ===
Error in process <0.79.0> with exit value:
{badarith,[{pump,level,1,[{file,"pump.erl"},{line,7}]}]}
"""

_BANNER = re.compile(r"=(?P<what>ERROR|CRASH|SUPERVISOR) REPORT==== ")
_SERVER = re.compile(r"\*\* (?:Generic server|State machine|gen_\w+) (?P<name>\S{1,200}) terminating")
_EXIT_VALUE = re.compile(r"Error in process (?P<name>\S{1,100})(?: on node \S{1,200})? with exit value:")
_CRASH = re.compile(r"\s+exception (?P<class>error|exit|throw): (?P<message>\S.*)$")
_SHELL = re.compile(r"(?:escript: |\*\* )exception (?P<class>error|exit|throw): (?P<message>\S.*)$")
_CALL = re.compile(
    r"\s+in (?:function|call from|operator) +(?P<function>\S{1,300}?)(?:/\d{1,3})? ?"
    r"(?:\((?P<file>[^,)\n]{1,300}), line (?P<line>\d{1,7})\))?\s*$"
)
_MFA = re.compile(
    r"\{'?(?P<module>[\w.]{1,120})'?,'?(?P<function>[\w/-]{1,120})'?,(?:\d{1,3}|\[)[^{}\n]{0,400}"
    r"(?:\[\{file,\"(?P<file>[^\"\n]{1,300})\"\},\{line,(?P<line>\d{1,7})\})?"
)
_BOOT = re.compile(r"init terminating in do_boot \((?P<term>.*)$|(?P<kernel>Kernel pid terminated) .*$")
_ERLC = re.compile(r"(?P<file>[^\s:]{1,400}\.[eh]rl):(?P<line>\d{1,7}):(?:\d{1,5}:)? (?!Warning:)(?P<message>\S.*)$")
_NAME_FIELD = re.compile(r"\s+registered_name: (?P<name>\S{1,200})$")
_SPACE = re.compile(r",\s+")
_REPORT = 400


def read(lines: Stream) -> Iterator[Find]:
    """Every report in its order; a crash report of a server that was reported before is the same failure again."""
    index = 0
    servers: dict[str, Find] = {}
    while index < len(lines):
        text = lines[index].text
        if (banner := _BANNER.match(text)) is not None and banner["what"] != "SUPERVISOR":
            find, index = _report(lines, index)
            if find is not None:
                before = servers.get(find.process) if find.process else None
                if before is not None and banner["what"] == "CRASH":
                    find.inner.append(("remote", before))
                servers[find.process] = find
                yield find
            continue
        if (shell := _SHELL.match(text)) is not None:
            frames, end = _calls(lines, index + 1)
            yield _make(lines, index, end, "error", shell["message"], frames)
            index = end
            continue
        if (boot := _BOOT.match(text)) is not None:
            reason, frames = _term(boot["term"] or "")
            find = _make(lines, index, index + 1, "init terminating", reason or "in do_boot", frames)
            if index and lines[index - 1].text.startswith('{"init terminating in do_boot"'):
                find.lines.add(lines[index - 1].number)
                find.frames = _term(lines[index - 1].text.partition(",")[2])[1]
            yield find
        elif (compiled := _ERLC.match(text)) is not None:
            frame = Frame(compiled["file"], "", int(compiled["line"]))
            line = lines[index]
            yield spotted(NAME, "build", "error", compiled["message"], line, [line], language=NAME, frames=(frame,))
        index += 1


def _make(
    lines: Stream, at: int, end: int, name: str, message: str, frames: tuple[Frame, ...], where: int = -1
) -> Find:
    line = lines[where if where >= 0 else at]
    return spotted(NAME, "error", name, message, line, lines[at:end], language=NAME, frames=frames)


def _report(lines: Stream, at: int) -> tuple[Find | None, int]:
    """One report up to the next banner or record; its decisive line is that with the reason."""
    end = at + 1
    while end < len(lines) and end - at < _REPORT and not _BANNER.match(lines[end].text) and not lines[end].record:
        end += 1
    while end > at + 1 and not lines[end - 1].text.strip():
        end -= 1
    name = ""
    for index in range(at + 1, end):
        text = lines[index].text
        if (server := _SERVER.match(text)) is not None:
            name = server["name"]
        elif (field := _NAME_FIELD.match(text)) is not None:
            name = field["name"] if field["name"] != "[]" else name
        crash = _CRASH.match(text)
        if crash is not None:
            frames, _ = _calls(lines, index + 1)
            return _named(_make(lines, at, end, crash["class"], crash["message"], frames, index), name), end
        if text.startswith(("** Reason for termination", "** When Server")) or _EXIT_VALUE.match(text):
            where = min(index + 1, end - 1)
            if text.startswith("** When Server"):
                continue
            term = " ".join(line.text.strip(" *") for line in lines[where : min(where + 40, end)])
            reason, frames = _term(term.partition("** Client")[0])
            if reason:
                return _named(_make(lines, at, end, "error", reason, frames, where), name), end
    return None, end


def _named(find: Find, name: str) -> Find:
    find.process = name or find.process
    return find


def _calls(lines: Stream, index: int) -> tuple[tuple[Frame, ...], int]:
    frames: list[Frame] = []
    start = index
    while index < len(lines) and index - start < 60:
        text = lines[index].text
        match = _CALL.match(text)
        if match is not None:
            frames.append(Frame(match["file"] or "", match["function"], int(match["line"] or 0)))
        elif not text.startswith("     "):
            break
        index += 1
    return tuple(reversed(frames)), index


def _term(term: str) -> tuple[str, tuple[Frame, ...]]:
    """The reason of an exit term `{Reason, [{M,F,A,[{file,…},{line,…}]}, …]}`, and its stack."""
    term = _SPACE.sub(",", term[:8000].strip())
    cut = term.find(",[{")
    reason = term[: cut if cut >= 0 else 300].strip().rstrip("}).,")
    if cut >= 0 and reason.startswith("{"):
        reason = reason[1:]
    opened = reason.count("{") - reason.count("}")
    reason = reason + "}" * max(opened, 0)
    frames = [
        Frame(m["file"] or "", f"{m['module']}:{m['function']}", int(m["line"] or 0))
        for m in _MFA.finditer(term[cut:] if cut >= 0 else "")
        if m["module"] not in ("file", "line", "error_info")
    ]
    return reason, tuple(reversed(frames[:100]))
