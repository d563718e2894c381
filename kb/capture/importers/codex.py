"""Rollouts of Codex CLI: `~/.codex/sessions/YYYY/MM/DD/rollout-….jsonl`, also packed with Zstandard.

A line is `{timestamp, type, payload}`. A command is told twice, as a function call with its output and as an event with
its exit status; the event counts, and the output of the call only where there is none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kb.capture.importers.conversation import Conversation
from kb.capture.importers.diffs import from_diff, from_envelope, from_texts, inside
from kb.capture.importers.source import (
    Losses,
    Source,
    json_lines,
    mapping,
    moment,
    number_of,
    objects,
    part,
    read_json,
    status_of,
    text_of,
)
from kb.capture.importers.told import Ran, Story

_SHELLS = frozenset({"shell", "exec_command", "local_shell", "container.exec", "shell_command", "unified_exec"})
_NOT_TYPED = ("<environment_context>", "<user_instructions>", "<ENVIRONMENT", "<permissions", "# AGENTS.md")
#: What stands before the output of a command, where no event tells of it.
_HEAD = re.compile(
    r"\A(?:Chunk ID: \S+\n)?(?:Wall time: [^\n]*\n)?(?:Process exited with code \d+\n|Exit code: \d+\n)?"
    r"(?:Wall time: [^\n]*\n)?(?:Original token count: \d+\n)?(?:Total output lines: \d+\n)?Output:\n"
)
_CODE = re.compile(r"(?:Process exited with code|Exit code:|exit code) (\d{1,3})")


def knows(_path: Path, head: bytes) -> bool:
    """Whether a line has a payload of a rollout."""
    return b'"payload"' in head and (b'"session_meta"' in head or b'"response_item"' in head or b'"event_msg"' in head)


def read(source: Source) -> Story:
    """The commands, patches and words of a rollout, in order."""
    losses = Losses()
    lines = list(json_lines(source, losses))
    told = {_told_by(mapping(line, "payload")) for line in lines} - {""}
    talk = Conversation()
    rollout = _Rollout(talk, told)
    for line in lines:
        talk.at(moment(line.get("timestamp")))
        rollout.take(line)
    rollout.close()
    return talk.story(lost=losses.told(), environment=rollout.versions)


class _Rollout:
    """Pairs calls and what came of them, by their ids."""

    def __init__(self, talk: Conversation, told: set[str]) -> None:
        self._talk = talk
        self._told = told
        self._calls: dict[str, tuple[str, str, Any]] = {}
        self._patches: dict[str, str] = {}
        self._cwd = ""
        self.versions: dict[str, str] = {}

    def take(self, line: Mapping[str, Any]) -> None:
        """One line of the file."""
        payload = mapping(line, "payload")
        if line.get("type") in ("session_meta", "turn_context"):
            self._cwd = text_of(payload, "cwd") or self._cwd
            if text_of(payload, "cli_version"):
                self.versions["agent"] = f"Codex CLI {text_of(payload, 'cli_version')}"
            return
        kind, call = text_of(payload, "type"), text_of(payload, "call_id")
        if kind == "message":
            self._message(payload)
        elif kind in ("function_call", "local_shell_call"):
            self._begin(call, payload, line)
        elif kind == "custom_tool_call" and text_of(payload, "name") == "apply_patch":
            self._patch(call, text_of(payload, "input"))
        elif kind in ("function_call_output", "custom_tool_call_output"):
            self._output(call, payload)
        elif kind == "exec_command_end":
            self._end(call, payload)
        elif kind == "patch_apply_end":
            self._applied(call, payload)
        elif kind == "item_completed":
            self._item(mapping(payload, "item"))

    def close(self) -> None:
        """Commands of which nothing came before the end."""
        for command, cwd, when in self._calls.values():
            self._talk.ran(Ran(command, "", None, None, cwd, when))

    def _item(self, item: Mapping[str, Any]) -> None:
        """What newer releases tell instead of the events that end something."""
        if text_of(item, "type") == "CommandExecution":
            self._end(text_of(item, "id"), item)
        elif text_of(item, "type") == "FileChange":
            self._applied(text_of(item, "id"), item)

    def _message(self, payload: Mapping[str, Any]) -> None:
        text = "\n".join(text_of(one, "text") for one in objects(payload, "content"))
        if payload.get("role") == "assistant":
            self._talk.assistant(text)
        elif payload.get("role") == "user" and not text.lstrip().startswith(_NOT_TYPED):
            self._talk.human(text)

    def _begin(self, call: str, payload: Mapping[str, Any], line: Mapping[str, Any]) -> None:
        arguments = read_json(text_of(payload, "arguments")) or mapping(payload, "action")
        name = text_of(payload, "name") or "local_shell"
        command = _command(arguments)
        if name == "apply_patch" or command.lstrip().startswith("apply_patch"):
            self._patch(call, text_of(arguments, "input") or command)
        elif name in _SHELLS and command:
            cwd = text_of(arguments, "workdir") or text_of(arguments, "working_directory") or self._cwd
            self._calls[call] = (command, cwd, moment(line.get("timestamp")))

    def _patch(self, call: str, patch: str) -> None:
        if call in self._told:
            self._patches[call] = patch
            return
        change = from_envelope(patch)
        if change is not None:
            self._talk.changed(change)

    def _output(self, call: str, payload: Mapping[str, Any]) -> None:
        """The output of a call of which no event tells."""
        if call in self._told or call not in self._calls:
            return
        command, cwd, when = self._calls.pop(call)
        output = text_of(payload, "output")
        packed = read_json(output) if output.startswith("{") else part(payload, "output")
        if isinstance(packed, Mapping):
            status, seconds = (
                status_of(packed, "metadata", "exit_code"),
                number_of(packed, "metadata", "duration_seconds"),
            )
            output = text_of(packed, "output") or text_of(packed, "content")
        else:
            said = _CODE.search(output[:400])
            status, seconds = int(said[1]) if said else None, None
            output = _HEAD.sub("", output, count=1)
        self._talk.ran(Ran(command, output, status, seconds, cwd, when))

    def _end(self, call: str, payload: Mapping[str, Any]) -> None:
        command, cwd, when = self._calls.pop(call, ("", "", None))
        took = number_of(payload, "duration", "secs")
        seconds = None if took is None else took + (number_of(payload, "duration", "nanos") or 0.0) / 1e9
        output = text_of(payload, "aggregated_output") or text_of(payload, "stdout") + text_of(payload, "stderr")
        command = command or _command(payload)
        self._talk.ran(
            Ran(
                command,
                output,
                status_of(payload, "exit_code"),
                seconds,
                cwd or text_of(payload, "cwd").removeprefix("file://"),
                when,
            )
        )

    def _applied(self, call: str, payload: Mapping[str, Any]) -> None:
        """A patch that was applied: its changes by file, else the envelope it was given in."""
        patch = self._patches.pop(call, "")
        if payload.get("success") is False or text_of(payload, "status") not in ("", "completed"):
            return
        changes = [_of_file(inside(path, self._cwd), change) for path, change in mapping(payload, "changes").items()]
        found = [one for one in changes if one is not None] or [from_envelope(patch)]
        for change in found:
            if change is not None:
                self._talk.changed(change)


def _told_by(payload: Mapping[str, Any]) -> str:
    """The id of the call of which a line tells how it ended, "" when it tells of none."""
    if text_of(payload, "type") in ("exec_command_end", "patch_apply_end"):
        return text_of(payload, "call_id")
    ends = text_of(payload, "item", "type") in ("CommandExecution", "FileChange")
    return text_of(payload, "item", "id") if ends else ""


def _command(value: Any) -> str:
    """The command line in `cmd` or `command`; of `bash -lc X` it is X."""
    given = part(value, "cmd") or part(value, "command")
    if isinstance(given, list):
        words = [one for one in given if isinstance(one, str)]
        if len(words) == 3 and words[1] in ("-lc", "-c"):
            return words[2]
        return " ".join(words)
    return given if isinstance(given, str) else ""


def _of_file(path: str, change: Any) -> Any:
    if text_of(change, "update", "unified_diff") or text_of(change, "unified_diff"):
        diff = text_of(change, "update", "unified_diff") or text_of(change, "unified_diff")
        name = path.lstrip("/")
        return from_diff(diff if diff.startswith("---") else f"--- a/{name}\n+++ b/{name}\n{diff}")
    content = text_of(change, "add", "content") or text_of(change, "content")
    if text_of(change, "type") == "delete":
        return from_texts(path, content, "") if content else None
    return from_texts(path, "", content) if content else None
