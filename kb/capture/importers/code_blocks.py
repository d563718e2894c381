"""Code that a text quotes, as events: commands behind prompts, diffs, logs that show a failure, lines for a shell."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

from kb.capture.importers.blocks import Block, blocks
from kb.capture.importers.diffs import from_diff
from kb.capture.importers.told import Changed, Ran, Saw
from kb.capture.runs import shows_failure

_SHELLS = frozenset({"bash", "sh", "shell", "zsh", "fish", "console", "shell-session", "terminal", "shellsession"})
_DIFFS = frozenset({"diff", "patch"})
_PROMPT = re.compile(
    r"(?:\([\w.-]{1,30}\) ?)?(?:[\w.-]{1,40}@[\w.-]{1,60}[:~ ][^$#\n]{0,80})?[$❯] (?=\S)"
    r"|[\w.-]{1,40}@[\w.-]{1,60}[^$#\n]{0,80}# (?=\S)"
)
#: What a command begins with, and what it has besides words: an option, a path, a value, a line that goes on.
_COMMAND = re.compile(
    r"(?:\$ )?(?:sudo |time |nohup |[A-Z_][A-Z0-9_]*=\S+ )*"
    r"(?:python[\d.]*|pip[\d.]*|uv|docker|podman|kubectl|helm|git|make|cmake|cargo|go|npm|npx|yarn|node|ssh|scp|curl|wget"
    r"|vllm|torchrun|accelerate|ray|bash|sh|systemctl|journalctl|nvidia-smi|grep|rg|cat|tail|sed|awk|apt(?:-get)?|dnf|brew"
    r"|terraform|ansible(?:-playbook)?|psql|mysql|java|mvn|gradle|pytest|\./[\w./-]+|/[\w./-]+) \S"
)
_OPTION = re.compile(r"\s-{1,2}[A-Za-z]|\s\S*[/.=]\S|\\\n")
_STATED = re.compile(
    r"\b(?:exit(?:ed)?(?: with)?(?: status| code)?|rc|return(?:ed)?(?: code| non-zero exit status)|status)"
    r"[ =:]{1,3}(\d{1,3})\b",
    re.IGNORECASE,
)


def quoted(text: str, name: str) -> Iterator[Ran | Saw | Changed]:
    """What the code blocks of a text show; `name` is what the text is called, for the places of logs in it."""
    for block in blocks(text.replace("\r\n", "\n")):
        if block.kind == "code":
            yield from events_of(block, name)


def events_of(block: Block, name: str) -> list[Ran | Saw | Changed]:
    """What a block of code shows; nothing when it is code and no more."""
    body = textwrap.dedent(block.text).strip("\n")
    is_diff = block.language in _DIFFS or re.search(r"(?m)^@@ .* @@", body)
    change = from_diff(body) if is_diff else None
    lines = body.split("\n")
    if change is not None:
        return [change]
    if any(_PROMPT.match(line) for line in lines):
        return list(_prompted(lines))
    if shows_failure(body):
        return [saw(body, name, block.line)]
    if block.language in _SHELLS or (block.language in ("", " ") and is_command(body)):
        return [Ran(command) for command in _commands(lines)]
    return []


def saw(text: str, name: str, line: int) -> Saw:
    """A log that stands in line `line` of the text `name`."""
    return Saw(text.strip("\n") + "\n", f"{name}, line {line}")


def is_command(text: str) -> bool:
    """Whether a text looks like a command line, and like no sentence."""
    lines = text.split("\n")
    one = all(line.rstrip().endswith("\\") for line in lines[:-1])
    looks = _COMMAND.match(text) and _OPTION.search(text)
    return bool(looks) and one and not re.search(r"[a-z]\.\s*\Z", text)


def joined(command: str) -> str:
    """A command without the backslashes at the ends of its lines."""
    return "\n".join(line.removesuffix("\\").rstrip() for line in command.strip().split("\n"))


def stated(output: str) -> int | None:
    """The exit status that the last lines of an output state."""
    found = list(_STATED.finditer(output[-400:]))
    return int(found[-1][1]) if found else None


def _prompted(lines: Sequence[str]) -> Iterator[Ran]:
    """Commands behind prompts, each with the lines that follow it."""
    command: list[str] = []
    output: list[str] = []
    going_on = False
    for line in lines:
        prompt = _PROMPT.match(line)
        if going_on:
            command.append(line)
        elif prompt:
            if command:
                yield _ran(command, output)
            command, output = [line[prompt.end() :]], []
        elif command:
            output.append(line)
        going_on = bool(command) and not output and line.endswith("\\")
    if command:
        yield _ran(command, output)


def _ran(command: Sequence[str], output: Sequence[str]) -> Ran:
    printed = "\n".join(output)
    return Ran(joined("\n".join(command)), printed, stated(printed))


def _commands(lines: Sequence[str]) -> Iterator[str]:
    """The commands of a block of shell lines; comments are none."""
    going_on: list[str] = []
    for line in lines:
        if not going_on and (not line.strip() or line.lstrip().startswith("#")):
            continue
        going_on.append(line)
        if not line.endswith("\\"):
            yield joined("\n".join(going_on))
            going_on = []
    if going_on:
        yield joined("\n".join(going_on))
