"""What the hooks of agents tell of a command that was run: one reader for each agent's documented event.

Every reader takes the event as JSON gave it and returns None for one that is about no command. They raise
AttributeError, KeyError, TypeError or ValueError for what is no such event.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from kb.capture.agents.rollout import ended

_EXIT = re.compile(r"(?:Error: )?(?:Command failed with )?[Ee]xit (?:code|status):? (\d{1,3})\n?")
#: What Codex may put before the output: how long it took, and where the output begins.
_CODEX_HEAD = re.compile(r"(?:Wall time: [^\n]{0,40}\n)?(?:Total output lines: \d+\n)?(?:Output:\n)?")
#: The lines behind the output that Gemini CLI gives its model.
_GEMINI_TAIL = re.compile(r"(Error|Exit Code|Signal|Background PIDs|Process Group PGID): (.*)")
_GEMINI_WRAPPED = re.compile(r"\s*<([a-z_]{1,40})>\n(.*)\n</\1>\s*", re.DOTALL)
_GEMINI_OUTPUT = re.compile(r"(?:\A|\n)(?:Output|Stdout): ")
#: No command runs for ten years.
_LONGEST = 3e8
_COPILOT_EXIT = re.compile(r"<(?:exited|shellId: [\w-]{1,40} completed) with exit code (\d{1,3})>\s*\Z")


class AgentCommand(NamedTuple):
    """A command that an agent ran: `exit` and `seconds` are None when it is not said."""

    command: str
    cwd: str
    output: str
    exit: int | None
    seconds: float | None


def claude_command(event: Mapping[str, Any]) -> AgentCommand | None:
    """The command in an event of Claude Code's hooks PostToolUse and PostToolUseFailure.

    A command that went well has `stdout` and `stderr`; one that failed has a text that begins with `Exit code N`.
    """
    if event.get("tool_name") != "Bash":
        return None
    command = str(event["tool_input"]["command"])
    response = event.get("tool_response", event.get("error", ""))
    status: int | None
    if isinstance(response, Mapping) and "error" not in response:
        parts = [str(response.get(name) or "") for name in ("stdout", "stderr")]
        output = "\n".join(part.rstrip("\n") for part in parts if part.strip())
        # Stopped, still going on, or an exit status that the agent does not take for an error, such as that of grep.
        unclear = ("interrupted", "backgroundTaskId", "returnCodeInterpretation")
        status = None if any(response.get(name) for name in unclear) else 0
    else:
        output, status = _with_exit(str(response.get("error") if isinstance(response, Mapping) else response))
    return AgentCommand(command, _cwd(event), output, status, _seconds(event.get("duration_ms"), 1000))


def codex_command(event: Mapping[str, Any]) -> AgentCommand | None:
    """The command in an event of Codex's hook PostToolUse: `tool_response` is the output, or an object with it.

    How it ended stands in the rollout that the event names.
    """
    if event.get("tool_name") != "Bash":
        return None
    command = str(event["tool_input"]["command"])
    response = event["tool_response"]
    if not isinstance(response, Mapping):
        output, status = _with_exit(str(response or ""))
        said = ended(str(event.get("transcript_path") or ""), str(event.get("tool_use_id") or "?"))
        status = said.exit if status is None else status
        return AgentCommand(command, _cwd(event), output[_length(_CODEX_HEAD, output) :], status, said.seconds)
    inner = response.get("metadata")
    told = inner if isinstance(inner, Mapping) else response
    status = _integer(told.get("exit_code"))
    return AgentCommand(
        command, _cwd(event), str(response["output"]), status, _seconds(told.get("duration_seconds"), 1)
    )


def gemini_command(event: Mapping[str, Any]) -> AgentCommand | None:
    """The command in an event of Gemini CLI's hook AfterTool: `llmContent` has the output, and behind it how it ended.

    An exit status is told only when it is not 0.
    """
    if event.get("tool_name") != "run_shell_command":
        return None
    given = event["tool_input"]
    text = event["tool_response"]["llmContent"]
    text = text if isinstance(text, str) else "".join(str(part.get("text", "")) for part in text)
    wrapped = _GEMINI_WRAPPED.fullmatch(text)
    text = wrapped[2] if wrapped else text
    begins = _GEMINI_OUTPUT.search(text)
    if begins is None:
        # It was stopped, or goes on in the background.
        return AgentCommand(str(given["command"]), _cwd(event), text, None, None)
    lines = text[begins.end() :].split("\n")
    said: dict[str, str] = {}
    while lines and (line := _GEMINI_TAIL.fullmatch(lines[-1])):
        said[line[1]] = line[2]
        lines.pop()
    output = "\n".join(lines)
    # Its group is told of every command that ran to its end.
    clean = "Process Group PGID" in said and all(said.get(name, "(none)") == "(none)" for name in ("Error", "Signal"))
    code = said.get("Exit Code", "0" if clean else "")
    return AgentCommand(
        str(given["command"]),
        str(given.get("directory") or given.get("dir_path") or "") or _cwd(event),
        "" if output == "(empty)" else output,
        int(code) if code.isdecimal() else None,
        None,
    )


def cursor_command(event: Mapping[str, Any]) -> AgentCommand | None:
    """The command in an event of Cursor's hook afterShellExecution; no exit status is documented for it."""
    if event.get("hook_event_name") != "afterShellExecution":
        return None
    roots = event.get("workspace_roots") or [""]
    cwd = _cwd(event) or str(roots[0])
    seconds = _seconds(event.get("duration"), 1000)
    status = _integer(event.get("exit_code"))
    return AgentCommand(str(event["command"]), cwd, str(event.get("output") or ""), status, seconds)


def copilot_command(event: Mapping[str, Any]) -> AgentCommand | None:
    """The command in an event of Copilot CLI's hooks postToolUse and postToolUseFailure."""
    if event.get("toolName") not in ("bash", "powershell"):
        return None
    given = event["toolArgs"]
    given = json.loads(given) if isinstance(given, str) else given
    result = event.get("toolResult") or {"textResultForLlm": event["error"]}
    if result.get("resultType") == "denied":
        return None
    output = str(result["textResultForLlm"])
    told = _COPILOT_EXIT.search(output)
    status = int(told[1]) if told else None
    output = output[: told.start()].rstrip() if told else output
    return AgentCommand(str(given["command"]), _cwd(event), output, status, None)


def any_command(event: Mapping[str, Any]) -> AgentCommand | None:
    """The command in kb's own form: `command`, and as far as known `output`, `exit`, `cwd` and `seconds`."""
    return AgentCommand(
        str(event["command"]),
        _cwd(event),
        str(event.get("output") or ""),
        _integer(event.get("exit")),
        _seconds(event.get("seconds"), 1),
    )


def _with_exit(text: str) -> tuple[str, int | None]:
    """A text without the exit status at its beginning, and that status."""
    told = _EXIT.match(text)
    return (text[told.end() :], int(told[1])) if told else (text, None)


def _length(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.match(text)
    return found.end() if found else 0


def _cwd(event: Mapping[str, Any]) -> str:
    return str(event.get("cwd") or "")


def _integer(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _seconds(value: object, parts: int) -> float | None:
    """`value`, of which `parts` are a second, in seconds; None for what is no length of time."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < _LONGEST * parts:
        return None
    return value / parts
