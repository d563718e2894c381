"""No made-up secret of any kind is left in any place, and nothing that only looks like one is taken."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from made_up_secrets import Placed, coloured, placed, secrets

from kb.capture.redaction.policy import Policy
from kb.capture.redaction.redactor import Redactor
from kb.private.prefilter import Hits
from kb.private.rules import expression, rules

HARMLESS = Path(__file__).with_name("harmless.txt")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(scope="module")
def corpus() -> list[Placed]:
    return list(placed())


@pytest.fixture(scope="module")
def redacted(corpus: list[Placed]) -> list[str]:
    """The texts of the corpus after redaction, in its order."""
    return done([one.text for one in corpus])


def done(texts: list[str]) -> list[str]:
    lines = Redactor(Policy.SECRETS).text("\n".join(texts)).split("\n")
    assert len(lines) == len(texts)
    return lines


def left(corpus: list[Placed], redacted: list[str]) -> list[str]:
    """The texts in which a secret, or its last 16 characters, can still be read."""
    return [
        f"{one.secret.kind}: {one.text}"
        for one, text in zip(corpus, redacted, strict=True)
        if one.secret.value[-16:] in COLOUR.sub("", text)
    ]


def test_the_corpus_has_more_than_150_kinds(corpus: list[Placed]) -> None:
    assert len({one.kind for one in secrets()}) >= 150
    assert len(corpus) > 15_000


def test_no_secret_is_left(corpus: list[Placed], redacted: list[str]) -> None:
    assert left(corpus, redacted) == []


def test_no_secret_is_left_under_colours(corpus: list[Placed]) -> None:
    some = corpus[::2]
    assert left(some, done([coloured(one) for one in some])) == []


def test_other_values_of_the_same_kinds_are_found_too() -> None:
    some = [one for seed in (7, 8) for one in placed(seed)][::11]
    assert left(some, done([one.text for one in some])) == []


def test_a_secret_has_one_placeholder_wherever_it_stands(corpus: list[Placed], redacted: list[str]) -> None:
    of_kind: dict[str, set[str]] = {}
    for one, text in zip(corpus, redacted, strict=True):
        of_kind.setdefault(one.secret.kind, set()).update(re.findall(r"<secret:[a-z0-9-]+>", text))
    assert {kind: found for kind, found in of_kind.items() if len(found) != 1} == {}


def test_the_first_stage_names_every_rule_that_matches(corpus: list[Placed]) -> None:
    hits = Hits(personal=True)
    missed = []
    for one in corpus[::47]:
        line = one.text.encode()
        named = {rule for found in hits.lines(line).values() for rule in found}
        matching = {index for index in range(len(rules())) if expression(index)[0](line)}
        missed += [(rules()[index].pattern, one.text) for index in matching - named]
    assert missed == []


@pytest.mark.parametrize(
    "line", [line for line in HARMLESS.read_text("utf-8").splitlines() if line[:1] not in ("", "#")]
)
def test_what_only_looks_like_a_secret_stays(line: str) -> None:
    assert Redactor().text(line) == line


def test_an_independent_scanner_finds_nothing_after_redaction(corpus: list[Placed], redacted: list[str]) -> None:
    betterleaks = pytest.importorskip("betterleaks", reason="betterleaks is not installed")
    raw = "\n".join(one.text for one in corpus[::120])
    assert len(betterleaks.scan_string(raw)) > len(corpus) / 240, "the judge must be one"
    found = [finding.match.full for finding in betterleaks.scan_string("\n".join(redacted))]
    # It takes some placeholders for passwords.
    assert [text for text in found if "<secret:" not in text] == []
