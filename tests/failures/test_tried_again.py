"""A try that failed and was made again is no failure; the last one is."""

from __future__ import annotations

import pytest

from kb.failures.find import find_failures
from kb.failures.readers import configure_log
from kb.failures.streams import split_streams

CURL = "curl: (7) Failed to connect to 127.0.0.1 port 18591 after 0 ms: Couldn't connect to server\n"
AGAIN = "Warning: Problem : connection refused. Will retry in 1 seconds. 9 retries \nWarning: left.\n"
WGET = (
    "--2026-11-30 11:58:0{n}--  http://127.0.0.1:18492/\nConnecting to 127.0.0.1:18492... failed: Connection refused.\n"
)
CONNECTED = (
    "--2026-11-30 11:58:09--  http://127.0.0.1:18492/\nConnecting to 127.0.0.1:18492... connected.\n"
    "HTTP request sent, awaiting response... 200 OK\n"
)


@pytest.mark.parametrize(
    "log",
    [
        (CURL + AGAIN) * 3,
        CURL + AGAIN.replace("Problem :", "Problem:").replace("\nWarning: left", "left"),
        WGET.format(n=1) + "Retrying.\n\n" + WGET.format(n=2) + "Retrying.\n\n" + CONNECTED,
    ],
)
def test_tries_before_one_that_succeeded_are_none(log: str) -> None:
    assert not find_failures(log).failures


@pytest.mark.parametrize(
    ("log", "line"),
    [((CURL + AGAIN) * 2 + CURL, 7), (WGET.format(n=1) + "Retrying.\n\n" + WGET.format(n=2) + "Giving up.\n", 6)],
)
def test_the_last_try_is_the_failure(log: str, line: int) -> None:
    (failure,) = find_failures(log).failures
    assert (failure.role, failure.line) == ("root", line)


def test_keys_that_a_cache_tells_of_are_no_errors_and_its_own_are() -> None:
    keys = (
        "<23 set error:1 0 0 5\n> NOT FOUND error:1\n>23 sending key error:1\n<23 delete fatal:2\nVALUE error:1 0 5\n"
    )
    assert not find_failures(keys).failures
    assert find_failures(keys + ">23 ERROR: out of memory storing object\n").failures


def test_a_trial_of_a_configure_script_is_its_lines_from_the_command_to_its_status() -> None:
    (stream,) = split_streams(configure_log.EXAMPLE.split("\n"))
    (trial,) = configure_log.read(stream)
    assert (trial.first, trial.at.number, trial.last) == (2, 5, 5)
    assert not find_failures(configure_log.EXAMPLE).failures
