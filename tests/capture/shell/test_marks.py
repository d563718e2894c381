"""Marks are found however the bytes arrive, and only those that carry the nonce are the shell's."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from kb.capture.shell.marks import Marks

NONCE = "8f2e"
STREAM = (
    b"$ \x1b]7770;8f2e;H;  12  echo hi\n\x07hi\r\n\x1b]7770;8f2e;D;3;/srv;x\x1b\\$ "
    b"\x1b]7770;9999;C;forged\x07\x1b]0;title\x07\x1b]7770;8f2e;C;two\r\nlines\x07"
)


def read(marks: Marks, chunks: list[bytes]) -> list[tuple[str, str, int | None]]:
    found = []
    waiting = b""
    for chunk in chunks:
        waiting += chunk
        here, end = marks.find(waiting)
        found += [(mark.kind, mark.text, mark.number) for mark in here]
        waiting = waiting[max(end, here[-1].end if here else 0) :]
    return found


ALL = [("begins", "echo hi", 12), ("ends", "/srv;x", 3), ("begins", "two\nlines", None)]


@given(st.sets(st.integers(1, len(STREAM) - 1)))
def test_marks_are_found_however_they_are_cut(cuts: set[int]) -> None:
    places = [0, *sorted(cuts), len(STREAM)]
    chunks = [STREAM[a:b] for a, b in pairwise(places)]
    assert read(Marks(NONCE), chunks) == ALL


def test_the_terminal_gets_all_but_the_own_marks() -> None:
    shown, done = Marks(NONCE).without(STREAM)
    assert shown == b"$ hi\r\n$ \x1b]7770;9999;C;forged\x07\x1b]0;title\x07"
    assert done == len(STREAM)


def test_a_mark_that_has_not_ended_is_held_back() -> None:
    shown, done = Marks(NONCE).without(b"out\x1b]7770;8f2e;C;l")
    assert (shown, done) == (b"out", 3)
    assert Marks(NONCE).without(b"out\x1b]77") == (b"out", 3)


def test_a_mark_that_never_ends_holds_nothing_back_for_ever() -> None:
    endless = b"\x1b]7770;8f2e;C;" + b"x" * 100_000
    assert Marks(NONCE).without(endless) == (endless, len(endless))


def test_the_marks_of_other_integrations() -> None:
    stream = (
        b"\x1b]133;A\x07$ \x1b]133;B\x07ls\x1b]133;C;cmdline_url=ls%20-l\x1b\\out\x1b]133;D;1\x07"
        b"\x1b]633;E;echo \\x3b \\\\;nonce\x07\x1b]633;C\x07\x1b]633;P;Cwd=/a b\x07\x1b]633;D\x07"
    )
    assert read(Marks(""), [stream]) == [
        ("prompt", "", None),
        ("typing", "", None),
        ("begins", "ls -l", None),
        ("ends", "", 1),
        ("line", "echo ; \\", None),
        ("begins", "", None),
        ("folder", "/a b", None),
        ("ends", "", None),
    ]


@given(st.binary(max_size=300))
def test_any_bytes_are_passed_on(data: bytes) -> None:
    shown, done = Marks(NONCE).without(data)
    assert data.startswith(shown)
    assert len(shown) == done
