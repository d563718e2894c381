"""Telling whether a console shows the same thing being run again, and whether a piece of evidence shows a failure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from kb.failures.find import Found, find_failures
from kb.record.model import Console, DeclaredFailure, Log, Step

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=\S*")
_RUNNERS = frozenset({"sudo", "time", "nohup", "exec", "command", "env"})
_LONGEST_TITLE = 72
#: What is quoted in a command line, what joins its parts, and output that changes no file.
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_PARTS = re.compile(r"\|\||&&|\||;")
_TO_NOWHERE = re.compile(r"[0-9&]?>+\s*(?:/dev/null|&[0-9-])")
#: Programs that look at something and change nothing.
_LOOKING = frozenset(
    ["ls", "cat", "less", "head", "tail", "grep", "rg", "find", "ps", "top", "htop", "df", "du", "free", "env", "echo"]
    + ["pwd", "which", "file", "stat", "wc", "diff", "nvidia-smi", "dmesg", "journalctl", "lsof", "ss", "kb", "man"]
)
_LOOKING_AT = frozenset(["git status", "git diff", "git log", "git show", "pip list", "pip show", "pip freeze"])


def commands(body: str) -> tuple[str, ...]:
    """The shell lines of a console body, each on one line, continued ones joined."""
    found: list[str] = []
    going_on = False
    for line in body.split("\n"):
        if going_on:
            found[-1] += " " + line.strip().removesuffix("\\").strip()
        elif line.startswith("$ "):
            found.append(line[2:].strip().removesuffix("\\").strip())
        else:
            continue
        going_on = line.endswith("\\")
    return tuple(found)


def output(body: str) -> str:
    """A console body without its commands."""
    kept: list[str] = []
    going_on = False
    for line in body.split("\n"):
        is_command = going_on or line.startswith("$ ")
        going_on = is_command and line.endswith("\\")
        if not is_command:
            kept.append(line)
    return "\n".join(kept)


def tried(console: Console) -> tuple[str, ...]:
    """What each command of a console tries: the program and the first things it was given, without their options.

    `python train.py --batch 8` and `FOO=1 python train.py --batch 4` try the same.
    """
    return _tried_in(console.body)


# A session is looked at again for each step that is added to it: what was found is kept.
@lru_cache(maxsize=4096)
def _tried_in(body: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_tried(command) for command in commands(body)))


def _tried(command: str) -> str:
    words = command.split()
    while words and (_ASSIGNMENT.fullmatch(words[0]) or words[0] in _RUNNERS):
        words = words[1:]
    if not words:
        return command
    program = words[0].rpartition("/")[2]
    if program.startswith("python") and words[1:2] == ["-m"]:
        return " ".join(["python", *words[1:3]])
    program = "python" if re.fullmatch(r"python[\d.]*", program) else program
    given = [word for word in words[1:] if not word.startswith("-")]
    return " ".join([program, *given[:1]]) if given else " ".join([program, *words[1:]])


def only_looks(command: str) -> bool:
    """Whether a command looks at something and changes nothing, in each of its parts."""
    plain = _QUOTED.sub("_", command)
    if ">" in _TO_NOWHERE.sub("", plain):
        return False
    return all(_looks(part.split()) for part in _PARTS.split(plain))


def _looks(words: Sequence[str]) -> bool:
    if words[:1] == ["env"] and len(words) > 1:  # it runs something
        return False
    return bool(words) and (words[0] in _LOOKING or " ".join(words[:2]) in _LOOKING_AT)


def found_in(step: Step) -> Found | None:
    """The failures that a console or a log shows; None for any other step."""
    if isinstance(step, Console):
        return find_failures(output(step.body))
    return find_failures(step.body) if isinstance(step, Log) else None


def ended_badly(step: Step) -> bool:
    """Whether a step shows a failure: an exit status or a signal that says so, or an error in what was printed."""
    if isinstance(step, DeclaredFailure):
        return True
    if isinstance(step, Console) and (step.exit or step.signal):
        return True
    if isinstance(step, Console):
        return shows_failure(output(step.body))
    return isinstance(step, Log) and shows_failure(step.body)


@lru_cache(maxsize=4096)
def shows_failure(text: str) -> bool:
    """Whether a failure is found in a text."""
    return find_failures(text).primary is not None


def title_of(step: Step) -> str:
    """A title for the attempt that begins with `step`: what was run or read."""
    if isinstance(step, Console):
        words = next(iter(commands(step.body)), "run")
    elif isinstance(step, Log):
        words = f"read {step.source.rpartition('/')[2] or step.source}" if step.source else "read a log"
    elif isinstance(step, DeclaredFailure):
        words = step.slug.replace("-", " ")
    else:
        words = "first look"
    words = " ".join("".join(c if c.isprintable() else " " for c in words).split())
    return (words if len(words) <= _LONGEST_TITLE else words[: _LONGEST_TITLE - 1].rstrip() + "…") or "run"
