"""The data that the browser loads: scripts that cannot end early, rules that are found by a word of their anchor."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from runbook_factory import KIMI, small_knowledge

from kb.failures.model import Frame
from kb.knowledge.model import Knowledge
from kb.runbook.data.files import data_files
from kb.runbook.data.rules import ruled_signature
from kb.runbook.data.scripts import data_script, key_hash, packed
from kb.runbook.data.whose import whose
from kb.runbook.library import make_library
from kb.runbook.lines.line_rules import QUOTES
from kb.runbook.lines.parts import NAMES, as_row, keys_of, parts_of
from kb.signature.model import Segment
from kb.signature.pattern import ruled


def value(script: str) -> list[object]:
    """The name and value that a data script hands over."""
    found = re.fullmatch(r"kbData\(\.\.\.(\[.*\])\);\n", script)
    assert found
    parsed = json.loads(found[1])
    assert isinstance(parsed, list)
    return parsed


def unpacked(code: list[object]) -> list[int]:
    count, low, text = code
    assert isinstance(count, int)
    assert isinstance(low, int)
    bits = "".join(f"{byte:08b}" for byte in base64.b64decode(str(text)))
    numbers, number, at = [], 0, 0
    for _ in range(count):
        end = bits.index("0", at)
        number += (end - at << low) + int(bits[end + 1 : end + 1 + low] or "0", 2)
        numbers.append(number)
        at = end + 1 + low
    return numbers


@given(st.recursive(st.text() | st.integers() | st.booleans(), lambda inner: st.lists(inner, max_size=4)))
def test_a_script_holds_its_value_and_nothing_that_ends_it(content: object) -> None:
    script = data_script("a</script>", content)
    assert value(script) == ["a</script>", content]
    assert script.isascii()
    assert not set("<>&") & set(script)


@given(st.sets(st.integers(0, 2**26 - 1)))
def test_numbers_are_packed_without_loss(numbers: set[int]) -> None:
    assert unpacked(packed(numbers, 26)) == sorted(numbers)


def test_many_keys_cost_less_than_two_bytes_each() -> None:
    numbers = {key_hash(f"word {n}") >> 7 for n in range(10_000)}
    assert len(str(packed(numbers, 25)[2])) * 6 / 8 < 1.75 * len(numbers)


def test_the_hash_of_a_key_is_fnv_1a_mixed() -> None:
    # 0xBF9CF968 is FNV-1a of this word.
    assert key_hash("foobar") == mixed(0xBF9CF968)


def mixed(value: int) -> int:
    """The last steps of MurmurHash3."""
    for factor, shift in ((0x85EBCA6B, 16), (0xC2B2AE35, 13)):
        value = (value ^ value >> shift) * factor % 2**32
    return value ^ value >> 16


def test_a_word_at_the_end_of_a_rule_is_not_certain() -> None:
    assert keys_of((Segment("rror: no such table: inv"),)) == ("no such", "such", "such table", "table")
    assert keys_of((Segment("ZeroDivisionError"),)) == ()
    assert keys_of((Segment("of "), Segment("<num>", "number"), Segment(" shards lost on"))) == (
        "shards",
        "shards lost",
        "lost",
    )


@given(st.text(alphabet="ab_ :'1", max_size=30), st.text(alphabet="ab_1 ", max_size=5), st.text("ab_1 ", max_size=5))
def test_keys_stand_whole_in_every_line_that_holds_the_literal(literal: str, before: str, after: str) -> None:
    words = re.findall(r"[A-Za-z0-9_]+", before + literal + after)
    assert set(keys_of((Segment(literal),))) <= {*words, *map(" ".join, pairwise(words))}


def test_every_signature_with_a_pattern_is_a_rule() -> None:
    knowledge, records = small_knowledge()
    unruled = KIMI._replace(pattern="", segments=())
    some = {**knowledge.signatures, KIMI.id: replace(knowledge.signatures[KIMI.id], signature=unruled)}
    files = dict(data_files(make_library(Knowledge(knowledge.sessions, some), records)))
    rows = [row for name, text in files.items() if name.startswith("rules/") for row in value(text)[1]]  # type: ignore[attr-defined]
    rules = {tuple(as_row(parts_of(ruled(known.signature.segments)))) for known in some.values()} - {()}
    assert {tuple(row[4]) for row in rows} == rules
    assert len(rows) == len(rules)


def test_a_rule_names_the_programs_of_its_sessions_only_where_any_program_can_print_it() -> None:
    knowledge, records = small_knowledge()
    library = make_library(knowledge, records)
    known = knowledge.signatures[KIMI.id]
    assert {tuple(ruled.told[-2:]) for ruled in ruled_signature(library, known, {})} == {(0, 0)}
    anyones = KIMI._replace(type="OSError", template="[Errno 98] Address already in use")
    fixes = tuple(replace(fix, versions={"python": (), "pool-keeper": ("1.2",)}) for fix in known.fixes)
    told = [ruled.told[-2] for ruled in ruled_signature(library, replace(known, signature=anyones, fixes=fixes), {})]
    assert told == [["pool-keeper"]] * len(told) != []


def test_of_what_any_program_can_print_a_rule_tells_the_values_and_the_frames_of_its_sessions() -> None:
    knowledge, _ = small_knowledge()
    known = knowledge.signatures[KIMI.id]
    (session, one), *_ = known.occurrences
    frames = (Frame("/usr/lib/python3.12/socketserver.py", "serve"), Frame("/srv/app/pool.py", "open_port"))

    def told(message: str, template: str) -> object:
        failure = one.failure._replace(type="OSError", message=message, text=f"OSError: {message}", frames=frames)
        signature = KIMI._replace(type="OSError", template=template, pattern="OSError")
        seen = ((session, replace(one, failure=failure, signature=signature)),)
        return whose(replace(known, signature=signature, occurrences=seen, fixes=())).apart

    assert told("port 8000 is taken", "port <num> is taken") == 0
    assert told("[Errno 98] Address already in use: 8000", "[Errno 98] Address already in use: <num>") == [
        1,
        ["pool:open_port"],
        0,
        "[Errno 98] Address already in use: 8000",
    ]


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
    assert sorted(words) == unpacked(index["keys"])


def test_the_browser_knows_every_gap(checkout: Path) -> None:
    matcher = (checkout / "site" / "docs" / "assets" / "kb" / "rule-parts.js").read_text("utf-8")
    known = re.findall(r'^    "?([a-z-]+)"?: (?:many|\{|\()', matcher, re.MULTILINE)
    assert set(NAMES) <= set(known)


def test_the_browser_takes_the_same_marks_for_quotation_marks(checkout: Path) -> None:
    matcher = (checkout / "site" / "docs" / "assets" / "kb" / "matcher.js").read_text("utf-8")
    assert f'"{QUOTES}".includes(line[at - 1])' in matcher
