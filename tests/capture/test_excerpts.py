"""What a record keeps of a log."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kb.capture.excerpts import excerpt_of
from kb.failures.find import find_failures
from kb.signature.sign import sign

TRACE = """\
Traceback (most recent call last):
  File "/srv/a.py", line 5, in <module>
    f()
  File "/srv/a.py", line 2, in f
    return float(x)
ValueError: could not convert string to float: '1,15'
"""


def signature(text: str) -> str | None:
    found = find_failures(text)
    return None if found.primary is None else sign(found.failures[found.primary]).id


def test_of_a_healthy_log_the_last_lines_stay() -> None:
    kept = excerpt_of("".join(f"step {n}\n" for n in range(1, 101)).encode() + b"\n\n", "a.log")
    assert kept.failure is None
    assert kept.log.body == "".join(f"step {n}\n" for n in range(93, 101))
    assert (kept.log.lines.first, kept.log.lines.last) == (93, 100)  # type: ignore[union-attr]


def test_of_an_empty_log_its_name_stays() -> None:
    kept = excerpt_of(b"", "a.log")
    assert (kept.log.body, kept.log.lines, kept.log.source) == ("", None, "a.log")


def test_failures_stay_in_the_order_of_the_log_with_gaps_between() -> None:
    noise = "".join(f"12:00:{n % 60:02} INFO step {n}\n" for n in range(200))
    text = noise + TRACE + noise + TRACE.replace("ValueError: could", "KeyError: could") + noise
    kept = excerpt_of(text.encode(), "a.log")
    assert kept.log.body.count("lines left out ...]") == 1
    assert kept.log.body.index("ValueError") < kept.log.body.index("KeyError")
    assert len(kept.log.body.splitlines()) < 30
    assert kept.log.lines is not None
    assert kept.log.lines.last == text[: text.index("KeyError")].count("\n") + 1


def test_what_the_primary_was_raised_again_as_stays_however_much_else_failed() -> None:
    stack = "".join(f"\tat org.example.ledger.Step{n}.run(Step{n}.java:{n})\n" for n in range(60))
    outer = 'Exception in thread "main" org.example.StartException: the ledger could not be opened\n'
    text = f"{outer}{stack}Caused by: java.io.IOException: the volume was unmounted\n{stack}\t... 12 more\n"
    text += "".join(f"ERROR: part {name} could not be read\n{stack}" for name in ("amber", "beryl", "coral", "diamond"))
    text += "".join(f"{name}: command not found\n" for name in ("alpha", "bravo", "delta", "gamma", "kappa"))
    kept = excerpt_of(text.encode(), "a.log")
    assert kept.failure is not None
    assert kept.failure.message == "the volume was unmounted"
    assert outer in kept.log.body


def test_of_a_large_log_only_the_neighbourhoods_are_read() -> None:
    text = "".join(f"12:00:00 INFO step {n}\n" for n in range(5000)) + TRACE
    assert excerpt_of(io.BytesIO(text.encode()), "a").log == excerpt_of(text.encode(), "a").log


GOLDEN = sorted((Path(__file__).parent.parent / "failures" / "golden").glob("*/*.log"))[::7]


@pytest.mark.parametrize("log", GOLDEN, ids=lambda log: log.parent.name)
def test_an_excerpt_tells_the_same_failure_as_its_log(log: Path) -> None:
    text = log.read_bytes().decode("utf-8", "replace")
    assert signature(excerpt_of(text.encode(), log.name).log.body) == signature(text)


@settings(max_examples=40)
@given(st.binary(max_size=300), st.text(max_size=10))
@example(b"Traceback (most recent call last):\n" * 3 + b"\x1b[31mKeyError: 0\x1b[0m\r\n", "x")
def test_any_bytes_can_be_read(data: bytes, source: str) -> None:
    kept = excerpt_of(data, source)
    assert kept.log.source is not None
    assert (kept.failure is None) == (find_failures(data).primary is None)
