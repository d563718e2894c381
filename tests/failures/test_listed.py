"""A traceback that was logged as the repr of its list of lines is read like a printed one."""

from __future__ import annotations

import json
import traceback

import pytest

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


PROCESSES = """\
(Worker_TP0 pid=31) INFO 11-29 10:00:00 [core.py:7] loading
(Worker_TP1 pid=32) ERROR 11-29 10:00:01 [core.py:9] Traceback (most recent call last):
(Worker_TP0 pid=31) INFO 11-29 10:00:01 [core.py:7] loaded
(Worker_TP1 pid=32) ERROR 11-29 10:00:01 [core.py:9]   File "/srv/load.py", line 3, in load
(Worker_TP1 pid=32) ERROR 11-29 10:00:01 [core.py:9]     return shelf[book]
(APIServer pid=30) INFO 11-29 10:00:02 [api.py:4] waiting
(Worker_TP1 pid=32) ERROR 11-29 10:00:01 [core.py:9] KeyError: 'atlas'
(APIServer pid=30) RuntimeError: Engine core initialization failed. See root cause above.
"""


@pytest.mark.parametrize(
    "line",
    [
        repr(PROCESSES),
        repr(PROCESSES.encode()),
        json.dumps({"level": "error", "message": "job failed", "output": PROCESSES}),
        json.dumps({"level": "error", "message": PROCESSES}),
        json.dumps({"log": PROCESSES, "stream": "stderr", "time": "2026-11-29T10:00:00Z"}),
    ],
    ids=["text", "bytes", "field", "message", "container"],
)
def test_the_processes_in_one_text_are_told_apart(line: str) -> None:
    found = find_failures(line)
    assert found.primary is not None
    root = found.failures[found.primary]
    assert (root.type, root.message, root.process) == ("KeyError", "'atlas'", "Worker_TP1")
    assert root.frames[-1].source == "return shelf[book]"


def test_the_first_line_of_a_text_does_not_say_how_loud_the_others_are() -> None:
    log = 'INFO:shop:starting\nTraceback (most recent call last):\n  File "a.py", line 3, in run\nKeyError: 7\n'
    assert find_failures(repr(log)).primary == 0


def test_what_stands_before_a_text_does() -> None:
    trace = 'Traceback (most recent call last):\n  File "a.py", line 3, in run\nKeyError: 7\n'
    assert find_failures(f"2026-11-29 10:00:00 INFO shop: retried, stderr={trace!r}\n").primary is None
    assert find_failures(f"2026-11-29 10:00:00 ERROR shop: gave up, stderr={trace!r}\n").primary == 0


def test_a_text_that_is_no_log_is_no_failure() -> None:
    assert find_failures(repr("usage: shop [options]\n\n  -e  stop at the first error\n  -k  go on\n")).failures == ()


@pytest.mark.parametrize("mark", ["+", "-", "+ echo "])
def test_a_text_that_a_patch_or_a_traced_shell_shows_did_not_happen(mark: str) -> None:
    shown = r'none | Traceback (most recent call last):\n  File "a.py", line 3, in f\n    x()\nValueError: boom'
    assert find_failures(f"{shown}\n").failures
    assert not find_failures(f"{mark}{shown}\n").failures
