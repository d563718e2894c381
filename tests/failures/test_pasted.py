"""What pasting, printing and gathering do to a whole log changes neither its primary failure nor its signature."""

from __future__ import annotations

import html
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.failures.find import find_failures
from kb.failures.pasted import mend
from kb.signature.sign import sign

GOLDEN = Path(__file__).parent / "golden"
LOGS = (
    "asan-uaf-clang",
    "go-nil-method",
    "gpu-rank1-attr-dist",
    "h200-accelerate-both-ranks",
    "h200-gloo-peer",
    "h200-graph-capture",
    "h200-jax-debug-nans",
    "h200-oom-one-rank",
    "h200-same-gpu",
    "ray-nested-task",
)


#: Digits at the head of a line would make it begin as the line before it does.
LETTERS = str.maketrans("0123456789", "abcdefghij")


def each(begin: Callable[[int], str]) -> Callable[[list[str]], list[str]]:
    return lambda lines: [begin(index) + line for index, line in enumerate(lines)]


def wrapped(width: int) -> Callable[[list[str]], list[str]]:
    def wrap(lines: list[str]) -> list[str]:
        return [line[at : at + width] for line in lines for at in range(0, max(len(line), 1), width)]

    return wrap


def clock(index: int) -> str:
    return f"13:{index // 60 % 60:02d}:{index % 60:02d}"


DAMAGE: dict[str, Callable[[list[str]], list[str]]] = {
    "escaped": lambda lines: [html.escape(line) for line in lines],
    "in tags": lambda lines: ["<pre><code>", *map(html.escape, lines), "</code></pre>"],
    "doubled": lambda lines: [text for line in lines for text in (line, "")],
    "wrapped at 80": wrapped(80),
    "wrapped at 120": wrapped(120),
    "indented by tabs": each(lambda _: "\t"),
    "filled up with spaces": lambda lines: [f"{line:118}  " for line in lines],
    "boxed": each(lambda _: "│ "),
    "of a host": each(lambda _: "worker7: "),
    "of an address": each(lambda _: "10.0.0.7: "),
    "of a rank of mpirun": each(lambda _: "[prterun-node7-4211@1,3]<stderr>: "),
    "of pm2": each(lambda _: "0|serve  | "),
    "with times": each(lambda index: f"{clock(index)} "),
    "with times in brackets": each(lambda index: f"[{clock(index)}] "),
}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("log", LOGS)
def test_a_damaged_log_gives_the_same_signature(log: str, damage: str) -> None:
    text = (GOLDEN / log / "input.log").read_text("utf-8")
    whole = find_failures(text)
    broken = find_failures("\n".join(DAMAGE[damage](text.splitlines())))
    assert whole.primary is not None
    assert broken.primary is not None
    assert sign(broken.failures[broken.primary]).id == sign(whole.failures[whole.primary]).id


@pytest.mark.parametrize("log", ["gpu-rank1-attr-dist", "h200-gloo-peer", "h200-jax-debug-nans", "h200-oom-one-rank"])
def test_a_log_that_lost_all_indentation_gives_the_same_primary(log: str) -> None:
    text = (GOLDEN / log / "input.log").read_text("utf-8")
    whole = find_failures(text)
    bare = find_failures("\n".join(line.lstrip() for line in text.splitlines()))
    assert whole.primary is not None
    assert bare.primary is not None
    assert bare.failures[bare.primary].message == whole.failures[whole.primary].message


def test_lines_keep_their_raw_numbers() -> None:
    lines = [text for line in ("a", "b", "Traceback (most recent call last):", "ValueError: x") for text in (line, "")]
    assert mend(lines).numbers == range(1, 9, 2)
    found = find_failures("\n".join(lines))
    assert [failure.line for failure in found.failures] == [7]


def test_lines_that_are_as_wide_by_nature_stay_apart() -> None:
    table = [f"{name:<30}{number:>50}" for number, name in enumerate(("alpha", "beta", "gamma", "delta", "omega"))]
    rulers = [f"{' test_' + name + ' ':_^80}" for name in ("one", "two", "three")]
    cut = [f"2026-11-29 13:00:0{second} {'x' * 50}{second}{'y' * 9}" for second in range(5)]
    for lines in (rulers, cut, [line for ruler in rulers for line in (ruler, "E   assert 1")]):
        assert mend(lines).lines == lines
    assert len(mend(["INFO start", *table[:2], "end"]).lines) == 4


def test_lines_that_differ_only_in_a_hash_are_as_wide_by_nature() -> None:
    steps = [f"#{n} sha256:{n * 0x9E3779B97F4A7C15 % (1 << 64):016x}{'0f' * 24}" for n in range(1, 7)]
    lines = [line for step in steps for line in (step, "exporting layers")]
    assert len({len(step) for step in steps}) == 1
    assert list(mend(lines).lines) == lines


def test_a_block_of_one_width_is_joined_once() -> None:
    lines = [f"{number * 7919 % 999_983:06d}{'x' * 70}".translate(LETTERS) for number in range(150_000)]
    (line,) = mend(lines).lines
    assert line == "".join(lines)


def test_a_log_about_markup_is_not_read_as_markup() -> None:
    lines = ['rendering "<b>" as &lt;b&gt;', 'rendering "&" as &quot;&amp;&quot;', 'done in "3" s']
    assert mend(lines).lines == lines


def test_an_entity_brings_no_control_character_into_a_failure() -> None:
    (failure, *_) = find_failures(
        "say &quot;hi&quot;\nValueError: no &quot;x&#x2028;y&#13;ValueError: z&#27;[31m&quot;\n"
    ).failures
    assert all(mark not in failure.message for mark in "\r\u2028\x1b")


def test_a_report_in_markup_keeps_its_tags() -> None:
    lines = ["<testsuite>", '<testcase name="a">', "<failure>expected &quot;x&quot;, got &apos;y&apos;</failure>"]
    assert mend(lines).lines == lines


def test_a_traceback_written_as_a_value_is_read() -> None:
    said = "Traceback (most recent call last):\n  File \"a.py\", line 3, in load\n    x = y[k]\nKeyError: 'k7'\n"
    found = find_failures(f"worker 3 failed: stderr={said.encode()!r})\n")
    assert found.primary is not None
    assert (found.failures[found.primary].type, found.failures[found.primary].message) == ("KeyError", "'k7'")


@given(st.lists(st.text(max_size=100), max_size=40))
def test_nothing_is_lost_and_numbers_grow(lines: list[str]) -> None:
    lines = [line.replace("\n", "") for line in lines]
    mended = mend(lines)
    numbers = list(mended.numbers or range(1, len(lines) + 1))
    assert len(numbers) == len(mended.lines)
    assert numbers == sorted(set(numbers))
    assert all(1 <= number <= len(lines) for number in numbers)
