"""`kb site`: build or serve the runbook site."""

from __future__ import annotations

from pathlib import Path

import click

from kb.cli.terminal import Progress, note, one_line, say, visible
from kb.cli.where import chosen_home
from kb.errors import Location, Problem, WriteError


@click.group(short_help="Build or serve the runbook site.")
def command() -> None:
    """Build or serve the runbook site.

    \b
    Examples:
      kb site build
      kb site serve --port 8000
      kb site pages markdown
    """


@command.command()
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="The folder to write (default: public/ of the knowledge base).",
)
@click.option("--strict", is_flag=True, help="Refuse problems of records, warnings and broken links.")
@click.pass_context
def build(ctx: click.Context, output: Path | None, strict: bool) -> None:
    """Write the site as files that need no server.

    The pages open from disk, from any web server, or from an archive of a CI job. Pages that did not change are not
    written again. A session whose record holds a secret is left out until `kb redact` has taken the secret out.

    \b
    Examples:
      kb site build
      kb site build --output /srv/www/runbook --strict

    Exit status: 0 written; 70 the site cannot be built, or --strict refuses it; 74 DIR cannot be written.
    """
    from kb.publish.build import build_site

    home = chosen_home(ctx)
    folder = output or home.public
    progress = Progress("pages")
    try:
        built = build_site(home, folder, strict=strict, progress=progress)
    except OSError as error:
        hint = "name a folder that you may write to with `--output DIR`"
        raise WriteError(
            f"the site cannot be written: {error.strerror or error}", location=Location(str(folder)), hint=hint
        ) from error
    finally:
        progress.close()
    for warning in built.warnings:
        note(warning)
    _tell_left_out(built.problems, built.left_out)
    if built.problems:
        note(f"{len(built.problems)} problem{'s' * (len(built.problems) != 1)} in session records; see `kb check`")
    say(f"{built.pages} pages in {visible(str(folder))}; open {visible(str(folder / 'index.html'))}")


@command.command()
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="0 takes any free port.")
@click.pass_context
def serve(ctx: click.Context, port: int) -> None:
    """Serve the site on this machine and rebuild it when a record changes.

    Listens on 127.0.0.1 only. Stop it with Ctrl-C.

    \b
    Examples:
      kb site serve
      kb site serve --port 0

    Exit status: 0 stopped with Ctrl-C; 66 the port cannot be had; 70 the site cannot be built.
    """
    from kb.publish.serve import serve as serve_site

    serve_site(chosen_home(ctx), port, told=lambda line: say(visible(line)))


@command.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), metavar="DIR")
@click.pass_context
def pages(ctx: click.Context, folder: Path) -> None:
    """Write the runbook as plain Markdown, with a mkdocs.yml.

    It reads well on a Git host, and MkDocs or any engine that takes its configuration makes a site of it. A later run
    replaces what changed and deletes what is no more. A session whose record holds a secret is left out.

    \b
    Examples:
      kb site pages markdown
      kb site pages markdown && mkdocs build -f markdown/mkdocs.yml

    Exit status: 0 written; 70 DIR holds something else; 74 DIR cannot be written.
    """
    from kb.publish.markdown import write_pages

    try:
        number, told = write_pages(chosen_home(ctx), folder)
    except OSError as error:
        raise WriteError(
            f"the pages cannot be written: {error.strerror or error}", location=Location(str(folder))
        ) from error
    _tell_left_out(told.problems, told.left_out)
    say(f"{number} pages in {visible(str(folder / 'docs'))}")


def _tell_left_out(problems: tuple[Problem, ...], sessions: tuple[str, ...]) -> None:
    """Say where a secret stands, and which sessions nobody will read because of it."""
    for problem in problems:
        if problem.code == "secret":
            note(one_line(str(problem)))
    for session in sessions:
        note(f"left out: session {one_line(session)}, since a secret stands in its record")
