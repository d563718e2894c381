"""Which knowledge base a command works on, and its index."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb.cli.terminal import Progress, note
from kb.errors import StoreError
from kb.home import Home, find_home, leads_out, need_home

if TYPE_CHECKING:
    from kb.index.store import Store


def chosen_home(ctx: click.Context) -> Home:
    """The knowledge base of this call: `--kb`, `$KB_HOME` or the nearest folder; an error when there is none."""
    return need_home(_named(ctx))


def asked_home(ctx: click.Context) -> Home:
    """Like `chosen_home`, for commands that only look things up: its settings are not read, which start-up pays for."""
    return need_home(_named(ctx), settings=False)


def optional_home(ctx: click.Context) -> Home | None:
    """Like `chosen_home`, but None when none was named and none is near, and its settings are not read."""
    named = _named(ctx)
    if named is not None or os.environ.get("KB_HOME"):
        return need_home(named, settings=False)
    return find_home(settings=False)


def _named(ctx: click.Context) -> Path | None:
    return Path(ctx.obj) if ctx.obj else None


def only_records(files: Iterable[Path]) -> Iterator[Path]:
    """The files that were named, without a README: `kb init` puts one beside the records, and `*.md` names it, too."""
    for file in files:
        if file.name == "README.md":
            note(f"{file} is no record: skipped")
        else:
            yield file


def strays(home: Home | None, path: Path) -> bool:
    """Whether a file named as one of `home` lies elsewhere, by way of a link: it must not be read as one of its own."""
    if home is None or not leads_out(home, path):
        return False
    named = (os.path.abspath(path), os.path.join(os.path.realpath(path.parent), path.name))
    return any(Path(name).is_relative_to(home.root) for name in named)


def ready_store(home: Home) -> Store:
    """The index of `home`, built now when it is missing or unusable; says on standard error when it is out of date."""
    from kb.index.store import open_store

    if not home.index.is_file():
        note("the index is missing; building it")
        build(home)
    try:
        store = open_store(home)
    except StoreError as error:
        # Derived, so never a reason to stop: an index of another version of kb is simply made again.
        note(f"{error.message}; building it again")
        build(home)
        store = open_store(home)
    if store.stale() and store.stale(besides=_being_recorded(home)):
        note("session records changed since the index was built; run `kb index`")
    return store


def _being_recorded(home: Home) -> frozenset[str]:
    """The records of open sessions: that they changed is no news to who records them."""
    from kb.capture.current import all_open  # seldom needed, and start-up counts

    return frozenset(one.record.relative_to(home.root).as_posix() for one in all_open(home))


def build(home: Home) -> None:
    """Build or update the index of `home`, with progress on a terminal."""
    from kb.index.build import build_index

    progress = Progress("reading records")
    try:
        build_index(home, progress=progress)
    finally:
        progress.close()
