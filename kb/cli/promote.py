"""`kb promote`: a session of what was just done."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb.capture.terminal import terminal_key
from kb.cli.recording import recover_all, ring_of
from kb.cli.terminal import cut, note, one_line, say, visible
from kb.cli.where import chosen_home
from kb.errors import WriteError

if TYPE_CHECKING:
    from kb.capture.current import Current
    from kb.capture.run.ring import Ring, Run
    from kb.home import Home

_SPAN = re.compile(r"(?:(\d{1,4})d)?(?:(\d{1,5})h)?(?:(\d{1,6})m)?(?:(\d{1,7})s)?")
_LONGEST_TITLE = 100


class Span(click.ParamType[timedelta]):
    """A length of time such as 40m or 1h30m."""

    name = "span"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        """The length of time that the text says."""
        found = _SPAN.fullmatch(str(value))
        if not found or not any(found.groups()):
            self.fail(f"{value!r} is no length of time: 40m, 2h, 1h30m, 1d", param, ctx)
        days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
        return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)


@click.command(short_help="Make a session of what was run lately.")
@click.argument("words", nargs=-1, metavar="[TITLE]...")
@click.option("--last", type=Span(), default="40m", metavar="SPAN", help="How far back: 40m, 2h, 1d (default: 40m).")
@click.option("--everywhere", is_flag=True, help="What was run in other terminals, too.")
@click.option("--session", "named", metavar="ID", help="Add to this session instead of making one.")
@click.option("--list", "only_list", is_flag=True, help="Show what would go into it, and make nothing.")
@click.pass_context
def command(
    ctx: click.Context, words: tuple[str, ...], last: timedelta, everywhere: bool, named: str | None, only_list: bool
) -> None:
    """Make a session of what was run lately.

    Everything that `kb run` and `kb shell` record is remembered for a while (the last 400 commands, 64 MiB). What they
    ran within the last SPAN in this terminal, and no session has yet, becomes one: its commands fall into attempts, and
    it is open afterwards, so that `kb fix`, `kb diagnose` and `kb finish` complete it.

    \b
    Examples:
      kb promote
      kb promote --last 2h vLLM dies when the draft model loads
      kb promote --list --everywhere

    Exit status: 0 made; 1 nothing was run; 64 no knowledge base here.
    """
    home = chosen_home(ctx)
    recover_all(home)
    found = _found(home, datetime.now(UTC) - last, everywhere=everywhere)
    if not found:
        where = "" if everywhere else " in this terminal (see --everywhere)"
        note(f"nothing without a session was recorded in the last {_words(last)}{where}")
        ctx.exit(1)
    if only_list:
        for _, run in found:
            say(f"{run.started.astimezone():%H:%M}  {_ended(run):<10} {cut(one_line(run.command), 70)}")
        return
    current = _session(home, [run for _, run in found], " ".join(words), named or "")
    try:
        _fill(current, found)
    except BaseException:
        if not named:
            from kb.capture.writing import take_back

            take_back(current)
        raise
    # From here on the record is whole: what goes wrong now must not take it back.
    for ring, run in found:
        ring.mark_filed(ring.write(replace(run, session=current.id)))
    count = len(found)
    say(f"session {one_line(current.id)} is open, with {count} command{'' if count == 1 else 's'} in its record")
    say(f"  {visible(_shown(current.record))}")
    say("  kb fix NAME names what helped, kb finish ends it")


def _found(home: Home, moment: datetime, *, everywhere: bool) -> list[tuple[Ring, Run]]:
    """The runs that have ended, are in no session and are of this terminal, the oldest first, each with its ring."""
    key = terminal_key()
    runs = [(ring, run) for ring in (ring_of(home), ring_of(None)) for run in ring.since(moment)]
    mine = [
        (ring, run)
        for ring, run in runs
        if run.ended and not run.session and not run.filed and (everywhere or not key or run.terminal in ("", key))
    ]
    return sorted(mine, key=lambda pair: pair[1].started)


def _ended(run: Run) -> str:
    if run.exit is not None:
        return f"exit {run.exit}"
    return f"signal {run.signal}" if run.signal else "not known"


def _session(home: Home, runs: list[Run], title: str, named: str) -> Current:
    from kb.capture.current import need_current
    from kb.capture.entry import Entry
    from kb.capture.environment.collect import collect
    from kb.capture.writing import begin

    if named:
        return need_current(home, named=named)
    facts = collect(Path.cwd())
    known = Entry(components=facts.components, environment=facts.environment)
    return begin(home, title or _title(runs), known=known, now=runs[0].started)


def _title(runs: list[Run]) -> str:
    """The failure that the last failing command ended in, else what was run."""
    from kb.failures.find import find_failures

    for run in reversed(runs):
        if run.failed:
            found = find_failures(run.log.text)
            if found.primary is not None:
                failure = found.failures[found.primary]
                kind = failure.type.rpartition(".")[2]
                message = failure.message.strip().split("\n", 1)[0]
                return cut(one_line(f"{kind}: {message}" if kind and message else kind or message), _LONGEST_TITLE)
    failing = [run for run in runs if run.failed]
    return cut(one_line((failing or runs)[0].command), _LONGEST_TITLE)


def _fill(current: Current, found: list[tuple[Ring, Run]]) -> None:
    """Put the runs into the record. Raises WriteError when the record cannot take them now."""
    from kb.capture.entry import Entry
    from kb.capture.run.filing import console
    from kb.capture.writing import append

    for _, run in found:
        done = append(current, Entry(steps=(console(run),)))
        if done.waits:
            raise WriteError(f"the commands wait for the record: {done.waits}")


def _words(span: timedelta) -> str:
    minutes = int(span.total_seconds()) // 60
    return f"{minutes} minutes" if minutes < 120 else f"{minutes // 60} hours"


def _shown(path: Path) -> str:
    here = Path.cwd().resolve()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
