"""Trajectories of SWE-agent (`.traj`) and of mini-swe-agent (`.traj.json`).

SWE-agent: `trajectory[]` of thought, action, observation and execution time; no exit status. mini-swe-agent:
`messages[]` whose `extra` holds the actions and, in the answer, the return code. Both: `info.submission` is the patch.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kb.capture.importers.conversation import Conversation
from kb.capture.importers.cut_json import json_of
from kb.capture.importers.diffs import from_diff, inside, of_edit
from kb.capture.importers.source import Losses, Source, moment, number_of, objects, read_json, status_of, text_of
from kb.capture.importers.told import Changed, Ran, Story

_EDITOR = re.compile(r"str_replace_editor\s+(view|create|str_replace|insert|undo_edit)\b")
_NOT_RUN = frozenset(
    {"submit", "exit_cost", "exit_context", "goto", "scroll_up", "scroll_down", "open", "edit", "create"}
)
_PACKED = re.compile(r"\s*<returncode>(-?\d{1,10})</returncode>\s*(?:<output(?:_head)?>\n?)?(.*)", re.DOTALL)
#: What a command of mini-swe-agent holds that ends the session and does nothing else.
_HANDS_IN = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
#: So much of a template is compared on both sides of the task.
_NEAR = 200
_TAG = re.compile(r"</?output(?:_head|_tail)?>\n?")


def knows(path: Path, head: bytes) -> bool:
    """By its keys."""
    if not head.lstrip().startswith(b"{"):
        return False
    mini = b'"trajectory_format"' in head or (b'"messages"' in head and path.name.endswith(".traj.json"))
    return b'"trajectory"' in head[:2000] or mini or path.suffix == ".traj"


def read(source: Source) -> Story:
    """The commands, edits and thoughts of a trajectory, and the patch that was handed in."""
    losses = Losses()
    whole = json_of(source, losses, "trajectory")
    whole = whole if isinstance(whole, Mapping) else {}
    talk = Conversation()
    edited = _mini(talk, whole) if objects(whole, "messages") else _classic(talk, whole)
    patch = from_diff(text_of(whole, "info", "submission"))
    if patch is not None and not edited:
        talk.submitted(patch)
    status = text_of(whole, "info", "exit_status")
    return talk.story(
        lost=losses.told(),
        environment={"agent": f"SWE-agent, ended with {status}"}
        if status and len(status) < 60
        else {"agent": "SWE-agent"},
    )


def _classic(talk: Conversation, whole: Mapping[str, Any]) -> bool:
    """The steps of SWE-agent; whether an edit was among them."""
    edited, folder = False, ""
    for message in objects(whole, "history")[:3]:
        if message.get("role") == "user":
            talk.human(text_of(message, "content") or text_of(message, "content", 0, "text"))
            break
    for step in objects(whole, "trajectory"):
        talk.assistant(text_of(step, "thought"))
        action = text_of(step, "action").strip()
        folder = text_of(_state(step), "working_dir") or folder
        change = _edit(action, folder)
        if change is not None:
            talk.changed(change)
            edited = True
        elif action and not _EDITOR.match(action) and action.split()[0] not in _NOT_RUN:
            output = text_of(step, "observation").replace("\r\n", "\n")
            talk.ran(Ran(action, output, None, number_of(step, "execution_time")))
    return edited


def _state(step: Mapping[str, Any]) -> Any:
    """Where the agent was: an object, or one in a text."""
    state = step.get("state")
    return read_json(state) if isinstance(state, str) else state


def _edit(action: str, folder: str) -> Changed | None:
    """The change of an action of the editor."""
    if not _EDITOR.match(action):
        return None
    try:
        words = shlex.split(action)
    except ValueError:
        return None
    given = dict(zip(words[3::2], words[4::2], strict=False))
    if len(words) < 3:
        return None
    path = inside(words[2], folder)
    if words[1] == "str_replace":
        return of_edit(path, {"old_str": given.get("--old_str", ""), "new_str": given.get("--new_str", "")})
    if words[1] == "create":
        return of_edit(path, {"old_str": "", "new_str": given.get("--file_text", "")})
    return None


def _mini(talk: Conversation, whole: Mapping[str, Any]) -> bool:
    """The messages of mini-swe-agent: the actions of one, and the return code in the next."""
    waiting: list[str] = []
    asked = False
    for message in objects(whole, "messages"):
        content = text_of(message, "content") or text_of(message, "content", 0, "text")
        when = moment(number_of(message, "extra", "timestamp"))
        talk.at(when)
        if message.get("role") == "assistant":
            talk.assistant(re.sub(r"```.*?(?:```|\Z)", "", content, flags=re.DOTALL))
            waiting = [text_of(one, "command") for one in objects(message, "extra", "actions")]
        elif waiting:
            packed = _PACKED.match(content)
            status = status_of(message, "extra", "returncode")
            output = text_of(message, "extra", "raw_output") or _TAG.sub("", packed[2] if packed else content)
            if status is None and packed and not packed[1].startswith("-"):
                status = int(packed[1]) % 2**31
            talk.ran(Ran(waiting.pop(0), output, status, started=when))
        elif message.get("role") == "user" and not asked:
            talk.human(_task(content, text_of(whole, "info", "config", "agent", "instance_template")))
            asked = True
    for command in waiting:
        if _HANDS_IN not in command:
            talk.ran(Ran(command))
    return False


def _task(message: str, template: str) -> str:
    """What was asked for in `message`, without the words of the `template` that it was put into."""
    before, _, after = template.partition("{{task}}")
    before, after = before[-_NEAR:], after.partition("{")[0][:_NEAR]
    start = message.find(before) + len(before) if before and before in message else 0
    end = message.find(after, start) if after.strip() else -1
    return message[start : end if end >= 0 else None].strip()
