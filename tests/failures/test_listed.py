"""A traceback that was logged as the repr of its list of lines is read like a printed one."""

from __future__ import annotations

import traceback

from kb.failures.find import find_failures


def shelf(books: dict[str, int]) -> int:
    return books["atlas"]


def test_the_repr_of_a_formatted_exception_is_a_traceback() -> None:
    try:
        shelf({})
    except KeyError as error:
        line = f"2026-11-29 10:00:00 ERROR library: {traceback.format_exception(error)!r}"
    (failure,) = find_failures(f"starting\n{line}\nready\n").failures
    assert (failure.type, failure.message, failure.line) == ("KeyError", "'atlas'", 2)
    assert failure.frames[-1].function == "shelf"


def test_a_path_of_windows_keeps_its_backslashes() -> None:
    said = (
        'Traceback (most recent call last):\n  File "C:\\new\\tools.py", line 3, in load\n    x = y[k]\nKeyError: 7\n'
    )
    for line in (f"worker 3 failed: stderr={said!r}", f"worker 3 failed: {said.splitlines(keepends=True)!r}"):
        (failure,) = find_failures(f"starting\n{line}\n").failures
        assert failure.frames[-1].file == "C:\\new\\tools.py"


def test_a_list_that_is_cut_off_still_gets_an_answer() -> None:
    line = """['Traceback (most recent call last):\\n', '  File "a.py", line 3, in run"""
    assert find_failures(line).lines == 1
