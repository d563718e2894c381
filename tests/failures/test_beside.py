"""What an excerpt shows of the other failures of a log: the rest of a list, and what an exception was raised as."""

from __future__ import annotations

from kb.failures.excerpt import excerpt
from kb.failures.find import find_failures
from kb.failures.lines import raw_lines


def shown(log: str, most: int = 40) -> list[str]:
    found = find_failures(log)
    assert found.primary is not None
    told = excerpt(raw_lines(log), found.failures[found.primary], most=most, beside=found.failures)
    return [text for number, text in told if number]


RAISED = """\
Traceback (most recent call last):
  File "/srv/app.py", line 3, in fetch
    read()
TimeoutError: no answer in 5 s

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/app.py", line 9, in main
    fetch()
RuntimeError: the rates could not be fetched
"""


def test_as_what_an_exception_was_raised_is_shown() -> None:
    assert shown(RAISED)[-2:] == ["TimeoutError: no answer in 5 s", "RuntimeError: the rates could not be fetched"]


def test_what_others_raised_is_not_shown() -> None:
    other = RAISED.replace("The above exception was the direct cause of the following exception:", "later")
    assert "RuntimeError: the rates could not be fetched" not in shown(other)


def test_the_errors_of_one_compiler_are_a_list() -> None:
    errors = [f"src/a.c:{number}:5: error: unknown type name 'row{number}'" for number in range(3, 8)]
    log = "\n".join([*errors[:3], "cc -c src/a.c", "cc -c src/b.c", "cc -c src/c.c", "cc -c d.c", *errors[3:], ""])
    assert shown(log) == errors
    assert len(shown(log, most=4)) <= 4


def test_error_lines_that_follow_each_other_are_shown_together() -> None:
    log = "starting\nERROR: no such volume\nERROR: giving up on the volume\nstopped\nERROR: later\n"
    assert shown(log) == ["starting", "ERROR: no such volume", "ERROR: giving up on the volume"]
