"""Whatever the bytes: an answer, never a crash; and what stands around a failure does not change it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.failures.find import find_failures
from kb.signature.sign import sign

GOLDEN = Path(__file__).parent / "golden"
PIECES = [
    "Traceback (most recent call last):", '  File "/a/b.py", line 3, in f', "    x = y", "        ^^^", "ValueError: z", "",
    "The above exception was the direct cause of the following exception:", "  + Exception Group Traceback (most recent call last):",
    "  |   File \"g.py\", line 1, in g", "  | ExceptionGroup: two (2 sub-exceptions)", "  +-+---------------- 1 ----------------",
    "    | ValueError: inner", "    +------------------------------------", "(Worker_TP0 pid=1) ", "[rank1]: ", "\x1b[31m", "\r",
    "E       assert 1 == 2", ">       assert x", "Fatal Python error: Aborted", "Current thread 0x00007f (most recent call first):",
    "Failures:", "  traceback : Signal 9 (SIGKILL) received by PID 7", "{\"level\": \"error\", \"msg\": \"x\"}", "Exception ignored in: <f>",
    "╭─── Traceback (most recent call last) ───╮", "│ /a.py:1 in f │", "╰───╯", "error: x", "During handling of the above exception, another exception occurred:",
    "  [Previous line repeated 9 more times]", "KeyError: Caught KeyError in DataLoader worker process 0.", "Original Traceback (most recent call last):",
]  # fmt: skip

PLAIN = """\
Traceback (most recent call last):
  File "/srv/app/run.py", line 10, in <module>
    main()
  File "/srv/app/run.py", line 7, in main
    load(7)
OSError: [Errno 28] No space left on device: '/var/tmp/shard-7.bin'
"""


@given(st.binary(max_size=4000))
@settings(max_examples=300, deadline=None)
def test_any_bytes_get_an_answer(data: bytes) -> None:
    found = find_failures(data)
    for failure in found.failures:
        assert 1 <= failure.first_line <= failure.last_line <= max(found.lines, 1)
        sign(failure)


@given(st.lists(st.sampled_from(PIECES), max_size=60))
@settings(max_examples=400, deadline=None)
def test_any_jumble_of_pieces_of_reports_gets_an_answer(pieces: list[str]) -> None:
    found = find_failures("\n".join(pieces))
    for failure in found.failures:
        assert failure.caused_by is None or 0 <= failure.caused_by < len(found.failures)
        sign(failure)


@pytest.mark.parametrize(
    "around",
    [
        lambda line: f"(Worker_TP3 pid=77) ERROR 11-29 14:48:19 [multiproc_executor.py:941] {line}",
        lambda line: f"[rank1]: {line}",
        lambda line: f"\x1b[36m(APIServer pid=1)\x1b[0m {line}",
        lambda line: f"2026-07-30T13:21:30.7846808Z {line}",
        lambda line: f"vllm-1  | {line}",
        lambda line: f"Nov 29 13:00:00 node7 app[33]: {line}",
        lambda line: f"{line}\r",
        lambda line: f"\x1b[31m{line}\x1b[0m",
        lambda line: f"      {line}",
        lambda line: f"  | {line}",
    ],
)
def test_prefixes_colours_line_ends_and_margins_do_not_change_a_signature(around) -> None:  # type: ignore[no-untyped-def]
    plain = find_failures(PLAIN)
    other = find_failures("\n".join(around(line) for line in PLAIN.splitlines()))
    assert plain.primary is not None
    assert other.primary is not None
    assert sign(other.failures[other.primary]).id == sign(plain.failures[plain.primary]).id


@given(st.lists(st.text(alphabet="abc xyz:.0123456789-_/", max_size=60), max_size=20), st.integers(0, 20))
@settings(max_examples=150, deadline=None)
def test_healthy_lines_around_a_failure_do_not_change_it(lines: list[str], cut: int) -> None:
    text = "\n".join([*lines[:cut], PLAIN.rstrip(), "", *lines[cut:]])
    found = find_failures(text)
    roots = [f for f in found.failures if f.type == "OSError"]
    assert [sign(f).id for f in roots] == [sign(find_failures(PLAIN).failures[0]).id]


@pytest.mark.parametrize("keep", [1, 2, 3, 4, 5])
def test_a_traceback_whose_head_is_cut_keeps_its_exception(keep: int) -> None:
    found = find_failures("\n".join(PLAIN.splitlines()[-keep:]))
    assert found.primary is not None
    assert found.failures[found.primary].type == "OSError"


@pytest.mark.parametrize("keep", [2, 3, 4, 5])
def test_a_traceback_whose_end_is_cut_is_a_symptom_and_says_so(keep: int) -> None:
    found = find_failures("\n".join(PLAIN.splitlines()[:keep]))
    assert found.symptom_only
    assert not found.failures[0].complete
    assert any("cut" in hint for hint in found.hints)


def test_two_interleaved_processes_are_taken_apart() -> None:
    one = [f"(Worker_TP0 pid=1) {line}" for line in PLAIN.splitlines()]
    two = [f"(Worker_TP1 pid=2) {line}" for line in PLAIN.replace("OSError: [Errno 28]", "MemoryError: x").splitlines()]
    mixed = "\n".join(line for pair in zip(one, two, strict=True) for line in pair)
    found = find_failures(mixed)
    assert [(f.type, f.process, len(f.frames)) for f in found.failures] == [
        ("OSError", "Worker_TP0", 2),
        ("MemoryError", "Worker_TP1", 2),
    ]


def test_utf_16_is_read() -> None:
    assert find_failures(PLAIN.encode("utf-16")).failures[0].type == "OSError"


@pytest.mark.parametrize(
    "line",
    [
        "[" * 200_000,
        "(a pid=1) " * 20_000,
        "{" * 200_000 + "}",
        '  File "' * 20_000,
        "error " * 40_000,
        "ERROR: " + "x" * 500_000,
        "A" * 300_000 + "Error: x",
        "\x1b[" * 100_000,
        "/a" * 100_000 + ": error: b",
        "'" * 100_000,
        "ValueError: " + "'a" * 50_000,
        "_" * 100_000 + " x ___",
    ],
)
def test_a_hostile_line_is_read_in_one_pass(line: str) -> None:
    """No assertion on time: a backtracking expression would not come back within the suite's limit."""
    for failure in find_failures("\n".join([line] * 3)).failures:
        sign(failure)


def test_an_exception_without_a_traceback_keeps_the_lines_of_its_message() -> None:
    text = "pydantic_core.ValidationError: 1 validation error for M\n  Value error, heads (1) must be divisible [type=value_error]\nnext line\n"
    (failure,) = find_failures(text).failures
    assert failure.message.split("\n")[1] == "  Value error, heads (1) must be divisible [type=value_error]"
    assert sign(failure).template.startswith("Value error, heads (")
