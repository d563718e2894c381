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
from kb.runbook.data.line_rules import line_rule
from kb.triage.report import triage

#: What no line of a log can tell: failures that were declared, and a traceback of which only frames are left.
UNSEEN = {
    "Eagle3 model type not supported (the model type kimi_k2 is not on the whitelist of EAGLE-3)",
    "Engine dead error at shutdown (EngineDeadError in the log of a server that was stopped on purpose)",
    "Export hangs (no output within 10 s)",
    "Low acceptance rate (acceptance 15 %, 0.66x throughput)",
    "Missing image token index (a worker dies: the target model's configuration has no image_token_index)",
    "Report is slow (6.31 s of CPU time)",
    "Target lacks supports eagle3 (the target model does not implement SupportsEagle3)",
    "a cut traceback in _init_executor",
}


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


def primary(store: Store, text: str) -> tuple[str | None, bool]:
    """The id of the known signature that triage names, None when it knows none; and whether it saw symptoms only."""
    report = triage(text.encode("utf-8", "surrogatepass"), "pasted", store)
    if report.verdict not in ("known", "symptom-only") or report.primary is None:
        return None, False
    known = (match.id for match in report.failures[report.primary].matches if match.level != "similar")
    return next(known, None), report.verdict == "symptom-only"


def test_the_browser_names_the_same_failure(visit, own: Home, checkout: Path) -> None:  # type: ignore[no-untyped-def]
    store = open_store(own)
    signatures = store.knowledge().signatures
    different, same, unseen = {}, 0, set()
    with visit(own.public) as reader:
        page = reader.open()
        for name, text in evidence(own, checkout):
            wanted, symptom_only = primary(store, text)
            if wanted is None:
                continue
            if line_rule(signatures[wanted]) is None:
                unseen.add(signatures[wanted].signature.title)
                continue
            found = page.evaluate("text => kbMatcher.find(text, kb.load)", text)["found"]
            first = found[0] if found else {"url": "", "role": ""}
            if first["url"] == f"s/{wanted}/":
                same += 1
            elif not (symptom_only and first["role"] == "root"):
                # Where triage sees but a symptom, the box may know a line beside it as the cause.
                different[name] = (signatures[wanted].signature.title, [one["title"] for one in found[:3]])
    assert different == {}
    assert unseen <= UNSEEN
    assert same > 20


def test_every_rule_of_this_repository_works_in_the_browser(visit, own: Home) -> None:  # type: ignore[no-untyped-def]
    signatures = open_store(own).knowledge().signatures
    assert {known.signature.title for known in signatures.values() if line_rule(known) is None} == UNSEEN
    with visit(own.public) as reader:
        page = reader.open()
        missed = []
        for known in signatures.values():
            rule = line_rule(known)
            for _, seen in known.occurrences:
                if rule is None or not seen.excerpt:
                    continue
                found = page.evaluate("text => kbMatcher.find(text, kb.load)", seen.excerpt)["found"]
                if f"s/{known.signature.id}/" not in [one["url"] for one in found]:
                    missed.append((known.signature.title, rule, seen.failure.text))
    assert missed == []
