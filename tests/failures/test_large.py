"""Large logs are read by the neighbourhoods of marker words: same answer, bounded memory, true line numbers."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.failures import places
from kb.failures.find import find_failures
from kb.failures.large import find_in_stream
from kb.failures.places import MARKERS, neighbourhoods
from kb.failures.tables import rows

GOLDEN = Path(__file__).parent / "golden"
CASES = ["vllm-noweights-tp2", "gpu-rank1-attr-dist", "torchrun-embedding-oob", "py-exceptiongroup", "gpu-cpp-ext"]
HEALTHY = "2025-03-01 09:13:15,186 INFO [cursor] replay queue 771720 took 257 ms\n"


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("block", [64, 1000, 1 << 22])
def test_the_answer_is_that_of_reading_the_log_whole(case: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "_BLOCK", block)
    monkeypatch.setattr(places, "_MOST_KEPT", 1 << 24)
    text = HEALTHY * 500 + (GOLDEN / case / "input.log").read_text("utf-8") + HEALTHY * 500
    whole, large = find_failures(text), find_in_stream(io.BytesIO(text.encode())).found
    assert whole.primary is not None
    assert large.primary is not None
    one, other = whole.failures[whole.primary], large.failures[large.primary]
    assert (other.type, other.message, other.line, other.text) == (one.type, one.message, one.line, one.text)
    assert large.lines == whole.lines


#: Reports longer than what is read around a marker: a box drawn round a traceback, a term over forty lines.
LONGER = {"py-rich-color", "rabbitmq-port"}


def test_no_primary_failure_stands_where_no_marker_leads() -> None:
    missed = []
    for case in sorted(path.parent for path in GOLDEN.glob("*/input.log")):
        data = (case / "input.log").read_bytes().rstrip(b"\n") + b"\n"
        if case.name in LONGER or len(data) > 100_000:
            continue
        log = HEALTHY.encode() * 40 + data + HEALTHY.encode() * 40
        whole, large = find_failures(log), find_in_stream(io.BytesIO(log)).found
        told = [None if found.primary is None else found.failures[found.primary][1:4] for found in (whole, large)]
        if told[0] != told[1]:
            missed.append(case.name)
    assert missed == []


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "latin-1"])
def test_a_large_log_may_be_in_other_encodings(encoding: str) -> None:
    text = HEALTHY * 300 + "ValueError: größer als 3\n" + HEALTHY * 300
    whole, large = find_failures(text.encode(encoding)), find_in_stream(io.BytesIO(text.encode(encoding))).found
    assert [f[1:4] for f in large.failures] == [f[1:4] for f in whole.failures]
    assert large.failures[0].message == "größer als 3"
    assert large.lines == whole.lines


def test_what_a_long_progress_bar_ends_in_is_read() -> None:
    bar = "".join(f"\r{i}%|##        | {i}/100 [00:01<00:02, 3.1it/s]" for i in range(40_000))
    found = find_in_stream(io.BytesIO(f"{HEALTHY * 9}{bar}\rValueError: boom\n{HEALTHY * 9}".encode())).found
    assert [(f.message, f.line) for f in found.failures] == [("boom", 10)]


@pytest.mark.parametrize("block", [200, 3000, 1 << 22])
def test_a_failure_knows_its_file_however_far_above_it_was_named(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "_BLOCK", block)
    report = 'Traceback (most recent call last):\n  File "/srv/a.py", line 3, in run\n    go()\nValueError: of {}\n'
    text = "\n".join(f"==> logs/{name}.log <==\n{HEALTHY * 99}{report.format(name)}{HEALTHY * 99}" for name in "abc")
    whole, large = find_failures(text), find_in_stream(io.BytesIO(text.encode())).found
    assert [(f.process, f.line) for f in large.failures] == [(f.process, f.line) for f in whole.failures]
    assert [f.process for f in large.failures] == ["a.log", "b.log", "c.log"]
    assert large.lines == whole.lines


@given(
    st.lists(
        st.sampled_from([b"fine\n", b"ERROR: x\n", b"\n", b"Traceback (most recent call last):\n", b"no end"]),
        max_size=400,
    )
)
@settings(max_examples=150, deadline=None)
def test_neighbourhoods_hold_every_marked_line_with_its_number(parts: list[bytes]) -> None:
    data = b"".join(parts)
    lines = data.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    seen: dict[int, str] = {}
    total = 0
    for batch in neighbourhoods(io.BytesIO(data)):
        total = batch.total
        seen.update({n: line for n, line in zip(batch.numbers, batch.lines, strict=True) if n})
    assert total == len(lines)
    for number, line in enumerate(lines, 1):
        if b"ERROR" in line or b"Traceback" in line:
            assert seen[number] == line.decode()
    assert all(lines[number - 1].decode() == line for number, line in seen.items())


def test_healthy_stretches_are_not_read() -> None:
    data = HEALTHY.encode() * 20_000 + b"ValueError: boom\n" + HEALTHY.encode() * 20_000
    kept = sum(len(batch.lines) for batch in neighbourhoods(io.BytesIO(data)))
    assert kept < 200


def test_a_log_of_nothing_but_failures_keeps_a_bounded_number_of_equal_ones() -> None:
    text = 'Traceback (most recent call last):\n  File "/srv/a.py", line 3, in run\n    go()\nValueError: boom\n' * 3000
    found = find_in_stream(io.BytesIO(text.encode())).found
    assert found.lines == 12_000
    assert len(found.failures) == 50


def test_every_marker_is_printable_and_long_enough_to_be_rare() -> None:
    words = [cells[0] for _, cells in rows(MARKERS, 1)]
    assert len(set(words)) == len(words)
    assert all(len(word) >= 3 and word.isprintable() for word in words)


def test_of_the_files_named_inside_a_neighbourhood_only_the_last_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    line = places._line

    def counted(data: bytes, at: int) -> bytes:
        looked.append(at)
        return line(data, at)

    monkeypatch.setattr(places, "_line", counted)
    log = b"".join(b"==> a%d.log <==\nERROR: part %d broke\n\n" % (n, n) for n in range(300))
    (batch,) = neighbourhoods(io.BytesIO(log))
    assert batch.lines.count("==> a299.log <==") == 1
    assert len(looked) < 5
