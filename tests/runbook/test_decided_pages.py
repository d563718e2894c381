"""What people merged is found on the site by every id and by every line, and pages say what evidence is old."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from sessions_made import INDEX, KEY, attempt, clean, failed, fix, session

from kb.knowledge.derive import derive
from kb.knowledge.gather import gather
from kb.knowledge.identity import Identity
from kb.knowledge.model import Knowledge
from kb.record.decision import Merge
from kb.runbook.data.rules import rule_files
from kb.runbook.data.search.documents import documents
from kb.runbook.library import make_library
from kb.runbook.pages import pages


@pytest.fixture
def merged() -> tuple[Knowledge, str, str]:
    """Knowledge of one signature, its id, and the id of another one that was merged into it."""
    steps = (attempt(failed(INDEX), fix("a")), attempt(clean())), (attempt(failed(KEY), fix("a")), attempt(clean()))
    raw = [derive(session(*each, name=f"s{n}", day=n), f"s{n}.md") for n, each in enumerate(steps, 1)]
    index, key = (facts.occurrences[0].signature.id for facts in raw)
    identity = Identity([Merge(index, (key,))])
    facts = [derive(session(*each, name=f"s{n}", day=n), f"s{n}.md", identity) for n, each in enumerate(steps, 1)]
    return replace(gather(facts), aliases=identity.merged()), index, key


def test_the_address_of_a_merged_signature_leads_on(merged: tuple[Knowledge, str, str]) -> None:
    knowledge, index, key = merged
    bodies = {page.url: page.body for page in pages(knowledge, {})}
    assert f'href="../../s/{index}/"' in bodies[f"s/{key}/"]
    assert "2 sessions" in bodies[f"s/{index}/"]
    assert "why it stands here" in bodies[f"s/{index}/"]


def test_the_browser_knows_each_line_of_a_merged_signature(merged: tuple[Knowledge, str, str]) -> None:
    knowledge, index, key = merged
    library = make_library(knowledge, {})
    rules = "".join(text for _, text in rule_files(library))
    assert len(re.findall(rf'"s/{index}/"', rules)) == 2
    assert "list index out of range" in rules
    assert any(key in document.text for document in documents(library))


def test_a_page_says_which_evidence_is_old() -> None:
    old = session(attempt(failed(), fix("a")), attempt(clean()), name="s1", day=1, components={"vllm": "0.11"})
    new = session(attempt(failed(KEY)), name="s2", day=2, components={"vllm": "0.15"})
    new = new.model_copy(update={"started": new.started.replace(year=2027), "ended": None})
    knowledge = gather([derive(one, f"{one.id}.md") for one in (old, new)])
    bodies = "".join(page.body for page in pages(knowledge, {}) if page.kind == "signature")
    assert "last tried with vllm 0.11, now there is 0.15" in re.sub("<wbr>|&#8203;", "", bodies)
