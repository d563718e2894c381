"""`kb annotate`: the root failure of a log as a CI system's own annotation."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb.cli.reading import read_input
from kb.cli.terminal import note
from kb.cli.where import optional_home, ready_store
from kb.errors import KbError

if TYPE_CHECKING:
    from kb.capture.redacting import Redact
    from kb.index.store import Store
    from kb.triage.annotations import Annotation

FORMS = ("github", "gitlab", "buildkite", "junit")
_HERE = {"GITHUB_ACTIONS": "github", "GITLAB_CI": "gitlab", "BUILDKITE": "buildkite"}


@click.command(short_help="Print a log's root failure as an annotation for CI.")
@click.argument("files", nargs=-1, type=click.Path(), metavar="[FILE|-]...")
@click.option("--format", "form", type=click.Choice(FORMS), help="Default: the CI system this runs in, else github.")
@click.pass_context
def command(ctx: click.Context, files: tuple[str, ...], form: str | None) -> None:
    """Print a log's root failure as an annotation for CI.

    It says what failed, whether it is known, its fix, and the link to the runbook.

    github: workflow commands. gitlab: a Code Quality report, for `artifacts: reports: codequality`. buildkite: Markdown
    for `buildkite-agent annotate`. junit: FILE is a JUnit report; it is printed again, with properties kb.id,
    kb.verdict, kb.fix and kb.url on each failed test.

    \b
    Examples:
      make test 2>&1 | tee build.log || kb annotate build.log
      kb annotate --format gitlab build.log > gl-code-quality-report.json
      kb annotate --format buildkite build.log | buildkite-agent annotate
      kb annotate --format junit report.xml > annotated.xml

    Exit status: 0 done, also when nothing failed; 64 wrong usage; 66 an input cannot be read.
    """
    from kb.triage import annotations

    form = form or next((name for variable, name in _HERE.items() if os.environ.get(variable)), "github")
    store, base_url, redact = _store(ctx)
    if form == "junit":
        _junit(ctx, files, store, base_url, redact)
        return
    sources = _sources()
    found = [one for name in files or ("-",) if (one := _annotation(name, store, base_url, sources, redact))]
    if form == "gitlab":
        click.echo(annotations.gitlab(found))
    for one in found if form != "gitlab" else ():
        click.echo(annotations.github(one) if form == "github" else annotations.buildkite(one))


def _store(ctx: click.Context) -> tuple[Store | None, str, Redact]:
    """The index to ask, the address of the site, and what takes secrets out; paths stay, they say where to look.

    A CI run without a knowledge base is told what failed, too.
    """
    from kb.capture.redaction.redactor import secrets_redactor
    from kb.home import read_home

    home = optional_home(ctx)
    if home is None:
        return None, "", secrets_redactor(None).text
    try:
        home = read_home(home.root)
        return ready_store(home), home.site_url, secrets_redactor(home).text
    except KbError as error:
        note(str(error))
        return None, "", secrets_redactor(None).text


def _annotation(name: str, store: Store | None, base_url: str, sources: list[str], redact: Redact) -> Annotation | None:
    from kb.failures.large import LARGE
    from kb.triage.annotations import annotation
    from kb.triage.report import triage

    source = "<stdin>" if name == "-" else name
    return annotation(triage(read_input(name, LARGE), source, store), base_url, sources, redact)


def _junit(ctx: click.Context, files: tuple[str, ...], store: Store | None, base_url: str, redact: Redact) -> None:
    from kb.triage.annotations import annotation
    from kb.triage.junit import annotate
    from kb.triage.report import triage

    if len(files) != 1:
        raise click.UsageError("--format junit takes one report", ctx)
    source = files[0]
    data = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()

    def told(text: str) -> Annotation | None:
        return annotation(triage(text.encode(), source, store), base_url, (), redact)

    report, count = annotate(data, source, told)
    click.echo(report)
    note(f"{count} failed tests annotated")


def _sources() -> list[str]:
    """The files of this checkout, as Git names them; none outside one."""
    from kb.capture.git import git

    return (git(".", "ls-files", "-z") or "").split("\0")
