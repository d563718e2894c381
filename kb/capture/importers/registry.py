"""The formats that can be imported, in the order in which they are tried: those that are told surely come first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from kb.capture.importers import (
    actions,
    aider,
    asciicast,
    atuin,
    bash_history,
    claude,
    codex,
    fish_history,
    github_issue,
    junit,
    narrative,
    notebook,
    openhands,
    plain_log,
    reportlog,
    swe_agent,
    typescript,
    zsh_history,
)
from kb.capture.importers.source import Source
from kb.capture.importers.told import Story


class Format(NamedTuple):
    """A format: its name, what it is, whether a file is of it (by its path and first bytes), and its reader."""

    name: str
    what: str
    knows: Callable[[Path, bytes], bool]
    read: Callable[[Source], Story]


FORMATS = (
    Format("asciicast", "a terminal recorded by asciinema (v2 and v3)", asciicast.knows, asciicast.read),
    Format("typescript", "a terminal recorded by script, with its timing file", typescript.knows, typescript.read),
    Format("claude", "a session of Claude Code (JSONL)", claude.knows, claude.read),
    Format("codex", "a rollout of Codex CLI (JSONL)", codex.knows, codex.read),
    Format("aider", "a chat history of aider", aider.knows, aider.read),
    Format("swe-agent", "a trajectory of SWE-agent or mini-swe-agent", swe_agent.knows, swe_agent.read),
    Format("openhands", "a trajectory of OpenHands", openhands.knows, openhands.read),
    Format("junit", "a test report in JUnit XML", junit.knows, junit.read),
    Format("pytest", "a report log of pytest (pytest-reportlog)", reportlog.knows, reportlog.read),
    Format("actions", "logs of GitHub Actions: an archive, or a job's log", actions.knows, actions.read),
    Format("github-issue", "an issue of GitHub (gh issue view --json)", github_issue.knows, github_issue.read),
    Format("notebook", "a Jupyter notebook", notebook.knows, notebook.read),
    Format("bash", "a history of bash: the last sitting", bash_history.knows, bash_history.read),
    Format("zsh", "a history of zsh: the last sitting", zsh_history.knows, zsh_history.read),
    Format("fish", "a history of fish: the last sitting", fish_history.knows, fish_history.read),
    Format("atuin", "the database of atuin: the last sitting", atuin.knows, atuin.read),
    Format("write-up", "a write-up in Markdown or plain text", narrative.knows, narrative.read),
    Format("log", "any other text: the lines that show its failures", plain_log.knows, plain_log.read),
)
