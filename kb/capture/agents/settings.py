"""Where each agent that can be recorded has its hooks, and putting kb's beside what stands there."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from kb.atomic import write_text
from kb.capture.agents.events import (
    AgentCommand,
    any_command,
    claude_command,
    codex_command,
    copilot_command,
    cursor_command,
    gemini_command,
)
from kb.errors import InputError, Location

#: What an agent runs after each of its commands.
COMMAND = "kb hook record {name}"
_SECONDS = 30


class Agent(NamedTuple):
    """An agent: the file of its hooks, the `events` it calls them after, one `entry` of their lists, and its reader.

    `more` is what must stand in that file besides; `note` is what a person has to know. An agent without a file calls
    `kb hook record` in its own way.
    """

    name: str
    title: str
    file: str
    events: tuple[str, ...]
    entry: Mapping[str, Any]
    read: Callable[[Mapping[str, Any]], AgentCommand | None]
    more: Mapping[str, Any] = {}
    note: str = ""


_SHARED = "who shares this repository and has no kb sees the hook fail, without harm"


def _command(agent: str, **more: Any) -> dict[str, Any]:
    return {"type": "command", "command": COMMAND.format(name=agent), **more}


AGENTS: Mapping[str, Agent] = {
    agent.name: agent
    for agent in (
        Agent(
            "claude",
            "Claude Code",
            ".claude/settings.local.json",
            ("PostToolUse", "PostToolUseFailure"),
            {"matcher": "Bash", "hooks": [_command("claude", timeout=_SECONDS)]},
            claude_command,
        ),
        Agent(
            "codex",
            "Codex CLI",
            ".codex/hooks.json",
            ("PostToolUse",),
            {"matcher": "Bash", "hooks": [_command("codex", timeout=_SECONDS)]},
            codex_command,
            note=f"Codex asks once whether it may be trusted; {_SHARED}",
        ),
        Agent(
            "gemini",
            "Gemini CLI",
            ".gemini/settings.json",
            ("AfterTool",),
            {"matcher": "run_shell_command", "hooks": [_command("gemini", name="kb", timeout=_SECONDS * 1000)]},
            gemini_command,
            note=_SHARED,
        ),
        Agent(
            "cursor",
            "Cursor",
            ".cursor/hooks.json",
            ("afterShellExecution",),
            {"command": COMMAND.format(name="cursor"), "timeout": _SECONDS},
            cursor_command,
            {"version": 1},
            _SHARED,
        ),
        Agent(
            "copilot",
            "GitHub Copilot CLI",
            ".github/hooks/kb.json",
            ("postToolUse", "postToolUseFailure"),
            {"type": "command", "bash": COMMAND.format(name="copilot"), "timeoutSec": _SECONDS},
            copilot_command,
            {"version": 1},
            _SHARED,
        ),
        Agent("any", "any other agent", "", (), {}, any_command),
    )
}


def part(agent: Agent) -> dict[str, Any]:
    """What has to stand in the settings of `agent`."""
    return {**agent.more, "hooks": {event: [agent.entry] for event in agent.events}}


def install(agent: Agent, folder: Path) -> bool:
    """Put kb's hooks into the settings of `agent` in `folder`; False when they stand there already.

    All else in the file stays. Raises InputError when it cannot be read, or its hooks are not in the documented form.
    """
    path = folder / agent.file
    settings = _read(path)
    lists = [_list(path, settings, event) for event in agent.events]
    missing = [one for one in lists if not any(_is_ours(agent, entry) for entry in one)]
    for one in missing:
        one.append(agent.entry)
    if missing:
        _write(path, {**agent.more, **settings})
    return bool(missing)


def remove(agent: Agent, folder: Path) -> bool:
    """Take kb's hooks out of the settings of `agent` in `folder`; False when there are none.

    A list that is empty then goes, and so does a file that holds nothing else.
    """
    path = folder / agent.file
    settings = _read(path)
    found = False
    for event in agent.events:
        entries = _list(path, settings, event)
        kept = [left for entry in entries for left in _left(agent, entry)]
        found = found or kept != entries
        settings["hooks"][event] = kept
        if not kept:
            del settings["hooks"][event]
    if not found:
        return False
    if not settings["hooks"]:
        del settings["hooks"]
    if {key: value for key, value in settings.items() if key not in agent.more}:
        _write(path, settings)
    else:
        Path(os.path.realpath(path)).unlink()
    return True


def _left(agent: Agent, entry: object) -> list[object]:
    """What is left of an entry without kb's hook: beside that one, people may have put hooks of their own."""
    if not _is_ours(agent, entry):
        return [entry]
    inner = entry.get("hooks") if isinstance(entry, dict) else None
    others = [hook for hook in inner if not _is_ours(agent, hook)] if isinstance(inner, list) else []
    return [{**entry, "hooks": others}] if isinstance(entry, dict) and others else []


def _is_ours(agent: Agent, entry: object) -> bool:
    """Whether one of the hooks in `entry` calls kb, whatever else was changed in it by hand."""
    calls = COMMAND.format(name=agent.name)
    inner = entry.get("hooks") if isinstance(entry, dict) else None
    one = entry if isinstance(entry, dict) else {}
    if isinstance(inner, list):
        return any(_is_ours(agent, hook) for hook in inner)
    return any(isinstance(one.get(key), str) and calls in one[key] for key in ("command", "bash"))


def _list(path: Path, settings: dict[str, Any], event: str) -> list[Any]:
    hooks = settings.setdefault("hooks", {})
    entries = hooks.setdefault(event, []) if isinstance(hooks, dict) else None
    if not isinstance(entries, list):
        raise InputError("its hooks are not as they should be", location=Location(str(path)))
    return entries


def _read(path: Path) -> dict[str, Any]:
    """The settings that stand in `path`; none when there is no such file."""
    try:
        settings = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        hint = "put in by hand what is printed without --install"
        raise InputError(f"cannot be read: {error}", location=Location(str(path)), hint=hint) from error
    if not isinstance(settings, dict):
        raise InputError("holds no settings", location=Location(str(path)))
    return settings


def _write(path: Path, settings: Mapping[str, Any]) -> None:
    # Settings are often links into a folder of dot files: the link stays.
    write_text(Path(os.path.realpath(path)), json.dumps(settings, indent=2, ensure_ascii=False) + "\n")
