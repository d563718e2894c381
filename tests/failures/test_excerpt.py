"""The excerpt of a failure: its own lines, the own frames of a long stack, a little before it, and no noise."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kb.failures.excerpt import MOST_LINES, excerpt
from kb.failures.find import find_failures
from kb.failures.lines import decode, raw_lines
from kb.signature.frames import own_names

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("case", sorted(p.parent.name for p in GOLDEN.glob("*/input.log")))
def test_an_excerpt_holds_the_decisive_line_and_raw_numbers(case: str) -> None:
    data = (GOLDEN / case / "input.log").read_bytes()
    lines = raw_lines(decode(data))
    for failure in find_failures(data).failures:
        shown = excerpt(lines, failure, own=own_names(failure))
        assert len(shown) <= MOST_LINES + MOST_LINES  # lines, and between them words on what was left out
        assert failure.line in {number for number, _ in shown}
        assert all(lines[number - 1].startswith(text[:100]) for number, text in shown if number)
        numbers = [number for number, _ in shown if number]
        assert numbers == sorted(set(numbers))


def test_the_lines_of_other_processes_are_left_out() -> None:
    data = (GOLDEN / "vllm-eagle-prefix-collisions" / "input.log").read_bytes()
    found = find_failures(data)
    assert found.primary is not None
    failure = found.failures[found.primary]
    shown = excerpt(raw_lines(decode(data)), failure, own=own_names(failure))
    assert failure.spans
    assert any("others" in text for number, text in shown if not number)


def test_of_a_long_stack_the_own_frames_stay() -> None:
    frames = [f'  File "/usr/lib/python3.12/json/part{n}.py", line {n}, in plumbing_{n}\n    pass\n' for n in range(60)]
    own = '  File "/srv/app.py", line 9, in load_weights\n    raise it\n'
    stack = "".join([*frames[:30], own, *frames[30:]])
    text = f"starting\nTraceback (most recent call last):\n{stack}ValueError: broken header\n"
    (failure,) = find_failures(text).failures
    shown = [line for _, line in excerpt(raw_lines(text), failure, own=("load_weights",))]
    assert '  File "/srv/app.py", line 9, in load_weights' in shown
    assert shown[0] == "starting"
    assert shown[-1] == "ValueError: broken header"
    assert len(shown) <= MOST_LINES
    assert any(line.endswith("lines left out ...]") for line in shown)


def test_noise_before_a_failure_is_left_out() -> None:
    text = "loading model\n0 errors, 0 warnings\n\nValueError: broken header\n"
    (failure,) = find_failures(text).failures
    assert [line for _, line in excerpt(raw_lines(text), failure)] == ["loading model", "ValueError: broken header"]


def shown(case: Path) -> str:
    """The excerpt of a case's primary failure as a page to read: numbers as in the log, none before a count."""
    data = (case / "input.log").read_bytes()
    found = find_failures(data)
    assert found.primary is not None
    failure = found.failures[found.primary]
    lines = excerpt(raw_lines(decode(data)), failure, own=own_names(failure))
    return "".join(
        f"{number or '':>6} {ascii(text)[1:-1] if not text.isprintable() else text}\n" for number, text in lines
    )


@pytest.mark.parametrize("case", sorted(p.parent.name for p in GOLDEN.glob("*/excerpt.txt")))
def test_an_excerpt_reads_as_its_golden_file_says(case: str) -> None:
    expected = GOLDEN / case / "excerpt.txt"
    answer = shown(GOLDEN / case)
    if os.environ.get("KB_BLESS"):
        expected.write_text(answer, "utf-8")
    assert answer == expected.read_text("utf-8")


def test_marks_under_the_source_give_way_in_a_long_report() -> None:
    frames = "".join(f'  File "/srv/a{n}.py", line {n}, in f{n}\n    go{n}()\n    ^^^^^^\n' for n in range(18))
    text = f"Traceback (most recent call last):\n{frames}ValueError: broken header\n"
    (failure,) = find_failures(text).failures
    lines = [line for _, line in excerpt(raw_lines(text), failure)]
    assert not any("^^^" in line for line in lines)
    assert sum("File" in line for line in lines) == 18


def test_before_the_lines_of_a_named_process_stand_its_own() -> None:
    text = "(W pid=1) INFO 11-29 14:06:23 [a.py:1] loading\nsomebody else\n(W pid=1) ValueError: broken header\n"
    (failure,) = find_failures(text).failures
    assert [number for number, _ in excerpt(raw_lines(text), failure)] == [1, 3]


def test_progress_before_a_failure_is_left_out() -> None:
    text = "loading model\n 40%|####      | 2/5 [00:01<00:02, 1.2it/s]\nValueError: broken header\n"
    (failure,) = find_failures(text).failures
    assert [line for _, line in excerpt(raw_lines(text), failure)] == ["loading model", "ValueError: broken header"]


def test_a_report_that_a_summary_repeats_is_shown_once_and_tries_of_one_line_are_all_shown() -> None:
    report = "  ● basket › adds\n\n    expect(received).toBe(expected)\n\n    Expected: 3\n    Received: 2\n\n"
    report += "      at Object.toBe (basket.test.js:4:5)\n\n"
    text = "FAIL ./basket.test.js\n" + report + "PASS ./a.test.js\nSummary of all failing tests\n" + report
    (failure,) = find_failures(text).failures
    shown = [line for _, line in excerpt(raw_lines(text), failure)]
    assert shown.count("    Expected: 3") == 1
    tries = "".join(f"curl: (7) Failed to connect to 127.0.0.1 port 9\nwaiting {n}\n" for n in range(3))
    (failure,) = find_failures(tries).failures
    assert sum("curl" in line for _, line in excerpt(raw_lines(tries), failure)) == 3
