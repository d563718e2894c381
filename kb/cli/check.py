"""`kb check`: every problem of the session records, with file and line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from kb.cli.output import print_json
from kb.cli.terminal import one_line, paint, say
from kb.cli.where import chosen_home, only_records
from kb.errors import Problem


@click.command(short_help="Check session records; name every problem with file and line.")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the problems as JSON.")
@click.pass_context
def command(ctx: click.Context, files: tuple[Path, ...], as_json: bool) -> None:
    """Check session records; name every problem with file and line.

    Checks FILES, or all records of the knowledge base. Each problem is one line: file, line, what is wrong, and what
    would be right. FILES may lie anywhere; no knowledge base is needed for them.

    \b
    Examples:
      kb check
      kb check sessions/2026-02-22-vllm-eagle3.md
      kb check --json | jq '.problems[].message'

    Exit status: 0 no problem; 1 problems; 66 a file that was named cannot be read (the others are still checked).
    """
    checked = 0
    problems: list[Problem] = []
    for found in _readings(ctx, files):
        checked += 1
        problems.extend(found)
    if as_json:
        from kb.record.problems import problems_json

        print_json({"files": checked, "problems": problems_json(problems)})
    else:
        for problem in problems:
            hint = f" ({problem.hint})" if problem.hint else ""
            say(f"{paint(one_line(str(problem.location)), bold=True)}: {one_line(problem.message + hint)}")
        records = f"{checked} record" + ("" if checked == 1 else "s")
        say(f"{records}: " + (f"{len(problems)} problem{'s' * (len(problems) != 1)}" if problems else "no problem"))
    unreadable = bool(files) and any(problem.code == "unreadable" for problem in problems)
    ctx.exit(66 if unreadable else 1 if problems else 0)


def _readings(ctx: click.Context, files: tuple[Path, ...]) -> Iterator[tuple[Problem, ...]]:
    """The problems of each record, in the order given; of the whole folder when no file is named."""
    from kb.record.folder import read_file, read_folder

    if files:
        yield from (read_file(file, str(file)).problems for file in only_records(files))
    else:
        yield from (reading.problems for _, reading in read_folder(chosen_home(ctx)))
