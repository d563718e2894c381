"""`kb hook`: record an agent's session as it happens."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import click

from kb.cli.recording import recording_home, redactor_of, ring_of, session_of
from kb.cli.terminal import note, say
from kb.errors import InputError, KbError, Location

#: What an agent may send at most; more is no command with its output.
_LARGEST = 8 << 20
_EVENTS = ("PostToolUse", "PostToolUseFailure")


@click.group(short_help="Record an agent's session as it happens.")
def command() -> None:
    """Record an agent's session as it happens.

    An agent that calls a program after each of its steps can be recorded without typing anything: each command it ran
    goes, without secrets, into the session that is open in its folder, or is kept for `kb promote` when none is.

    \b
    Examples:
      kb hook claude --install
    """


@command.command("claude", short_help="Hooks for Claude Code.")
@click.option("--install", is_flag=True, help="Put them into .claude/settings.local.json of this folder.")
def claude(install: bool) -> None:
    """Hooks for Claude Code.

    Prints the part of settings.json that has each command of the agent recorded; --install puts it into
    .claude/settings.local.json of this folder, beside what stands there.

    \b
    Examples:
      kb hook claude
      kb hook claude --install

    Exit status: 0 done; 66 the settings cannot be read.
    """
    entry = {"matcher": "Bash", "hooks": [{"type": "command", "command": "kb hook record claude", "timeout": 30}]}
    if not install:
        say(json.dumps({"hooks": {event: [entry] for event in _EVENTS}}, indent=2))
        return
    from kb.atomic import write_text

    path = Path(".claude") / "settings.local.json"
    settings = _settings(path)
    hooks = settings.setdefault("hooks", {})
    lists = [hooks.setdefault(event, []) if isinstance(hooks, dict) else None for event in _EVENTS]
    if not all(isinstance(one, list) for one in lists):
        raise InputError("its hooks are not as they should be", location=Location(str(path)))
    missing = [one for one in lists if isinstance(one, list) and entry not in one]
    for one in missing:
        one.append(entry)
    if missing:
        write_text(path, json.dumps(settings, indent=2) + "\n")
    say(f"{path}: {'what the agent runs is recorded from its next start on' if missing else 'it stands there already'}")


def _settings(path: Path) -> dict[str, Any]:
    """The settings that stand in `path`; none when there is no such file."""
    try:
        settings = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read: {error}", location=Location(str(path))) from error
    if not isinstance(settings, dict):
        raise InputError("holds no settings", location=Location(str(path)))
    return settings


@command.command("record", short_help="Record one command; called by the agent.")
@click.argument("agent", type=click.Choice(["claude"]))
@click.pass_context
def record(ctx: click.Context, agent: str) -> None:
    """Record the command that the agent describes on standard input as JSON.

    This is what the hooks call. It never stops the agent: what cannot be recorded is said on standard error.

    \b
    Examples:
      kb hook record claude < event.json

    Exit status: 0, always.
    """
    try:
        _record(ctx, json.loads(sys.stdin.buffer.read(_LARGEST).decode("utf-8", "replace")))
    except (KbError, OSError) as error:
        note(f"not recorded: {error}")
    except (ValueError, TypeError, AttributeError, KeyError):
        note(f"not recorded: what {agent} sent is no command")


def _record(ctx: click.Context, event: dict[str, Any]) -> None:
    """Keep the run that the event of a hook describes, and put it into the session of its folder."""
    from kb.capture.run.filing import file_run
    from kb.capture.run.log import CommandLog
    from kb.capture.shell.agents import claude_command

    did = claude_command(event)
    if did is None:
        return
    if os.path.isdir(did.cwd):
        os.chdir(did.cwd)
    home = recording_home(ctx)
    session = session_of(home, "")
    ring = ring_of(home)
    redactor = redactor_of(home, session, ring)
    run = ring.begin(redactor.text(did.command), redactor.text(did.cwd), session=session, origin="claude")
    log = CommandLog(run.folder, redactor, 1)
    log.take(0, did.output.encode("utf-8", "replace"), last=True)
    log.close()
    run = ring.end(run, exit_=did.exit, signal=None, lines=log.lines, seconds=did.seconds)
    if home is not None:
        file_run(home, ring, run)
    ring.prune()
