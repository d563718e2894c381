"""Sessions of Claude Code: `~/.claude/projects/<folder>/<uuid>.jsonl`.

The format is not published and changes: lines of types that are not known are passed over, and only what can be cut off
counts as lost. A session may be taken up again at an earlier point; the branch that ends last is the one that is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from kb.capture.agents.events import claude_command
from kb.capture.importers.conversation import Conversation
from kb.capture.importers.diffs import from_hunks, from_texts, inside, of_edit
from kb.capture.importers.source import Losses, Source, json_lines, mapping, moment, objects, part, text_of
from kb.capture.importers.told import Changed, Ran, Story

Line: TypeAlias = Mapping[str, Any]
_EDITS = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit"})
#: What begins a text that no person typed.
_NOT_TYPED = ("<command-", "<system-reminder>", "<local-command-", "<bash-", "Caveat: ", "[Request interrupted")


def knows(_path: Path, head: bytes) -> bool:
    """Whether it has the envelope of a line of a session."""
    return (
        head.lstrip().startswith(b"{") and b'"sessionId"' in head and (b'"parentUuid"' in head or b'"leafUuid"' in head)
    )


def read(source: Source) -> Story:
    """The commands, edits and words of a session, in order."""
    losses = Losses()
    lines = list(json_lines(source, losses))
    talk = Conversation()
    waiting: dict[str, tuple[Line, Line]] = {}
    versions: dict[str, str] = {}
    for line in _branch(lines):
        if line.get("isSidechain") or line.get("isMeta") or line.get("isCompactSummary"):
            continue
        when = moment(line.get("timestamp"))
        talk.at(when)
        if text_of(line, "version"):
            versions.setdefault("agent", f"Claude Code {text_of(line, 'version')}")
        for item in _content(line):
            kind = item.get("type")
            if kind == "text":
                text = text_of(item, "text")
                if line.get("type") == "assistant":
                    talk.assistant(text)
                elif not text.lstrip().startswith(_NOT_TYPED):
                    talk.human(text)
            elif kind == "tool_use":
                waiting[text_of(item, "id")] = (item, line)
            elif kind == "tool_result":
                use = waiting.pop(text_of(item, "tool_use_id"), None)
                if use is not None:
                    _result(talk, use, item, line)
    for call, asked in waiting.values():
        if text_of(call, "name") == "Bash":
            cwd, began = text_of(asked, "cwd"), moment(asked.get("timestamp"))
            talk.ran(Ran(text_of(call, "input", "command"), cwd=cwd, started=began))
    return talk.story(lost=losses.told(), environment=versions)


def _branch(lines: list[Line]) -> Iterator[Line]:
    """The lines from the first to the last one, by their parents; all of them when they are not linked."""
    spoken = [line for line in lines if line.get("type") in ("user", "assistant")]
    by_id = {line["uuid"]: line for line in spoken if isinstance(line.get("uuid"), str)}
    # A side chain has a leaf of its own.
    main = [line for line in spoken if not line.get("isSidechain")]
    chain: set[str] = set()
    at = text_of(main[-1], "uuid") if main else ""
    while at in by_id and at not in chain:
        chain.add(at)
        at = text_of(by_id[at], "parentUuid") or text_of(by_id[at], "logicalParentUuid")
    # What stands between two linked lines (tool results that ran side by side) belongs to the branch as well.
    others = {text_of(line, "parentUuid") for line in main} - chain
    yield from (line for line in main if text_of(line, "uuid") not in others or text_of(line, "uuid") in chain)


def _content(line: Line) -> list[Line]:
    content = part(line, "message", "content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else objects(line, "message", "content")


def _result(
    talk: Conversation,
    use: tuple[Line, Line],
    item: Line,
    line: Line,
) -> None:
    """What came of a tool that was used."""
    call, asked = use
    name, arguments = text_of(call, "name"), mapping(call, "input")
    if name == "Bash":
        began, ended = moment(asked.get("timestamp")), moment(line.get("timestamp"))
        seconds = (ended - began).total_seconds() if began and ended else None
        told = line.get("toolUseResult")
        if not isinstance(told, Mapping) or item.get("is_error"):
            told = _text(item)
        event = {"tool_name": "Bash", "tool_input": {"command": text_of(arguments, "command")}, "tool_response": told}
        did = claude_command(event)
        assert did is not None
        talk.ran(Ran(did.command, did.output, did.exit, seconds, text_of(asked, "cwd"), began))
    elif name in _EDITS and not item.get("is_error"):
        for change in _changes(arguments, mapping(line, "toolUseResult"), text_of(asked, "cwd")):
            if change is not None:
                talk.changed(change)


def _changes(arguments: Line, told: Line, cwd: str) -> Iterator[Changed | None]:
    path = text_of(told, "filePath") or text_of(arguments, "file_path")
    path = inside(path, cwd)
    hunks = objects(told, "structuredPatch")
    if hunks:
        yield from_hunks(path, hunks)
    elif objects(arguments, "edits"):
        for edit in objects(arguments, "edits"):
            yield of_edit(path, edit)
    elif "content" in arguments:
        yield from_texts(path, text_of(told, "originalFile"), text_of(arguments, "content"))
    else:
        yield of_edit(path, arguments)


def _text(item: Line) -> str:
    content = item.get("content")
    return content if isinstance(content, str) else "\n".join(text_of(one, "text") for one in objects(item, "content"))
