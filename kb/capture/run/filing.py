"""From a run to a step of a session: what of its output belongs into the record, and putting it there."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from signal import Signals
from typing import TYPE_CHECKING, NamedTuple

from kb.capture.run.ring import Ring, Run, alone_with
from kb.home import Home

if TYPE_CHECKING:
    from kb.capture.current import Current
    from kb.capture.writing import Appended
    from kb.failures.find import Found
    from kb.record.model import Console

#: Output of so many characters and lines is kept as it is.
WHOLE, _WHOLE_LINES = 24_000, 300
#: Of longer output: lines at its beginning and its end, failures whose lines are kept, and lines of each.
_FIRST, _LAST, _FAILURES = 15, 40, 6
_LONGEST_LINE = 4000
#: Why a run has neither exit status nor signal.
KILLED = "the recorder was killed"


class Output(NamedTuple):
    """What is kept of a run's output: its lines, and the failures in them."""

    lines: Sequence[str]
    found: Found | None


def read_output(run: Run) -> Output:
    """The output of `run`; its failures are looked for where they decide what is kept."""
    return output_of(run.log.text)


def output_of(text: str) -> Output:
    """What was printed, with its failures where they decide what of it is kept."""
    from kb.failures.find import find_failures

    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    long = len(text) > WHOLE or len(lines) > _WHOLE_LINES
    return Output(lines, find_failures(text) if long else None)


def console_body(command: str, output: Output) -> str:
    """A command and what it printed, as the body of a console: no line of the output looks like a command."""
    shown = _excerpt(output)
    return "\n".join([*_prompt(command), *(f" {line}" if line.startswith("$ ") else line for line in shown)]) + "\n"


def console(run: Run, output: Output | None = None) -> Console:
    """`run` as a step of a record."""
    from kb.record.model import Console

    return Console(
        body=console_body(run.command, output or read_output(run)),
        exit=run.exit,
        signal=_signal_name(run.signal),
        duration=timedelta(seconds=round(run.seconds, 1 if run.seconds < 60 else 0))
        if run.seconds is not None
        else None,
        cwd=run.cwd or None,
        started=run.started.replace(microsecond=0),
    )


def file_run(home: Home, ring: Ring, run: Run) -> Appended | None:
    """Put `run` into the record of its session, once; None when it has none.

    Raises KbError when there is no such session any more, or when it cannot be written.
    """
    if not run.session or run.filed:
        return None
    from kb.capture.current import need_current

    current = need_current(home, named=run.session)
    with alone_with(run.folder) as mine:
        return _file(current, ring, run) if mine else None


def _file(current: Current, ring: Ring, run: Run) -> Appended:
    from kb.capture.entry import Entry
    from kb.capture.writing import append

    git = f"{run.git['commit'][:12]}{' with changes' if run.git.get('dirty') else ''}" if run.git.get("commit") else ""
    entry = Entry(steps=(console(run),), environment={"git": git} if git else {})
    appended = append(current, entry)
    ring.mark_filed(run)
    return appended


def recover(home: Home | None, ring: Ring) -> list[Run]:
    """End the runs whose recorder was killed, and put them into their sessions; gives those that were found.

    Their logs hold everything that was seen; how they ended is not known.
    """
    found: list[Run] = []
    for run in ring.lost():
        last = max((file.stat().st_mtime for file in run.folder.iterdir()), default=run.started.timestamp())
        seconds = max(0.0, last - run.started.timestamp())
        ended = replace(run, ended=True, seconds=seconds, lines=run.log.lines, lost=run.lost or KILLED)
        found.append(ring.write(ended))
    for run in ring.runs():
        if home is not None and run.ended and run.session and not run.filed:
            file_run(home, ring, run)
    return found


def _duration(seconds: float | None) -> timedelta | None:
    return None if seconds is None else timedelta(seconds=round(seconds, 1 if seconds < 60 else 0))


def _signal_name(number: int | None) -> str | None:
    if not number:
        return None
    with contextlib.suppress(ValueError):
        return Signals(number).name.removeprefix("SIG")
    return str(number)


def _prompt(command: str) -> Iterator[str]:
    """The command as the first lines of a console; one of several lines goes on behind a backslash."""
    first, *rest = (line.rstrip() for line in command.split("\n"))
    yield f"$ {first}" + (" \\" if rest else "")
    for number, line in enumerate(rest, start=1):
        yield f"{line}" + (" \\" if number < len(rest) else "")


def _excerpt(output: Output) -> list[str]:
    lines = output.lines
    if output.found is None:
        return [_bounded(line) for line in lines]
    from kb.failures.excerpt import excerpt

    chosen: set[int] = set(range(1, _FIRST + 1)) | set(range(len(lines) - _LAST + 1, len(lines) + 1))
    failures = output.found.failures
    order = sorted(range(len(failures)), key=lambda at: (at != output.found.primary, failures[at].role != "root", at))  # type: ignore[union-attr]
    for at in order[:_FAILURES]:
        beside = failures if at == output.found.primary else ()
        chosen.update(number for number, _ in excerpt(lines, failures[at], beside=beside) if number)
    shown: list[str] = []
    before = 0
    for number in sorted(n for n in chosen if 1 <= n <= len(lines)):
        if number > before + 1:
            shown.append(f"[... {number - before - 1} lines left out ...]")
        shown.append(_bounded(lines[number - 1]))
        before = number
    return shown


def _bounded(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}[...]"
