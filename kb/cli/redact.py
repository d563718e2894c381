"""`kb redact`: secrets and personal values out of records that are stored already."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb.cli.terminal import note, one_line, paint, say, visible
from kb.cli.where import chosen_home, optional_home, strays
from kb.errors import InputError, Location, RecordError
from kb.home import LEADS_OUT

if TYPE_CHECKING:
    from kb.capture.redaction.policy import Policy
    from kb.home import Home


@click.command(short_help="Take secrets and personal values out of records.")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--write/--dry-run", "write", default=False, help="Change the files (default: only show what would change)."
)
@click.option(
    "--scan", is_flag=True, help="Only name lines that hold something; for hooks and CI. FILES may be any text."
)
@click.option(
    "--policy",
    "wanted",
    type=click.Choice(["secrets", "personal"]),
    help="What to take out (default: what kb.toml says, else personal).",
)
@click.pass_context
def command(ctx: click.Context, files: tuple[Path, ...], write: bool, scan: bool, wanted: str | None) -> None:
    """Take secrets and personal values out of records.

    Works on FILES, or on all records and decisions of the knowledge base. Each line that changes is shown as it will
    be; what was there is never printed. Files change only with --write, each at once or not at all. What is known to
    this machine as secret (its environment, credential files) is found whatever it looks like.

    A secret that was stored is no secret any more: change it where it is valid, and take it out of the history of the
    repository, too.

    \b
    Examples:
      kb redact
      kb redact --write sessions/2026-02-22-vllm-eagle3.md
      kb redact --scan --policy secrets $(git diff --cached --name-only)

    Exit status: 0 nothing to take out, or taken out; 1 something is there (--scan, --dry-run); 65 a record cannot be
    written without it; 66 a file cannot be read.
    """
    from kb.capture.redaction.known import machine_secrets
    from kb.capture.redaction.policy import Policy, policy_of

    policy = Policy(wanted) if wanted else policy_of(_home(ctx))
    if policy is Policy.OFF:
        note("redaction is off in kb.toml: nothing is looked for; name a --policy")
        ctx.exit(0)
    known = machine_secrets()
    places = statuses = 0
    home = optional_home(ctx)
    for path in _paths(ctx, files):
        try:
            if not scan and strays(home, path):
                raise InputError(LEADS_OUT, location=Location(str(path)))
            places += _scanned(path, policy, known) if scan else _cleaned(path, policy, known, write=write)
        except (InputError, RecordError) as error:
            note(str(error))
            statuses = max(statuses, error.exit_code)
    if places or not statuses:
        _say_total(places, changed=write and not scan, scan=scan)
    ctx.exit(statuses or (1 if places and not (write and not scan) else 0))


def _home(ctx: click.Context) -> Home | None:
    from kb.home import read_home

    home = optional_home(ctx)
    return read_home(home.root) if home is not None else None


def _paths(ctx: click.Context, files: tuple[Path, ...]) -> Iterator[Path]:
    from kb.record.decision_file import decision_files
    from kb.record.folder import session_files

    yield from files or (*session_files(chosen_home(ctx)), *decision_files(chosen_home(ctx)))


def _content(path: Path) -> str | None:
    """What a repository stores of a file: of a link, where it leads; else its text, None when it is none."""
    return os.readlink(path) if path.is_symlink() else _text(path)


def _text(path: Path) -> str | None:
    """The text of a file; None for one that is none (it holds NUL bytes), InputError when it cannot be read."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", location=Location(str(path))) from error
    return None if b"\0" in data[:8192] else data.decode("utf-8", "surrogateescape")


def _scanned(path: Path, policy: Policy, known: frozenset[str]) -> int:
    from kb.capture.redaction.redactor import Redactor
    from kb.capture.redaction.stored import changed_lines

    text = _content(path)
    count = 0
    for changed in changed_lines(text, Redactor(policy, known)) if text is not None else ():
        count += 1
        say(f"{paint(one_line(f'{path}:{changed.number}'), bold=True)}: {', '.join(changed.kinds)}")
    return count


def _cleaned(path: Path, policy: Policy, known: frozenset[str], *, write: bool) -> int:
    from kb.atomic import write_bytes
    from kb.capture.redaction.stored import redacted_record

    text = _text(path)
    done = redacted_record(text, policy, known) if text is not None else None
    if text is None or done is None or done == text:
        return 0
    before, after = text.split("\n"), done.split("\n")
    say(paint(visible(str(path)), bold=True))
    count = 0
    for number, line in enumerate(after, 1):
        if len(before) == len(after) and before[number - 1] == line:
            continue
        if len(before) != len(after) and line in before:
            continue
        count += 1
        say(f"  {number:>5}  {paint('+', 'green')} {one_line(line)}")
    if write:
        write_bytes(path, done.encode("utf-8", "surrogateescape"))
    return count


def _say_total(places: int, *, changed: bool, scan: bool) -> None:
    if not places:
        say("nothing to take out")
        return
    lines = f"{places} line{'s' * (places != 1)}"
    if scan:
        held = f"{lines} hold{'s' * (places == 1)} something that must not be stored"
        say(f"{held}; `kb redact --write` takes it out of records")
    else:
        say(f"{lines} " + ("changed" if changed else "would change; `kb redact --write` changes them"))
