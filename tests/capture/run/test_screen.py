"""What of a program's bytes ends up in the log: what a person saw, as plain lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.capture.run.screen import LONGEST, Screen


def log(*chunks: bytes) -> list[str]:
    """The lines of the log when the program writes these chunks."""
    screen = Screen()
    lines: list[str] = []
    waiting = b""
    for number, chunk in enumerate(chunks, start=1):
        waiting += chunk
        taken = screen.take(waiting, last=number == len(chunks))
        waiting = waiting[taken.done :]
        if taken.rows:
            old = lines[len(lines) - taken.back :] if taken.back else []
            old = [""] * (taken.back - len(old)) + old
            lines = lines[: max(0, len(lines) - taken.back)]
            lines += [old[at] if row is None else row for at, row in enumerate(taken.rows)]
        else:
            lines += taken.text.split("\n")[:-1]
    return lines


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        (b"a\r\nb\n", ["a", "b"]),
        (b"no end", ["no end"]),
        (b"\x1b[1;31mred\x1b[0m and \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n", ["red and link"]),
        (b"\x1b]0;title\x07\x07bell\0\n", ["bell"]),
        (b" 10%\r 20%\r100% done\n", ["100% done"]),
        (b"a long line\rshort\n", ["shortg line"]),
        (b"a long line\r\x1b[Kshort\n", ["short"]),
        (b"bar 50%\r\x1b[2K\n", [""]),
        (b"typo\b\bed\n", ["tyed"]),
        (b"man\by\n", ["may"]),
        (b"one\ntwo\n\x1b[2A\x1b[2Kuno\n\x1b[2Kdos\nend\n", ["uno", "dos", "end"]),
        (b"one\ntwo\nthree\n\x1b[3A\x1b[2K\rUNO\x1b[3B\rend\n", ["UNO", "two", "three", "end"]),
        (b"out\n\x1b[?1049hscreen\nof vim\x1b[?1049lback\n", ["out", "back"]),
        (b"\xff\xfe broken \xe2\x82\xac\n", ["�� broken €"]),
        (b"cursor \x1b[?25lhidden\x1b[?25h\n", ["cursor hidden"]),
    ],
)
def test_the_log_holds_what_was_seen(written: bytes, seen: list[str]) -> None:
    assert log(written) == seen
    assert log(*(written[at : at + 1] for at in range(len(written)))) == seen


def test_ten_thousand_updates_of_a_bar_are_one_line() -> None:
    bar = b"".join(b"\r%3d%%|#####     | %d/10000" % (n // 100, n) for n in range(10_001))
    assert log(b"start\n" + bar + b"\nend\n") == ["start", "100%|#####     | 10000/10000", "end"]


def test_a_bar_of_several_lines_is_written_once() -> None:
    updates = [b"\x1b[2A\x1b[2Kfirst %d\n\x1b[2Ksecond %d\n" % (n, n) for n in range(50)]
    assert log(b"pull\n", b"first\nsecond\n", *updates, b"done\n") == ["pull", "first 49", "second 49", "done"]


def test_a_line_that_does_not_end_is_cut_and_nothing_of_it_is_lost() -> None:
    words = b" ".join(b"%d" % n for n in range(50_000))
    lines = log(*(words[at : at + 5000] for at in range(0, len(words), 5000)))
    assert all(len(line) <= LONGEST + 5000 for line in lines)
    assert " ".join(line.strip() for line in lines).encode() == words


def test_an_editor_that_never_writes_a_line_end_takes_no_memory() -> None:
    screen = Screen()
    waiting = b"\x1b[?1049h"
    for _ in range(100):
        waiting += b"\x1b[1;1Hpainting" * 1000
        taken = screen.take(waiting)
        waiting = waiting[taken.done :]
        assert len(waiting) < 100
    assert screen.take(waiting + b"\x1b[?1049l\rback\n").text == "back\n"


def test_a_private_key_is_waited_for() -> None:
    screen = Screen()
    data = b"key:\n-----BEGIN PRIVATE KEY-----\nabc\n"
    assert data[screen.take(data).done :].startswith(b"-----BEGIN")


pieces = st.sampled_from(
    [b"text", b" ", b"\n", b"\r\n", b"\r", b"\b", b"\x1b[A", b"\x1b[3A", b"\x1b[B", b"\x1b[K", b"\x1b[2K", b"\x1b[31m",
     b"\x1b[?1049h", b"\x1b[?1049l", b"\x1b", b"\x1b[", b"\x1b]0;x", b"\x07", b"\0", b"\xff", b"\xe2\x82", b"\x1b[9999C"]
)  # fmt: skip


@given(st.lists(st.lists(pieces, max_size=12).map(b"".join), min_size=1, max_size=6))
def test_any_bytes_are_taken_to_their_end(chunks: list[bytes]) -> None:
    for line in log(*chunks):
        assert "\n" not in line
        assert "\r" not in line


@given(st.lists(st.sampled_from(["a", "bc", "defg", " "]), max_size=30), st.lists(st.integers(1, 40), max_size=5))
def test_plain_lines_stay_as_they_are_however_they_arrive(words: list[str], cuts: list[int]) -> None:
    lines = "".join(words).split(" ")
    data = "".join(f"{line}\n" for line in lines).encode()
    chunks = []
    at = 0
    for cut in cuts:
        chunks.append(data[at : at + cut])
        at += cut
    assert log(*chunks, data[at:]) == lines
