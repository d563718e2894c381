"""Vectors for the browser: logs with what `kb triage` makes of them, against a base made of such logs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from kb.failures.lines import decode
from kb.home import Home, read_home
from kb.index.build import build_index
from kb.index.store import Store
from kb.record.model import Attempt, Log, Session
from kb.record.writer import write_session
from kb.triage.report import triage

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


class Vector(NamedTuple):
    """A log, the id of the known signature that its root failure is ("" for none), whether that is a mere symptom, and
    the ids of all failures in it that are known, with their roles. `elsewhere` are the signatures of which another
    program's failure was: lines do not tell programs apart."""

    name: str
    text: str
    primary: str
    symptom_only: bool
    known: Mapping[str, str]
    elsewhere: frozenset[str]


def golden_logs(checkout: Path) -> dict[str, bytes]:
    """The logs of this repository, by name."""
    folder = checkout / "tests" / "failures" / "golden"
    return {_name(folder, path): path.read_bytes() for path in sorted(folder.rglob("*.log"))}


def case_logs(folder: Path) -> dict[str, bytes]:
    """The labelled logs that lie beside the repository; none in a lone checkout."""
    return {_name(folder, path): path.read_bytes() for path in sorted(folder.rglob("input.log"))}


def _name(folder: Path, path: Path) -> str:
    inside = path.relative_to(folder)
    return inside.parent.as_posix() if path.stem in ("input", "log") else inside.with_suffix("").as_posix()


def base_of(root: Path, logs: Iterable[tuple[str, bytes]]) -> Home:
    """A knowledge base with one session for each log, indexed."""
    (root / "sessions").mkdir(parents=True)
    (root / "kb.toml").write_text("")
    for number, (name, data) in enumerate(logs):
        began = BEGIN + timedelta(hours=number)
        session = Session(
            id=f"2026-01-01-log-{number:04}",
            title=name,
            started=began,
            ended=began + timedelta(minutes=5),
            resolution="abandoned",
            attempts=(Attempt(title="run", steps=(Log(body=decode(data)),)),),
        )
        (root / "sessions" / f"{session.id}.md").write_text(write_session(session), "utf-8")
    home = read_home(root)
    build_index(home)
    return home


def vector(store: Store, name: str, data: bytes) -> Vector:
    """What `kb triage` says of a log."""
    report = triage(data, name, store)
    known: dict[str, str] = {}
    for triaged in report.failures:
        for match in triaged.matches:
            if match.level != "similar":
                known.setdefault(match.id, triaged.failure.role)
    primary, elsewhere = "", frozenset[str]()
    if report.primary is not None:
        matches = report.failures[report.primary].matches
        primary = next((match.id for match in matches if match.level != "similar"), "")
        elsewhere = frozenset(match.id for match in matches if match.level == "similar" and match.caution)
    return Vector(name, decode(data), primary, report.verdict == "symptom-only", known, elsewhere)
