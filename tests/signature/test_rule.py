"""Where the context of a line may stand: one rule, for the index and for the browser."""

from __future__ import annotations

import pytest

from kb.failures.model import Failure, Frame
from kb.signature.rule import CONTEXT_LINES, frames_follow, near
from kb.signature.sign import sign

LINES = [str(n) for n in range(200)]


def test_context_stands_before_the_line_and_only_so_far() -> None:
    assert near(LINES, 100, below=False) == LINES[100 - CONTEXT_LINES : 100]
    assert near(LINES, 3, below=False) == LINES[:3]


def test_where_frames_follow_it_may_stand_after_the_line_too() -> None:
    around = near(LINES, 100, below=True)
    assert around == [*LINES[100 - CONTEXT_LINES : 100], *LINES[101 : 101 + CONTEXT_LINES]]
    assert near(LINES, 199, below=True) == LINES[199 - CONTEXT_LINES : 199]


@pytest.mark.parametrize(
    ("kind", "language", "follow"),
    [("exception", "python", False), ("crash", "python", True), ("crash", "c", True), ("exception", "java", True)],
)
def test_only_the_exceptions_of_python_print_their_frames_first(kind: str, language: str, follow: bool) -> None:
    assert frames_follow(kind, language) is follow


def test_a_cut_traceback_is_called_one() -> None:
    cut = Failure("exception", "", "", 3, 1, 3, "  ^^^^", language="python", frames=(Frame("/x.py", "_start"),))
    assert sign(cut).title == "a cut traceback in _start"
