"""`kb import`: make a session of what people have already."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb.cli.terminal import cut, note, one_line, paint, say, verbatim, visible
from kb.cli.where import chosen_home
from kb.errors import Location, UsageError, WriteError
from kb.home import find_home

if TYPE_CHECKING:
    from kb.capture.importers.drafting import Drafted
    from kb.capture.importers.told import Story

_MOST = 12


@click.command("import", short_help="Make a session of a recording, a transcript, a report, a write-up or commits.")
@click.argument("files", nargs=-1, metavar="FILE... | git A..B")
@click.option("--format", "format_", metavar="NAME", default="", help="What the files are (default: told by content).")
@click.option("--title", metavar="TEXT", default="", help="The title of the session (default: what the file says).")
@click.option("--output", "-o", metavar="FILE", help='Write the record to this file ("-": print it) and store nothing.')
@click.option("--list", "only_list", is_flag=True, help="List the formats, and import nothing.")
@click.pass_context
def command(
    ctx: click.Context, files: tuple[str, ...], format_: str, title: str, output: str | None, only_list: bool
) -> None:
    """Make a session of a recording, a transcript, a report, a write-up or commits.

    FILE may be of many formats (--list names them) and is told by its content. Commands with their exit status,
    failures and changes become the steps of one record; where something was run again, an attempt begins. Secrets are
    taken out first. What the file does not say is left open and listed, and so is what of it could not be read.

    Several FILEs become one session, an attempt each: the test report before a fix and the one after it. `kb import git
    A..B` takes commits of the repository here as a fix of what their messages tell.

    \b
    Examples:
      kb import demo.cast
      kb import ~/.claude/projects/-srv-app/1f0c….jsonl
      kb import before.xml after.xml
      kb import --output - write-up.md
      kb import git v1.2..v1.3

    Exit status: 0 imported; 64 wrong usage; 66 a file cannot be read, or nothing in it can (nothing is written).
    """
    if only_list:
        _list()
        return
    if not files:
        raise UsageError("nothing is named to import", hint="kb import FILE; `kb import --list` names the formats")
    story, otherwise = _git(files[1:]) if _is_git(files) else _read(files, format_)
    drafted = _drafted(ctx, story, title, otherwise, output)
    if output is None:
        _tell(drafted, chosen_home(ctx).sessions / f"{drafted.session.id}.md")
    for text in drafted.lost:
        note(f"not imported: {one_line(text)}")


def _list() -> None:
    from kb.capture.importers.registry import FORMATS

    for one in FORMATS:
        say(f"{one.name:<12} {one.what}")
    say(f"{'git A..B':<12} commits of the repository in this folder")


def _is_git(files: tuple[str, ...]) -> bool:
    return files[0] == "git" and not Path("git").is_file()


def _git(ranges: tuple[str, ...]) -> tuple[Story, datetime]:
    """What the commits of the range tell."""
    if len(ranges) != 1:
        raise UsageError("one range of commits is needed", hint="kb import git OLD..NEW")
    from kb.capture.importers.commits import read_commits

    return read_commits(Path.cwd(), ranges[0]), datetime.now(UTC)


def _read(files: tuple[str, ...], format_: str) -> tuple[Story, datetime]:
    """What the files tell, and when the first of them was changed last."""
    from kb.capture.importers.reading import read_file, together

    reads = [read_file(Path(file), format_) for file in files]
    for read in reads:
        note(f"{read.source.name}: read as {read.format.what}")
    return together(reads), min(read.source.modified for read in reads)


def _drafted(ctx: click.Context, story: Story, title: str, otherwise: datetime, output: str | None) -> Drafted:
    from kb.capture.importers.reading import store, without_home

    if output is None:
        return store(chosen_home(ctx), story, title=title, otherwise=otherwise)
    from kb.atomic import write_text
    from kb.capture.redaction.known import machine_secrets
    from kb.capture.redaction.policy import policy_of
    from kb.capture.redaction.redactor import Redactor
    from kb.record.writer import write_session

    home = chosen_home(ctx) if ctx.obj else find_home()
    redactor = Redactor(policy_of(home), machine_secrets())
    drafted = without_home(story, redactor.text, title=title, otherwise=otherwise)
    text = write_session(drafted.session)
    if output == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        try:
            write_text(Path(output), text)
        except OSError as error:
            raise WriteError(f"cannot be written: {error.strerror}", location=Location(output)) from error
    for one in drafted.open:
        note(f"open: {one_line(one.message)}")
    return drafted


def _tell(drafted: Drafted, path: Path) -> None:
    """What was made, and what a person should still say."""
    from kb.capture.runs import ended_badly

    session = drafted.session
    say(f"session {paint(one_line(session.id), bold=True)}: {cut(one_line(session.title), 90)}")
    say(f"  {visible(_shown(path))}")
    for number, attempt in list(enumerate(session.attempts, start=1))[:_MOST]:
        count = len(attempt.steps)
        how = "a failure" if any(ended_badly(step) for step in attempt.steps) else "no failure"
        say(f"  attempt {number}: {cut(one_line(attempt.title), 50)} ({count} step{'s' * (count != 1)}, {how})")
    if len(session.attempts) > _MOST:
        say(f"  … and {len(session.attempts) - _MOST} more attempts")
    if drafted.open:
        say()
        say("Still open:")
        for one in drafted.open[:_MOST]:
            for line in verbatim(one_line(one.message), indent="    ", first="  - "):
                say(line)
        if len(drafted.open) > _MOST:
            say(f"  … and {len(drafted.open) - _MOST} more")
        say()
        goes_on = f"kb resume {one_line(session.id)} goes on with it"
        for line in verbatim(f"{goes_on}; then kb edit, kb fix and kb finish complete it"):
            say(line)


def _shown(path: Path) -> str:
    here = Path.cwd().resolve()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
