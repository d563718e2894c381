"""thefuck's cases: a knowledge base of one failed command a rule; other outputs of the same rule lead to its fix."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from agreement import mean
from result_table import Row, Table, digits, share

from kb.failures.find import find_failures
from kb.home import Home
from kb.index.build import build_index
from kb.index.card import Card
from kb.index.store import Store, open_store
from kb.signature.sign import sign
from kb.triage.matching import matches
from kb.triage.similar import compared
from kb.triage.versions import Versions

FOLDER = "thefuck-cases"

_FALSE = 0.05
_GIVEN = (
    Row("BM25", (".577", ".637", ".042", "")),
    Row("TF-IDF, characters", (".577", ".633", ".070", "")),
    Row("TF-IDF, words", (".493", ".569", ".239", "")),
    Row("rapidfuzz ratio", (".521", ".570", ".070", "")),
    Row("exact masked text", (".085", ".099", ".085", "")),
)
_SESSION = """\
---
kb: 1
id: 2024-01-01-rule-{number:03d}
title: The command fails as rule {number} knows it
started: 2024-01-01T08:00:00Z
resolution: fixed
---

A command failed.

## Attempt 1: run it

{fence}console {{exit=1}}
$ run
{output}
{fence}

### Fix: rule-{number:03d} {{kind=command}}

Run another command.

## Attempt 2: run it again {{reruns=1}}

{fence}console {{exit=0}}
$ run
done
{fence}
"""


class Answer(NamedTuple):
    """What the knowledge base said: the rules from the best, and the score of the first (0 when there is none)."""

    rules: tuple[str, ...]
    score: float


def measure(folder: Path) -> Table:
    """top-1, MRR, and top-1 at the threshold where at most 5 % of the outputs without a rule get a suggestion."""
    cases = json.loads((folder / "cases.json").read_text("utf-8"))
    rules: dict[str, list[str]] = {}
    owners: dict[str, set[str]] = {}
    for case in cases["match"]:
        outputs = rules.setdefault(case["rule"], [])
        if case["output"] not in outputs:
            outputs.append(case["output"])
        owners.setdefault(case["output"], set()).add(case["rule"])
    strangers = sorted({case["output"] for case in cases["no_match"]} - set(owners))
    queries = [output for outputs in rules.values() for output in outputs[1:]]
    names = list(rules)
    with tempfile.TemporaryDirectory() as name, _base(Path(name), [rules[rule][0] for rule in names]) as store:
        answers = [answer(store, query, names) for query in queries]
        false = [answer(store, stranger, names) for stranger in strangers]
    ranks = [_rank(one, owners[query]) for one, query in zip(answers, queries, strict=True)]
    limit = _limit([one.score for one in false])
    sure = [rank == 1 and one.score > limit for rank, one in zip(ranks, answers, strict=True)]
    seen = sum(find_failures(query).primary is not None for query in queries)
    cells = (
        digits(mean([rank == 1 for rank in ranks])),
        digits(mean([1 / rank if rank else 0.0 for rank in ranks])),
        digits(mean(sure)),
        share(seen, len(queries)),
    )
    return Table(
        name="thefuck",
        size=f"{len(names)} rules, {len(queries)} outputs to look up, {len(strangers)} that no rule matches.",
        protocol="Each rule's first output is a session with its fix; the other outputs go through triage, and "
        "resembling signatures are ranked however little they resemble. At 5 %: top-1 above the score that at most "
        "5 % of the outputs without a rule exceed.",
        columns=("top-1", "MRR", "top-1 at 5 %", "failure seen"),
        ours=(Row("kb", cells),),
        given=_GIVEN,
    )


def answer(store: Store, output: str, names: Sequence[str]) -> Answer:
    """The rules that triage of `output` leads to: of the matching signatures, else of those that resemble it."""
    found = find_failures(output)
    if found.primary is None:
        return Answer((), 0.0)
    failure = found.failures[found.primary]
    signature = sign(failure)
    lines = output.split("\n")
    sure = matches(store, failure, signature, lines, suggest=False, versions=Versions(lines, {}))
    told = [(fix.slug, match.score) for match in sure for fix in match.fixes]
    known = {match.id for match in sure}
    alike = [one for one in compared(store, failure, signature) if one.alike.id not in known]
    # Certain matches come before all others, whose scores stay below theirs.
    told += [(slug, one.score * 0.9) for one in alike for slug in _slugs(store.lookup_id(one.alike.id))]
    slugs = dict.fromkeys(slug for slug, _ in told)
    return Answer(tuple(names[int(slug[-3:])] for slug in slugs), told[0][1] if told else 0.0)


def _slugs(card: Card | None) -> list[str]:
    return [fix.slug for fix in card.fixes] if card else []


def _rank(one: Answer, right: set[str]) -> int:
    return next((place for place, rule in enumerate(one.rules, 1) if rule in right), 0)


def _limit(scores: list[float]) -> float:
    """The lowest score that at most 5 % of `scores` exceed."""
    return sorted(scores, reverse=True)[int(len(scores) * _FALSE)]


def _base(folder: Path, outputs: Sequence[str]) -> Store:
    (folder / "sessions").mkdir()
    (folder / "kb.toml").write_text('name = "bench"\n')
    for number, output in enumerate(outputs):
        text = _SESSION.format(number=number, output=output.strip("\n"), fence="`" * 8)
        (folder / "sessions" / f"2024-01-01-rule-{number:03d}.md").write_text(text, "utf-8")
    home = Home(folder)
    build_index(home)
    return open_store(home)
