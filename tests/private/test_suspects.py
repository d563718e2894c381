"""The cheap look for what may be private never passes over what redaction would take out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from made_up_secrets import placed

from kb.private.prefilter import Hits
from kb.private.rules import rules
from kb.private.spans import found
from kb.private.suspects import suspects

GOLDEN = sorted((Path(__file__).parents[1] / "failures" / "golden").glob("*/input.log"))
PERSONAL = [
    "dial tcp 10.4.0.9:5432: refused", "node-1/10.4.0.9:8030", "http://10.4.0.9/x?y", "a=10.4.0.9 b",
    "from fd12:3456:789a::1 to fe80::1ff:fe23:4567:890a", "2a00:1450:4001:0831:0000:0000:0000:200e.",
    "/home/alice/x.py", "/data/home/alice", "/Users/bob/y.py", r"C:\Users\Alice Roe\x.py", r"c:\\documents and settings\\al\\x",
    "/var/spool/mail/alice", "/private/var/folders/ab/x", "x-home-alice-project", "C--Users-bob-x", "mail jane.roe@corp.example.io!",
    "db1.prod.internal:5432 and nas.local", "api.team.svc.cluster.local.", "ip-172-31-40-111.us-east-2.compute.internal", "ip-10-1-2-3",
    "printer.lan", "a.localdomain", "x.home.arpa", "db.corp/",
]  # fmt: skip


@pytest.fixture(scope="module")
def hits() -> Hits:
    return Hits(personal=True)


def missed(hits: Hits, text: str) -> set[str]:
    """The rules that find something in `text` and are not suspected to."""
    line = text.encode()
    named = sorted({rule for found_rules in hits.lines(line).values() for rule in found_rules})
    finding = {span.rank for span in found(line, named)} if named else set()
    return {rules()[index].pattern for index in finding - set(suspects(line))}


def test_no_rule_that_finds_a_made_up_secret_is_passed_over(hits: Hits) -> None:
    some = [one for seed in (1, 11) for one in placed(seed)][::101]
    assert {one.text: rule for one in some if (rule := missed(hits, one.text))} == {}


@pytest.mark.parametrize("text", PERSONAL)
def test_no_rule_that_finds_a_personal_value_is_passed_over(hits: Hits, text: str) -> None:
    named = {rule for found_rules in hits.lines(text.encode()).values() for rule in found_rules}
    assert list(found(text.encode(), sorted(named)))
    assert missed(hits, text) == set()


def test_no_rule_that_finds_something_in_a_real_log_is_passed_over(hits: Hits) -> None:
    lines = {line[:2000] for log in GOLDEN for line in log.read_bytes().decode("utf-8", "replace").splitlines()}
    some = [line for line in lines if re.search(r"\d|pass|key|token|/home", line)]
    assert {line: rules for line in some if (rules := missed(hits, line))} == {}


@pytest.mark.parametrize(
    "text",
    [
        "No module named 'torch'",
        "'KimiK25Config' object has no attribute 'image_token_index'",
        "CUDA out of memory. Tried to allocate 540.00 MiB",
        "Missing key(s) in state_dict: \"model.layers.0.mlp.gate_proj.weight\"",
        "password authentication failed for user \"shop\"",
        "connect to 127.0.0.1 port 22: Connection refused",
        "java.lang.IllegalStateException: no such key: abc",
    ],
)  # fmt: skip
def test_an_ordinary_message_costs_no_rule(text: str) -> None:
    assert suspects(text.encode()) == []
