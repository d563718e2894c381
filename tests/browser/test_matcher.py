"""The matcher that the page runs: it finds what the regular expression of the same parts finds, in counted steps."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import pytest

from kb.runbook.data.scripts import data_script, key_hash, packed
from kb.runbook.lines.parts import NAMES, Parts, as_regex, as_row, mark
from kb.signature.model import Segment

if TYPE_CHECKING:
    from playwright.sync_api import Page

#: Texts in which gaps begin, go on and end, and do not.
PIECES = ["a", "Zed", "7", "12.5", ".", " ", "  ", "-", "0x1f", "0x", "'", "`", "’", "ü", "/usr/x.py", "_n1", ", ", "3 GiB", ":"]  # fmt: skip

MARKS = {"begin": "(?<![0-9A-Za-z_])", "over": "(?![0-9A-Za-z_])", "last": r"(?=[ \t.,;:]*\Z)"}


def searched(page: Page, pairs: list[tuple[Parts, str]]) -> list[int]:
    """Where the matcher finds each parts in its line, -1 where it does not."""
    rows = [(as_row(parts), line) for parts, line in pairs]
    script = "([pairs, names]) => pairs.map(([parts, line]) => kbMatcher.matches(parts, names, line))"
    found = page.evaluate(script, [rows, NAMES])
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize("gap", NAMES)
def test_a_gap_is_what_its_regular_expression_is(blank: Page, gap: str) -> None:
    chance = random.Random(gap)
    pairs: list[tuple[Parts, str]] = []
    for _ in range(300):
        line = "".join(chance.choice(PIECES) for _ in range(chance.randint(0, 9)))
        head, tail = (Segment(chance.choice([piece for piece in PIECES if piece.isascii()])) for _ in "ab")
        between = chance.choice([(mark(gap),), (mark(gap), tail), (mark(gap), mark(chance.choice(NAMES)), tail)])
        pairs.append((((head, *between) if chance.random() < 0.8 else between), line))
    wanted = [match.start() if (match := re.search(expression(parts), line)) else -1 for parts, line in pairs]
    assert searched(blank, pairs) == wanted


def expression(parts: Parts) -> str:
    """The regular expression of the parts, in which marks hold no character."""
    return "".join(MARKS.get(one.gap) or as_regex((one,)) for one in parts)


HOSTILE = {
    "a literal that nearly repeats": ((Segment("a" * 400 + "b"),), "a" * 4000),
    "gaps that may hold anything": (tuple([mark("words"), Segment("a")] * 40), "a" * 4000),
    "gaps next to each other": (tuple([mark("rest")] * 60 + [Segment("!")]), "x" * 4000),
    "numbers in numbers": (tuple([mark("number"), mark("numbers")] * 40 + [Segment("x")]), "1.1" * 1300),
    "names without an end": (tuple([mark("name"), mark("word")] * 40 + [Segment("!")]), "_" * 4000),
    "quotes": (tuple([mark("value"), mark("quote")] * 40 + [Segment("!")]), "'" * 4000),
    "sizes": (tuple([mark("size")] * 40 + [Segment("!")]), "1 a" * 1300),
    "marks at every place": (tuple([mark("over"), mark("rest"), mark("last")] * 20 + [Segment("!")]), ". " * 2000),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_rule_looks_at_each_character_once_for_each_part_and_once_before(blank: Page, name: str) -> None:
    parts, line = HOSTILE[name]
    script = "([parts, names, line]) => { const work = { steps: 0 }; kbMatcher.matches(parts, names, line, work); return work.steps; }"
    for text in (line, line[: len(line) // 2], f"{line}!", f"{line}x"):  # the last two hold what the line lacks
        assert blank.evaluate(script, [as_row(parts), NAMES, text]) <= (len(parts) + 1) * (len(text) + 1)


@pytest.mark.parametrize(
    ("parts", "line"),
    [
        ((Segment("x" * 40 + "!"),), "x" * 60 + "!"),
        ((Segment("x" * 40 + "!"),), "x" * 60),
        ((Segment("x" * 40 + "!"), mark("number")), "x" * 34 + " " + "x" * 41 + "!7"),
        ((Segment("ab" * 20 + "c"), mark("word"), Segment("ab" * 20 + "c")), "ab" * 30 + "c-" + "ab" * 30 + "c"),
        ((Segment("ab" * 20 + "c"), Segment("ab" * 20 + "c")), "ab" * 30 + "c-" + "ab" * 20 + "c"),
        ((mark("begin"), mark("name"), Segment(" is gone")), "the name_1 is gone"),
        ((Segment("設定がない: "), mark("number"), Segment("行目")), "エラー 設定がない: 17行目"),
        ((Segment("設定がない: "), mark("number"), Segment("行目")), "エラー 設定がある: 17行目"),
    ],
    ids=[
        "later",
        "never",
        "begun before",
        "twice",
        "not next to each other",
        "a gap before the first literal",
        "another script",
        "another script, another word",
    ],
)
def test_a_literal_is_found_whole_where_its_begin_stands_more_often(blank: Page, parts: Parts, line: str) -> None:
    match = re.search(expression(parts), line)
    assert searched(blank, [(parts, line)]) == [match.start() if match else -1]


@pytest.mark.parametrize(
    ("log", "careful"),
    [
        ("bind: address in use", ["pool-keeper"]),
        ("pool-keepers start\nbind: address in use", ["pool-keeper"]),
        ("Pool_Keeper 1.2 starts\nbind: address in use", None),
        ("bind: address in use\nat /srv/pool-keeper/net.py", None),
    ],
)
def test_what_any_program_can_print_is_told_with_care_where_the_log_does_not_name_the_program(
    blank: Page, log: str, careful: list[str] | None
) -> None:
    parts = as_row((Segment("address in use"),))
    row = [0, "s/x/", "x", "root", parts, [], "wait", 1, 1, 1, "", 1, [], [], 0, ["pool-keeper"]]
    index = {"shards": 1, "rules": 1, "gaps": NAMES, "bits": 16, "keys": packed([], 16)}
    script = """async ([index, row, log]) => {
        const load = async (name) => ({ rules: index, "rules/any": [row], "rules/0": [] })[name];
        return (await kbMatcher.find(log, load)).found[0].careful;
    }"""
    assert blank.evaluate(script, [index, row, log]) == careful


APART = [1, ["pool:open_port"], 0, "address in use: 8000"]
FRAME = '  File "/srv/app/pool.py", line 7, in open_port'


@pytest.mark.parametrize(
    ("log", "apart", "maybe"),
    [
        ("bind: address in use: 8000", APART, False),
        ("bind: address in use: 80001", APART, True),
        ("bind: address in use", APART, True),
        (f"Traceback (most recent call last):\n{FRAME}\nbind: address in use: 9", APART, False),
        (f"{FRAME}\nTraceback (most recent call last):\nbind: address in use: 9", APART, True),
        ("  at open_port (pools.js:3)\nbind: address in use: 9", APART, True),
        ("bind: address in use", 0, False),
        ("12:00:01 error: address in use", [0, [], ["0:0:0 address in use"]], False),
        ("spooler: address in use", [0, [], ["0:0:0 address in use"]], True),
    ],
    ids=[
        "the same port", "a port that begins so", "no port", "a frame of the program", "a frame of another report",
        "another file", "nothing tells the program", "the system's words alone", "whose words they are",
    ],
)  # fmt: skip
def test_what_another_program_met_is_a_suggestion(blank: Page, log: str, apart: object, maybe: bool) -> None:
    parts = as_row((Segment("address in use"),))
    row = [0, "s/x/", "x", "root", parts, [], "wait", 1, 1, 1, "", 1, [], [], 0, [], apart]
    index = {"shards": 1, "rules": 1, "gaps": NAMES, "bits": 16, "keys": packed([], 16)}
    script = """async ([index, row, log]) => {
        const load = async (name) => ({ rules: index, "rules/any": [row], "rules/0": [] })[name];
        return (await kbMatcher.find(log, load)).found[0].maybe;
    }"""
    assert blank.evaluate(script, [index, row, log]) is maybe


def test_a_log_made_to_be_slow_is_searched_in_part_and_says_so(blank: Page) -> None:
    parts = (Segment("stuck here"), *[mark("rest"), Segment("a")] * 100, mark("number"), Segment("!"))
    row = [
        key_hash("stuck") >> 16,
        "s/x/",
        "x",
        "root",
        as_row(parts),
        [[60, 60, as_row(parts)]],
        "",
        0,
        0,
        1,
        "",
        1,
        [],
        [],
        0,
    ]
    index = {"shards": 1, "rules": 1, "gaps": NAMES, "bits": 16, "keys": packed([int(row[0])], 16)}  # type: ignore[call-overload]
    files = {"rules": index, "rules/0": [row], "rules/any": []}
    blank.evaluate(
        "scripts => scripts.forEach((script) => (0, eval)(script))", [data_script(*one) for one in files.items()]
    )
    answer = blank.evaluate(
        """async () => {
            const line = "stuck here" + "a".repeat(3900) + "!\\n";
            return kbMatcher.find(line.repeat(3000), async (name) => data.get(name));
        }"""
    )
    assert not answer["complete"]
    assert answer["steps"] < 102_000_000
    assert answer["found"] == []


def test_a_line_that_is_too_long_is_looked_at_to_where_triage_looks(blank: Page) -> None:
    parts = (Segment("needle here"),)
    row = [key_hash("needle") >> 16, "s/x/", "x", "root", as_row(parts), [], "", 0, 0, 1, "", 1, [], [], 0]
    index = {"shards": 1, "rules": 1, "gaps": NAMES, "bits": 16, "keys": packed([int(row[0])], 16)}  # type: ignore[call-overload]
    files = {"rules": index, "rules/0": [row], "rules/any": []}
    blank.evaluate(
        "scripts => scripts.forEach((script) => (0, eval)(script))", [data_script(*one) for one in files.items()]
    )
    script = "async (text) => (await kbMatcher.find(text, async (name) => data.get(name))).found.length"
    assert blank.evaluate(script, "x " * 1900 + "needle here") == 1
    assert blank.evaluate(script, "x " * 2100 + "needle here") == 0


def test_a_rule_that_only_a_newer_page_understands_is_left_out_and_counted(blank: Page) -> None:
    keys = [key_hash(word) >> 16 for word in ("needle", "pin")]
    rest: list[object] = ["", 0, 0, 1, "", 1, [], [], 0]
    newer = len(NAMES)
    rows = [
        [keys[0], "s/x/", "x", "root", ["needle ", newer], [], *rest],
        [keys[0], "s/y/", "y", "root", ["needle"], [[60, 60, [newer]]], *rest],
        [keys[1], "s/w/", "w", "root", ["pin ", newer], [], *rest],
        [keys[0], "s/z/", "z", "root", ["needle here"], [], *rest],
    ]
    index = {"shards": 1, "rules": 4, "gaps": [*NAMES, "gap-of-tomorrow"], "bits": 16, "keys": packed(keys, 16)}
    files = {"rules": index, "rules/0": rows, "rules/any": []}
    blank.evaluate(
        "scripts => scripts.forEach((script) => (0, eval)(script))", [data_script(*one) for one in files.items()]
    )
    answer = blank.evaluate("() => kbMatcher.find('a needle here', async (name) => data.get(name))")
    assert [one["url"] for one in answer["found"]] == ["s/z/"]
    assert answer["strange"] == 2
