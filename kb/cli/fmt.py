"""`kb fmt`: session records in their canonical form."""

from __future__ import annotations

from pathlib import Path

import click

from kb.atomic import write_text
from kb.cli.terminal import note, one_line, say, visible
from kb.cli.where import chosen_home, only_records, optional_home, strays


@click.command(short_help="Write session records in their canonical form.")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("--check", is_flag=True, help="Write nothing; name the files that would change.")
@click.pass_context
def command(ctx: click.Context, files: tuple[Path, ...], check: bool) -> None:
    """Write session records in their canonical form.

    Formats FILES, or all records of the knowledge base. The content stays the same: a record with
    problems is left alone, and they are reported.

    \b
    Examples:
      kb fmt
      kb fmt --check sessions/*.md

    Exit status: 0 done; 1 with --check, when a file would change; 65 a record has problems; 66 a file that was named
    cannot be read (the others are still formatted).
    """
    from kb.record.folder import read_file, read_own, session_files
    from kb.record.writer import write_session

    changed = bad = unreadable = 0
    home = optional_home(ctx) if files else chosen_home(ctx)
    for path in only_records(files) if files or home is None else session_files(home):
        stray = home is not None and strays(home, path)
        session, problems = read_own(home, path, str(path)) if home and stray else read_file(path, str(path))
        if session is None or problems:
            bad += 1
            unreadable += any(problem.code == "unreadable" for problem in problems)
            for problem in problems:
                note(one_line(str(problem)))
            continue
        canonical = write_session(session)
        if canonical.encode("utf-8") == path.read_bytes():
            continue
        changed += 1
        say(("would change " if check else "changed ") + visible(str(path)))
        if not check:
            write_text(path, canonical)
    ctx.exit(66 if files and unreadable else 65 if bad else 1 if check and changed else 0)
