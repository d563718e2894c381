"""What an excerpt shows of the other failures of a log: the rest of a list, and what an exception was raised as."""

from __future__ import annotations

from kb.failures.excerpt import excerpt
from kb.failures.find import find_failures
from kb.failures.lines import raw_lines
from kb.signature.frames import own_names


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


def test_of_a_chain_of_causes_in_java_the_heads_and_own_frames_above_are_shown() -> None:
    lines = [
        "2026-11-29 10:00:00,000 [main] ERROR shop.Main - batch failed",
        "java.util.concurrent.ExecutionException: shop.PostException: could not post the batch",
        "\tat java.base/java.util.concurrent.FutureTask.report(FutureTask.java:122)",
        "\tat java.base/java.util.concurrent.FutureTask.get(FutureTask.java:191)",
        "\tat shop.Main.main(Main.java:16)",
        "Caused by: shop.PostException: could not post the batch",
        "\tat shop.Ledger.post(Ledger.java:11)",
        "\tat java.base/java.util.concurrent.FutureTask.run(FutureTask.java:264)",
        "\tat java.base/java.lang.Thread.run(Thread.java:840)",
        "Caused by: java.net.ConnectException: Connection refused",
        "\tat java.base/sun.nio.ch.Net.pollConnect(Native Method)",
        "\t... 3 more",
    ]
    found = find_failures("\n".join(lines))
    assert found.primary is not None
    root = found.failures[found.primary]
    shown = [number for number, _ in excerpt(lines, root, own=own_names(root), beside=found.failures)]
    assert {1, 2, 6, 7, 10, 11} <= set(shown)
    assert 3 not in shown
    assert 8 not in shown
