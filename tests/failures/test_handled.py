"""Exceptions that a program logged below the level of an error, and went on with, are no failures."""

from __future__ import annotations

import io
import json
import logging
import traceback
from collections.abc import Sequence

import pytest

from kb.failures.find import Found, find_failures

JAVA = "java.io.IOException: stale handle\n\tat shop.Cache.read(Cache.java:31)\n\tat shop.Main.main(Main.java:9)"
NODE = "TypeError: rates is not iterable\n    at load (/srv/shop/rates.js:4:11)\n    at main (/srv/shop/index.js:9:3)"


def raised(key: str) -> str:
    """The traceback of a KeyError."""
    try:
        {}[key]
    except KeyError:
        return traceback.format_exc()
    return ""


def record(level: str, trace: str, field: str = "exc_info") -> str:
    return json.dumps({"level": level, "message": "could not read the cache", field: trace})


def logged(*levels: str, going_on: bool = True, layout: str = "%(asctime)s %(levelname)s %(name)s %(message)s") -> str:
    """What a logger of Python writes when an exception is logged under each of `levels`."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(logging.Formatter(layout))
    logger = logging.Logger("shop")
    logger.addHandler(handler)
    for level in levels:
        if level == "ERROR":
            logger.info("asked for the rates")
        try:
            {}[level]
        except KeyError:
            logger.log(getattr(logging, level), "could not read the cache", exc_info=True)
    if going_on:
        logger.info("ready")
    return written.getvalue()


def roots(found: Found) -> list[str]:
    return [failure.message for failure in found.failures if failure.role == "root"]


@pytest.mark.parametrize("level", ["debug", "info", "warning"])
@pytest.mark.parametrize("field", ["exc_info", "exception", "stack_trace", "details", "stderr"])
@pytest.mark.parametrize("trace", [raised("tax"), JAVA, NODE], ids=["python", "java", "node"])
def test_a_mild_record_with_a_traceback_is_no_failure_by_itself(level: str, field: str, trace: str) -> None:
    log = "\n".join([record(level, trace, field), json.dumps({"level": "info", "message": "ready"})])
    assert find_failures(log).primary is None


@pytest.mark.parametrize("level", ["debug", "info", "warning"])
@pytest.mark.parametrize("first", [raised("cache"), JAVA, NODE], ids=["python", "java", "node"])
def test_a_mild_record_is_not_the_root_of_a_later_error(level: str, first: str) -> None:
    found = find_failures("\n".join([record(level, first), record("error", raised("tax"))]))
    assert roots(found) == ["'tax'"]


def test_a_mild_record_gives_way_to_an_error_without_a_traceback() -> None:
    error = json.dumps({"level": "error", "message": "cannot open /data/orders.db: disk full"})
    found = find_failures("\n".join([record("info", raised("cache")), error]))
    assert roots(found) == ["cannot open /data/orders.db: disk full"]


@pytest.mark.parametrize("level", ["error", "critical", ""])
def test_a_loud_record_or_one_without_a_level_is_a_failure(level: str) -> None:
    assert roots(find_failures(record(level, raised("tax")))) == ["'tax'"]


def test_what_a_command_printed_is_the_root_when_all_else_only_reports_it() -> None:
    log = [
        json.dumps({"level": "info", "message": "ran migrate", "stderr": raised("tax")}),
        json.dumps(
            {
                "level": "error",
                "message": "deploy failed",
                "exception": "Traceback (most recent call last):\n"
                '  File "deploy.py", line 3, in run\n    check(call)\n'
                "subprocess.CalledProcessError: Command '['migrate']' returned non-zero exit status 1.\n",
            }
        ),
    ]
    assert roots(find_failures("\n".join(log))) == ["'tax'"]


def test_each_line_of_another_program_logged_as_information_is_read() -> None:
    lines = [json.dumps({"level": "info", "message": line}) for line in raised("tax").splitlines()]
    end = "subprocess.CalledProcessError: Command '['migrate']' returned non-zero exit status 1."
    assert roots(find_failures("\n".join([*lines, end]))) == ["'tax'"]


@pytest.mark.parametrize(
    "layout", ["%(asctime)s %(levelname)s %(name)s %(message)s", "%(levelname)s:%(name)s:%(message)s"]
)
@pytest.mark.parametrize("levels", [("DEBUG",), ("WARNING",), ("WARNING", "DEBUG", "WARNING")])
def test_a_traceback_below_a_warning_is_none_when_the_program_logged_on(levels: Sequence[str], layout: str) -> None:
    assert find_failures(logged(*levels, layout=layout)).primary is None


def test_of_what_was_logged_the_error_is_the_failure() -> None:
    assert roots(find_failures(logged("DEBUG", "WARNING", "ERROR"))) == ["'ERROR'"]


def test_a_traceback_that_ends_the_log_may_have_ended_the_program() -> None:
    assert roots(find_failures(logged("WARNING", going_on=False))) == ["'WARNING'"]


def test_a_traceback_between_a_warning_and_an_error_may_be_what_the_error_is_about() -> None:
    log = f"2026-11-29 10:00:00 WARNING pool: slow\n{raised('tax')}2026-11-29 10:00:01 ERROR pool: a worker is gone\n"
    assert roots(find_failures(log)) == ["'tax'"]


def test_a_traceback_below_the_warning_of_another_process_is_the_root_of_its_reports() -> None:
    log = (
        "2026-11-29 10:00:00 WARNING pool: socket timed out\n" + raised("tax") + "2026-11-29 10:00:01 WARNING pool: "
        "stopping the others\nTraceback (most recent call last):\n"
        '  File "launch.py", line 9, in main\n    wait(pool)\n'
        "subprocess.CalledProcessError: Command 'work' returned non-zero exit status 1.\n"
    )
    assert roots(find_failures(log)) == ["'tax'"]


def test_a_chain_below_a_warning_goes_as_one() -> None:
    try:
        try:
            {}["tax"]
        except KeyError as error:
            raise ValueError("no rate") from error
    except ValueError:
        trace = traceback.format_exc()
    log = f"2026-11-29 10:00:00 WARNING shop: kept the old rates\n{trace}2026-11-29 10:00:01 INFO shop: ready\n"
    assert find_failures(log).failures == ()
