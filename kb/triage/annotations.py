"""What a CI system shows of a triaged log: one annotation for its root failure, in each system's own form."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from typing import NamedTuple

from kb.triage.model import Match, Report

_LONGEST = 900
_SEVERITY = {"known": "major", "new": "critical", "symptom-only": "minor"}


class Annotation(NamedTuple):
    """`title` and `lines` for people; `file` and `line` are where it happened ("" and 0 when that is not known)."""

    id: str
    verdict: str
    title: str
    lines: tuple[str, ...]
    url: str
    file: str = ""
    line: int = 0


def annotation(
    report: Report, base_url: str, sources: Iterable[str] = (), redact: Callable[[str], str] = str
) -> Annotation | None:
    """The annotation of the root failure in `report`; None when nothing failed.

    `base_url` is the address of the runbook site ("" for none); `sources` are files of the checkout: a frame in one of
    them is where the annotation is put. `redact` takes out what must not be shown: an annotation is seen by more people
    than the log it is made from, and is kept longer.
    """
    if report.primary is None:
        return None
    one = report.failures[report.primary]
    certain = [match for match in one.matches if match.level != "similar"]
    match = certain[0] if certain else None
    id_ = match.id if match else one.signature.id
    lines = [_first_line(redact(one.failure.text)), *(_told(match) if match else ("Not seen before.",))]
    url = f"{base_url.rstrip('/')}/s/{id_}/" if base_url and match else ""
    lines.append(f"Runbook: {url}" if url else f"kb show {id_}" if match else "")
    file, line = _place(one.failure.frames, frozenset(sources))
    title = f"{report.verdict}: {match.title if match else one.signature.title}"
    return Annotation(id_, report.verdict, _first_line(redact(title)), tuple(filter(None, lines)), url, file, line)


def github(one: Annotation) -> str:
    """A workflow command of GitHub Actions."""
    properties = {"title": f"{one.title} [{one.id}]"}
    if one.file:
        properties |= {"file": one.file, "line": str(one.line)}
    told = ",".join(f"{key}={_escaped(value, properties=True)}" for key, value in properties.items())
    return f"::error {told}::{_escaped(chr(10).join(one.lines))}"


def gitlab(found: Iterable[Annotation]) -> str:
    """A Code Quality report of GitLab: an artifact that a merge request shows."""
    rows = [
        {
            "description": " ".join((one.title, *one.lines))[:_LONGEST],
            "check_name": one.id,
            "fingerprint": hashlib.sha256(f"{one.id} {one.file}".encode("utf-8", "replace")).hexdigest(),
            "severity": _SEVERITY.get(one.verdict, "info"),
            "location": {"path": one.file or "log", "lines": {"begin": max(one.line, 1)}},
        }
        for one in found
    ]
    return json.dumps(rows, indent=2)


def buildkite(one: Annotation) -> str:
    """Markdown for `buildkite-agent annotate`. Text of the log is in a block, so that nothing in it is markup."""
    fence = "~" * (max(3, *(_tildes(line) for line in one.lines)) + 1)
    told = [line for line in one.lines[1:] if not line.startswith("Runbook: ")]
    link = [f"[{one.id}]({one.url})"] if one.url else [f"`{one.id}`"]
    return "\n".join([f"**kb {one.verdict}** {link[0]}", "", fence, one.lines[0], *told, fence])


def _tildes(text: str) -> int:
    longest = run = 0
    for char in text:
        run = run + 1 if char == "~" else 0
        longest = max(longest, run)
    return longest


def _told(match: Match) -> Iterable[str]:
    fix = next((fix for fix in match.fixes if fix.fixed and fix.applies), None)
    if fix is None:
        yield "No fix is proven yet."
    else:
        tries = fix.fixed + fix.progressed + fix.failed
        yield f"Fix: {_first_line(fix.title or fix.slug)} ({fix.slug}, worked in {fix.fixed} of {tries})"


def _place(frames: tuple[object, ...], sources: frozenset[str]) -> tuple[str, int]:
    """The innermost frame that lies in the checkout."""
    for frame in reversed(frames):
        file, line = str(getattr(frame, "file", "")), int(getattr(frame, "line", 0))
        for source in (file, file.removeprefix("./"), *_tails(file)):
            if source in sources:
                return source, line
    return "", 0


def _tails(file: str) -> Iterable[str]:
    """`/work/project/src/x.py` as `project/src/x.py`, `src/x.py`, ...: a CI machine's checkout lies anywhere."""
    parts = file.split("/")[-12:]
    return ("/".join(parts[start:]) for start in range(1, max(len(parts) - 1, 1)))


def _first_line(text: str) -> str:
    line = " ".join("".join(char if char.isprintable() else " " for char in text[:4000]).split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def _escaped(text: str, *, properties: bool = False) -> str:
    """`text` for a workflow command: what would end it, or begin another, is percent-encoded."""
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if properties else text
