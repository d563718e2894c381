"""The box on the site and `kb triage` name the same known failure.

What both must agree on is the answer: which known signature the log's root failure is, that only symptoms are known in
it, or that nothing is. `kb triage` reads whole reports and the page only lines, so the page may say less: where it
cannot know it must not name a cause.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from log_vectors import Vector, base_of, case_logs, golden_logs, vector

from kb.home import Home, read_home
from kb.index.build import build_index
from kb.index.store import open_store
from kb.knowledge.model import Knowledge
from kb.record.folder import read_folder
from kb.record.model import Console, Log
from kb.runbook.data.rules import rule_files
from kb.runbook.library import make_library
from kb.runbook.lines.line_rules import line_rules

if TYPE_CHECKING:
    from playwright.sync_api import Page

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

#: Logs of this repository for which the page names no cause, though `kb triage` knows it, and why.
NOT_SAID = {
    "erlang-boot": "the message is a term that the log prints in another form, on a line longer than a rule may be",
    "h200-inductor-fail": "in other logs it stood beside what ended the attempt, and so it is told as a symptom here",
    "mocha": "the test by whose name the failure is told from others is printed on two lines",
    "mocha-printed-errors": "the test by whose name the failure is told from others is printed on two lines",
    "nccl-illegal-access": "in other logs it only followed from another failure, and so it is told as a symptom here",
    "node-test-tap": "its message is printed on lines of its own, under names of fields",
    "ray-segv": "frames tell this crash from others, and all of them are plumbing",
    "robot-framework": "the message is two numbers, which are too little for a line",
}
#: Those for which it names another cause, and why.
SAID_OTHERWISE = {
    "py-tangled-mixed": "two tracebacks are mixed, and both failures are known",
    "postgres-client-errors-healthy": "a server that only answered its clients' wrong queries failed in nothing",
    "rspec-healthy": "an error that a test expects is none, which its report says many lines later",
}
#: Beside these, of the logs of the repository so many (a share) may be answered otherwise before somebody looks at why:
#: whoever adds a log for a reader need not know this page.
NOT_LOOKED_AT = 0.02

Answer = tuple[str, str]


def ask(page: Page, knowledge: Knowledge, texts: Iterable[str]) -> list[dict[str, Any]]:
    """What the matcher finds in each text, by the rules of this knowledge."""
    page.evaluate("globalThis.data.clear()")
    page.evaluate("scripts => scripts.forEach((script) => (0, eval)(script))", _scripts(knowledge))
    answers = page.evaluate(
        """async texts => {
            const load = async (name) => data.get(name);
            const out = [];
            for (const text of texts) out.push(await kbMatcher.find(text, load));
            return out;
        }""",
        list(texts),
    )
    assert isinstance(answers, list)
    return answers


def _scripts(knowledge: Knowledge) -> list[str]:
    return [text for _, text in rule_files(make_library(knowledge, {}))]


def said(found: list[dict[str, Any]]) -> Answer:
    """What the page answers: `known`, `symptom-only` or nothing (a suggestion is no answer), and the signature's
    address."""
    if not found or found[0]["maybe"]:
        return "", ""
    return "known" if found[0]["role"] == "root" else "symptom-only", found[0]["url"]


def agrees(one: Vector, found: list[dict[str, Any]]) -> bool:
    """Whether the page's answer is triage's. Where the root failure is new, the page may tell of symptoms beside it."""
    verdict, url = said(found)
    wanted = f"s/{one.primary}/" if one.primary else ""
    if one.symptom_only:
        return verdict != "known" and (not wanted or url == wanted)
    return (verdict, url) == ("known", wanted) if wanted else verdict != "known"


def compare(page: Page, home: Home, logs: Mapping[str, bytes]) -> tuple[set[str], set[str], int]:
    """The logs for which the page says less than triage, those for which it names another cause, and of how many triage
    knows the root failure."""
    with closing(open_store(home)) as store:
        vectors = [vector(store, name, data) for name, data in logs.items()]
        answers = ask(page, store.knowledge(), [one.text for one in vectors])
    silent, other = set(), set()
    for one, answer in zip(vectors, answers, strict=True):
        assert answer["complete"]
        if not agrees(one, answer["found"]):
            missed = one.primary and all(
                found["role"] != "root" or found["maybe"] or _beside(found, one) for found in answer["found"]
            )
            (silent if missed else other).add(one.name)
    return silent, other, sum(bool(one.primary) for one in vectors)


def _beside(found: Mapping[str, Any], one: Vector) -> bool:
    """Whether a failure that the page names is another one that triage knows in this log, too."""
    key = found["url"].removeprefix("s/").removesuffix("/")
    return key != one.primary and one.known.get(key) == "root"


def test_the_page_gives_the_answer_of_triage_for_all_logs_of_this_repository(
    blank: Page, checkout: Path, tmp_path: Path
) -> None:
    logs = golden_logs(checkout)
    silent, other, known = compare(blank, base_of(tmp_path, logs.items()), logs)
    more = (silent - {*NOT_SAID, *SAID_OTHERWISE}) | (other - {*NOT_SAID, *SAID_OTHERWISE})
    assert len(more) <= NOT_LOOKED_AT * len(logs), more
    assert {*NOT_SAID, *SAID_OTHERWISE} <= silent | other
    assert known > 300


def test_the_page_names_no_cause_that_triage_does_not_know(blank: Page, checkout: Path, tmp_path: Path) -> None:
    """The base knows every other log: the rest is new, but for failures that several logs show."""
    logs = golden_logs(checkout)
    _, other, known = compare(blank, base_of(tmp_path, list(logs.items())[::2]), logs)
    more = other - {*NOT_SAID, *SAID_OTHERWISE}
    assert len(more) <= NOT_LOOKED_AT * len(logs), more
    assert known < 0.75 * len(logs)


def test_the_page_gives_the_answer_of_triage_for_all_labelled_cases(
    blank: Page, checkout: Path, tmp_path: Path
) -> None:
    cases = case_logs(checkout.parent / "shared" / "cases")
    if not cases:
        pytest.skip("the labelled cases lie beside the repository, and not here")
    home = base_of(tmp_path, cases.items())
    silent, other, known = compare(blank, home, cases)
    assert (silent, other) == (set(), set())
    assert known > 80


@pytest.fixture(scope="module")
def own(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """This repository's own knowledge base, indexed elsewhere."""
    root = tmp_path_factory.mktemp("own")
    (root / "kb.toml").write_bytes((checkout / "kb.toml").read_bytes())
    shutil.copytree(checkout / "sessions", root / "sessions")
    home = read_home(root)
    build_index(home)
    return home


def test_the_page_knows_the_evidence_of_all_sessions(blank: Page, own: Home, checkout: Path) -> None:
    evidence = dict(_evidence(own)) | golden_logs(checkout)
    silent, other, known = compare(blank, own, evidence)
    with closing(open_store(own)) as store:
        signatures = store.knowledge().signatures
    assert {one.signature.title for one in signatures.values() if not line_rules(one)} == UNSEEN
    assert other == set()
    assert len(silent) <= len(UNSEEN)
    assert known > 20


def _evidence(home: Home) -> Iterator[tuple[str, bytes]]:
    """Every log and console of the sessions, with a name."""
    for path, reading in read_folder(home):
        assert reading.session
        for number, attempt in enumerate(reading.session.attempts, 1):
            for place, step in enumerate(attempt.steps):
                if isinstance(step, Log | Console):
                    name = f"{path.name}, attempt {number}, step {place}"
                    yield name, step.body.encode("utf-8", "surrogatepass")


def test_every_rule_of_this_repository_works_in_the_browser(blank: Page, own: Home) -> None:
    with closing(open_store(own)) as store:
        knowledge = store.knowledge()
    excerpts = [
        (known.signature.id, seen.excerpt)
        for known in knowledge.signatures.values()
        for _, seen in known.occurrences
        if seen.excerpt and line_rules(known)
    ]
    answers = ask(blank, knowledge, [text for _, text in excerpts])
    missed = [
        text
        for (key, text), answer in zip(excerpts, answers, strict=True)
        if f"s/{key}/" not in [one["url"] for one in answer["found"]]
    ]
    assert missed == []
