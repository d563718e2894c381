"""`kb log`: put what matters of a log into the session."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

import click

from kb.cli.reading import read_input
from kb.cli.session import add, session_of, session_option
from kb.cli.terminal import cut, one_line, say
from kb.errors import InputError, Location

if TYPE_CHECKING:
    from kb.capture.current import Current
    from kb.capture.excerpts import Excerpt


@click.command("log", short_help="Put the lines of a log that show its failures into the session.")
@click.argument("files", nargs=-1, type=click.Path(), metavar="[FILE|-]...")
@click.option("--whole", is_flag=True, help="Keep the whole file too, compressed, beside the record.")
@click.option("--name", metavar="NAME", help="What standard input is called in the record.")
@session_option
@click.pass_context
def command(ctx: click.Context, files: tuple[str, ...], whole: bool, name: str | None, named: str) -> None:
    """Put the lines of a log that show its failures into the session.

    Keeps what `kb triage` would show; of a log without a failure its last lines, which show that it is gone. Reads
    FILES, or standard input when none is named or the name is "-". What is secret is taken out before anything is
    written, of the whole file, too.

    After a fix, or when a log of the same name is there already, the next attempt begins with it.

    \b
    Examples:
      kb log server.log
      journalctl -u app --since today | kb log --name app.journal
      kb log --whole rank0.log rank1.log

    Exit status: 0 written; 64 no session is open; 66 a file cannot be read (nothing is written).
    """
    from kb.capture.entry import Entry

    current = session_of(ctx, named)
    # All are read before any is written: a wrong name leaves nothing half done.
    excerpts = list(_excerpts(current, files or ("-",), whole, name))
    add(current, Entry(steps=tuple(one.log for one in excerpts)), "log" if len(excerpts) == 1 else "logs")
    for one in excerpts:
        say(_told(one))


def _excerpts(current: Current, files: tuple[str, ...], whole: bool, name: str | None) -> Iterator[Excerpt]:
    from kb.capture.excerpts import excerpt_of
    from kb.capture.redacting import redactor
    from kb.failures.large import LARGE
    from kb.failures.lines import decode

    for file in files:
        data = read_input(file, LARGE)
        source = (name or "stdin") if file == "-" else file
        digest = None
        if whole:
            data, digest = _kept(current, data, source)
        if isinstance(data, bytes):
            # The whole text at once: what spans lines, such as a key, is seen only so.
            data = redactor(current.home, current.id)(decode(data)).encode("utf-8", "surrogatepass")
        yield excerpt_of(data, source, digest)


def _kept(current: Current, data: bytes | BinaryIO, source: str) -> tuple[bytes | BinaryIO, str]:
    """Keep the whole log beside the record; what is to be read of it for the excerpt, and its hash."""
    from kb.capture.redacting import line_redactor
    from kb.capture.whole import keep_whole

    if not isinstance(data, bytes) and not data.seekable():
        raise InputError("is too large to be kept whole", location=Location(source), hint="name a file")
    stream = io.BytesIO(data) if isinstance(data, bytes) else data
    path, digest = keep_whole(
        stream, current.beside, os.path.basename(source) or "log", line_redactor(current.home, current.id)
    )
    say(f"kept whole: {one_line(os.path.relpath(path))}")
    if not isinstance(data, bytes):
        data.seek(0)
    return data, digest


def _told(one: Excerpt) -> str:
    source = one_line(one.log.source or "")
    if one.failure is None:
        return f"  {source}: no failure; its last lines are kept"
    words = ": ".join(part for part in (one.failure.type, one.failure.message.split("\n")[0]) if part)
    more = f" (and {one.others} more)" if one.others else ""
    return f"  {source}:{one.failure.line}: {cut(one_line(words), 70)}{more}"
