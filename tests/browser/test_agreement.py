"""The box on the site and `kb triage` name the same known failure, on all evidence of this repository."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from kb.home import Home, read_home
from kb.index.store import Store, open_store
from kb.publish.build import build_site
from kb.record.folder import read_folder
from kb.record.model import Console, Log
from kb.triage.report import triage


@pytest.fixture(scope="module")
def own(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """This repository's own knowledge base, copied, with its site."""
    root = tmp_path_factory.mktemp("own")
    shutil.copy(checkout / "kb.toml", root)
    shutil.copytree(checkout / "sessions", root / "sessions")
    home = read_home(root)
    build_site(home, home.public, strict=True)
    return home


def evidence(home: Home, checkout: Path) -> Iterator[tuple[str, str]]:
    """Every log and console of the sessions, and every golden log, with a name."""
    for path, reading in read_folder(home):
        assert reading.session
        for number, attempt in enumerate(reading.session.attempts, 1):
            for place, step in enumerate(attempt.steps):
                if isinstance(step, Log | Console):
                    yield f"{path.name}, attempt {number}, step {place}", step.body
    for path in sorted((checkout / "tests" / "failures" / "golden").rglob("*.log")):
        yield path.parent.name, path.read_bytes().decode("utf-8", "replace")


def known_primary(store: Store, text: str) -> str | None:
    """The id of the known signature that triage names, None when it knows none."""
    report = triage(text.encode("utf-8", "surrogatepass"), "pasted", store)
    if report.verdict != "known" or report.primary is None:
        return None
    return next(match.id for match in report.failures[report.primary].matches if match.level != "similar")


def test_the_browser_names_the_same_failure(visit, own: Home, checkout: Path) -> None:  # type: ignore[no-untyped-def]
    store = open_store(own)
    signatures = store.knowledge().signatures
    different, same = {}, 0
    with visit(own.public) as reader:
        page = reader.open()
        for name, text in evidence(own, checkout):
            wanted = known_primary(store, text)
            if wanted is None or not signatures[wanted].signature.pattern:
                continue
            found = page.evaluate("text => kbMatcher.find(text, kb.load)", text)["found"]
            first = found[0] if found else {"url": "", "role": ""}
            if first["url"] == f"s/{wanted}/":
                same += 1
            elif not (signatures[wanted].role != "root" and first["role"] == "root"):
                # Where triage sees but a symptom, the box may know a line beside it as the cause.
                different[name] = (signatures[wanted].signature.title, [one["title"] for one in found[:3]])
    assert different == {}
    assert same > 20


def test_every_rule_of_this_repository_works_in_the_browser(visit, own: Home) -> None:  # type: ignore[no-untyped-def]
    signatures = open_store(own).knowledge().signatures
    with visit(own.public) as reader:
        page = reader.open()
        missed = []
        for known in signatures.values():
            for _, seen in known.occurrences:
                if not known.signature.pattern or not seen.excerpt:
                    continue
                found = page.evaluate("text => kbMatcher.find(text, kb.load)", seen.excerpt)["found"]
                if f"s/{known.signature.id}/" not in [one["url"] for one in found]:
                    missed.append((known.signature.title, known.signature.pattern, seen.failure.text))
    assert missed == []
