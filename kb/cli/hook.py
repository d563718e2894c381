"""`kb hook`: record an agent's session as it happens."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import click

from kb.capture.agents.settings import AGENTS, COMMAND, Agent, install, part, remove
from kb.cli.recording import recording_home, redactor_of, ring_of, session_of
from kb.cli.terminal import note, say
from kb.errors import KbError, UsageError

#: What an agent may send at most; more is no command with its output.
_LARGEST = 8 << 20


@click.group(short_help="Record an agent's session as it happens.")
def command() -> None:
    """Record an agent's session as it happens.

    An agent that calls a program after each of its steps can be recorded without typing anything: each command it ran
    goes, without secrets, into the session that is open in its folder, or is kept for `kb promote` when none is.

    \b
    Examples:
      kb hook claude --install
      kb hook claude --remove
      kb hook gemini
    """


def _hooks_of(agent: Agent) -> click.Command:
    """The command that puts kb's hooks into the settings of `agent`."""

    @click.command(agent.name, short_help=f"Hooks for {agent.title}.")
    @click.option("--install", "install_", is_flag=True, help=f"Put them into {agent.file} of this folder.")
    @click.option("--remove", "remove_", is_flag=True, help="Take them out again.")
    def hooks(install_: bool, remove_: bool) -> None:
        if install_ and remove_:
            raise UsageError("--install and --remove exclude each other")
        if install_:
            done = install(agent, Path())
            said = "what the agent runs is recorded from its next start on" if done else "it stands there already"
            say(f"{agent.file}: {said}")
            if agent.note:
                note(agent.note)
            if shutil.which("kb") is None:
                note("there is no kb on the PATH here: the agent must find one there")
        elif remove_:
            say(f"{agent.file}: {'taken out' if remove(agent, Path()) else 'there was nothing of kb in it'}")
        else:
            say(json.dumps(part(agent), indent=2))

    hooks.help = f"""Hooks for {agent.title}.

    Prints the part of the settings that has each command of the agent recorded; --install puts it into {agent.file} of
    this folder, beside what stands there, and --remove takes it out.

    \b
    Examples:
      kb hook {agent.name}
      kb hook {agent.name} --install
      kb hook {agent.name} --remove

    Exit status: 0 done; 64 wrong usage; 66 the settings cannot be read.
    """
    return hooks


for _agent in AGENTS.values():
    if _agent.file:
        command.add_command(_hooks_of(_agent))


@command.command("any", short_help="How any other agent is recorded.")
def any_() -> None:
    """How any other agent is recorded.

    Whatever can run a program after each of its commands, an agent or a script, pipes one JSON object to `kb hook
    record any`: `command`, and as far as they are known `output`, `exit`, `cwd` and `seconds`. This prints one.

    \b
    Examples:
      kb hook any
      kb hook any | kb hook record any
    """
    say(json.dumps({"command": "make test", "output": "1 failed", "exit": 2, "cwd": os.getcwd(), "seconds": 3.5}))


@command.command("record", short_help="Record one command; called by the agent.")
@click.argument("name", metavar="AGENT", type=click.Choice(list(AGENTS)))
@click.pass_context
def record(ctx: click.Context, name: str) -> None:
    """Record the command that the agent describes on standard input as JSON.

    This is what the hooks call. It never stops the agent: what cannot be recorded is said on standard error.

    \b
    Examples:
      kb hook record claude < event.json

    Exit status: 0, always.
    """
    if sys.stdin.isatty():
        note(f"nothing is recorded from a terminal; an agent calls {COMMAND.format(name=name)}")
        return
    try:
        _record(ctx, AGENTS[name], json.loads(sys.stdin.buffer.read(_LARGEST).decode("utf-8", "replace")))
    except (KbError, OSError) as error:
        note(f"not recorded: {error}")
    except (ValueError, TypeError, AttributeError, KeyError, IndexError, RecursionError):
        note(f"not recorded: what {name} sent is no command")


def _record(ctx: click.Context, agent: Agent, event: dict[str, Any]) -> None:
    """Keep the run that the event of a hook describes, and put it into the session of its folder."""
    from kb.capture.run.filing import file_run
    from kb.capture.run.log import CommandLog

    did = agent.read(event)
    if did is None:
        return
    if os.path.isdir(did.cwd):
        os.chdir(did.cwd)
    home = recording_home(ctx)
    session = session_of(home, "")
    ring = ring_of(home)
    redactor = redactor_of(home, session, ring)
    run = ring.begin(redactor.text(did.command), redactor.text(did.cwd), session=session, origin=agent.name)
    log = CommandLog(run.folder, redactor, 1)
    log.take(0, did.output.encode("utf-8", "replace"), last=True)
    log.close()
    started = run.started - timedelta(seconds=did.seconds or 0)
    run = replace(run, started=started, exit=did.exit, seconds=did.seconds, lines=log.lines, ended=True)
    ring.write(run)
    if home is not None:
        file_run(home, ring, run)
    ring.prune()
