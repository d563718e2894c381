"""Jupyter notebooks (format 4): the cells in the order in which they were run, as IPython shows them.

A notebook keeps the last output of each cell only. Cells that failed are kept, and of the others those that were run
after the first failure; `!command` lines are commands, whose exit status is not told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from kb.capture.importers.cut_json import json_of
from kb.capture.importers.source import Losses, Source, mapping, moment, number_of, objects, text_of
from kb.capture.importers.told import Begins, Event, Ran, Saw, Story
from kb.capture.run.screen import plain_lines

_CELLS = re.compile(rb'"(?:cells|nbformat)"\s*:')
_MAGIC = re.compile(r"\s*!\s*(\S.*)")
_LONGEST_CODE = 60


def knows(path: Path, head: bytes) -> bool:
    """By its name or its first keys."""
    return path.suffix == ".ipynb" or (head.lstrip().startswith(b"{") and b'"nbformat"' in head and b'"cells"' in head)


def read(source: Source) -> Story:
    """The failing cells, and what was run after the first of them."""
    losses = Losses()
    book = json_of(source, losses, "notebook")
    code = [cell for cell in objects(book, "cells") if cell.get("cell_type") == "code"]
    ran = [
        (count, number, cell) for number, cell in enumerate(code, 1) if (count := number_of(cell, "execution_count"))
    ]
    ran.sort(key=lambda one: one[:2])
    events: list[Event] = []
    failed: list[str] = []
    times = [when for cell in code if (when := _time(cell))]
    for count, _, cell in ran:
        text = text_of(cell, "source")
        error = any(one.get("output_type") == "error" for one in objects(cell, "outputs"))
        if not error and not failed:
            continue
        if failed and text.split("\n", 1)[0] in failed:
            events.append(Begins(f"In [{int(count)}] again"))
        events.extend(_shown(cell, int(count), source.name))
        failed += [text.split("\n", 1)[0]] * error
    if code and not events:
        events += [
            Saw("".join(one.text for one in _texts(cell, int(c), source.name)), source.name) for c, _, cell in ran[-1:]
        ]
    language = text_of(book, "metadata", "language_info", "version")
    name = text_of(book, "metadata", "kernelspec", "language") or text_of(book, "metadata", "language_info", "name")
    return Story(
        tuple(events),
        started=min(times, default=None),
        ended=max(times, default=None),
        components={name: language} if name and language and len(name) < 40 else {},
        lost=losses.told(),
        unknown=("what the cells printed when they were run before: a notebook keeps the last output only",),
    )


def _time(cell: Mapping[str, Any]) -> datetime | None:
    return moment(text_of(cell, "metadata", "execution", "iopub.execute_input"))


def _shown(cell: Mapping[str, Any], count: int, name: str) -> Iterator[Event]:
    """A cell as IPython shows it, or the command that it runs."""
    source = text_of(cell, "source").strip("\n")
    command = _MAGIC.fullmatch(source)
    if command:
        yield Ran(command[1], _output(cell), started=_time(cell))
    else:
        yield from _texts(cell, count, name)


def _texts(cell: Mapping[str, Any], count: int, name: str) -> Iterator[Saw]:
    lines = text_of(cell, "source").strip("\n").split("\n")
    begin = f"In [{count}]: "
    more = "...: ".rjust(len(begin))
    shown = [f"{begin if not at else more}{line}" for at, line in enumerate(lines[:_LONGEST_CODE])]
    output = _output(cell)
    yield Saw("\n".join([*shown, output]) if output.strip() else "\n".join(shown) + "\n", f"{name} In [{count}]")


def _output(cell: Mapping[str, Any]) -> str:
    parts = []
    for output in objects(cell, "outputs"):
        kind = output.get("output_type")
        if kind == "stream":
            parts.append(text_of(output, "text"))
        elif kind == "error":
            lines = output.get("traceback")
            traceback = "\n".join(one for one in lines if isinstance(one, str)) if isinstance(lines, list) else ""
            parts.append(traceback or f"{text_of(output, 'ename')}: {text_of(output, 'evalue')}")
        elif kind in ("execute_result", "display_data"):
            parts.append(text_of(mapping(output, "data"), "text/plain"))
    return plain_lines("\n".join(part.rstrip("\n") for part in parts if part) + "\n")
