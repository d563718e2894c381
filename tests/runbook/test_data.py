"""The data that the browser loads: scripts that cannot end early, rules that are found by a word of their anchor."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace

from hostile_factory import EVIL, hostile_knowledge
from hypothesis import given
from hypothesis import strategies as st
from runbook_factory import KIMI, SERVER_LOG, small_knowledge

from kb.knowledge.model import Knowledge
from kb.runbook.data.files import data_files
from kb.runbook.data.line_rules import certain_words
from kb.runbook.data.scripts import data_script, packed, word_hash
from kb.runbook.library import make_library


def value(script: str) -> list[object]:
    """The name and value that a data script hands over."""
    found = re.fullmatch(r"kbData\(\.\.\.(\[.*\])\);\n", script)
    assert found
    parsed = json.loads(found[1])
    assert isinstance(parsed, list)
    return parsed


def unpacked(text: str) -> list[int]:
    numbers, number, difference, shift = [], 0, 0, 0
    for byte in base64.b64decode(text):
        difference |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            number += difference
            numbers.append(number)
            difference = shift = 0
    return numbers


@given(st.recursive(st.text() | st.integers() | st.booleans(), lambda inner: st.lists(inner, max_size=4)))
def test_a_script_holds_its_value_and_nothing_that_ends_it(content: object) -> None:
    script = data_script("a</script>", content)
    assert value(script) == ["a</script>", content]
    assert script.isascii()
    assert not set("<>&") & set(script)


@given(st.sets(st.integers(0, 2**32 - 1)))
def test_numbers_are_packed_without_loss(numbers: set[int]) -> None:
    assert unpacked(packed(numbers)) == sorted(numbers)


def test_the_hash_of_a_word_is_fnv_1a() -> None:
    assert word_hash("foobar") == 0xBF9CF968


def test_a_word_at_the_end_of_an_anchor_is_not_certain() -> None:
    assert certain_words("rror: no such table: inv") == ("such", "table")
    assert certain_words("ZeroDivisionError") == ()


@given(st.text(alphabet="ab_ :'1", max_size=30), st.text(alphabet="ab_1 ", max_size=5), st.text("ab_1 ", max_size=5))
def test_certain_words_stand_whole_in_every_line_that_holds_the_anchor(anchor: str, before: str, after: str) -> None:
    line = before + anchor + after
    assert set(certain_words(anchor)) <= set(re.findall(r"[A-Za-z0-9_]+", line))


def test_every_signature_with_a_pattern_is_a_rule() -> None:
    knowledge, records = small_knowledge()
    unruled = replace(KIMI, pattern="", segments=())
    some = {**knowledge.signatures, KIMI.id: replace(knowledge.signatures[KIMI.id], signature=unruled)}
    files = dict(data_files(make_library(Knowledge(knowledge.sessions, some), records)))
    rows = [row for name, text in files.items() if name.startswith("rules/") for row in value(text)[1]]  # type: ignore[attr-defined]
    patterns = {known.signature.pattern for known in some.values()} - {""}
    assert {row[4] for row in rows} == patterns
    assert len(rows) == len(patterns)


def test_a_rule_stands_in_the_shard_of_its_word(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("kb.runbook.data.rules.PER_SHARD", 1)
    files = dict(data_files(make_library(*small_knowledge())))
    index = value(files["rules.js"])[1]
    assert isinstance(index, dict)
    assert index["shards"] == 8
    words = set()
    for number in range(index["shards"]):
        for row in value(files[f"rules/{number}.js"])[1]:  # type: ignore[attr-defined]
            assert row[0] % index["shards"] == number
            words.add(row[0])
    assert sorted(words) == unpacked(index["words"])


def test_the_search_lines_hold_raw_lines_and_commands() -> None:
    files = dict(data_files(make_library(*small_knowledge())))
    lines = [line.split("\t") for line in str(value(files["search.js"])[1]).split("\n")]
    assert all(len(line) == 4 for line in lines)
    by_url = {line[1]: line for line in lines}
    assert SERVER_LOG.split("\n")[9] in by_url[f"s/{KIMI.id}/"][3]
    assert "--enable-expert-parallel" in by_url["sessions/2026-02-22-vllm-eagle3-kimi-k2-5/"][3]
    assert {line[0] for line in lines} == {"signature", "fix", "session", "component"}


def test_hostile_names_do_not_break_a_search_line() -> None:
    files = dict(data_files(make_library(*hostile_knowledge())))
    lines = str(value(files["search.js"])[1]).split("\n")
    assert all(line.count("\t") == 3 for line in lines)
    assert any("<script>window.hacked=1</script>" in line for line in lines)
    assert "\u202e" in EVIL
    assert all("\u202e" not in line for line in lines)
