"""What the hooks of agents tell of a command that was run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

_EXIT = re.compile(r"(?:Error: )?(?:Command failed with )?[Ee]xit (?:code|status) (\d{1,3})\n?")


class AgentCommand(NamedTuple):
    """A command that an agent ran: `exit` and `seconds` are None when it is not said."""

    command: str
    cwd: str
    output: str
    exit: int | None
    seconds: float | None


def claude_command(event: Mapping[str, Any]) -> AgentCommand | None:
    """The command in an event of Claude Code's hooks PostToolUse and PostToolUseFailure; None for other tools.

    A command that went well has `stdout` and `stderr`; one that failed has a text that begins with `Exit code N`.
    Raises AttributeError, KeyError or TypeError for what is no such event.
    """
    if event.get("tool_name") != "Bash":
        return None
    command = str(event["tool_input"]["command"])
    milliseconds = event.get("duration_ms")
    seconds = milliseconds / 1000 if isinstance(milliseconds, int | float) and milliseconds >= 0 else None
    response = event.get("tool_response", event.get("error", ""))
    status: int | None
    if isinstance(response, Mapping) and "error" not in response:
        parts = [str(response.get(name) or "") for name in ("stdout", "stderr")]
        output = "\n".join(part.rstrip("\n") for part in parts if part.strip())
        status = None if response.get("interrupted") else 0
    else:
        output = str(response.get("error") if isinstance(response, Mapping) else response)
        told = _EXIT.match(output)
        status = int(told[1]) if told else None
        output = output[told.end() :] if told else output
    return AgentCommand(command, str(event.get("cwd") or ""), output, status, seconds)
