"""Logs of CI jobs: what failed stands in the step that failed, and is told whatever tool it was."""

from __future__ import annotations

import pytest

from kb.failures.excerpt import excerpt
from kb.failures.find import find_failures
from kb.failures.lines import clean, raw_lines
from kb.failures.model import Failure
from kb.failures.steps import failed_steps
from kb.failures.streams import split_streams


def primary(log: str) -> Failure:
    found = find_failures(log)
    assert found.primary is not None
    return found.failures[found.primary]


def shown(log: str) -> list[str]:
    found = find_failures(log)
    assert found.primary is not None
    failure = found.failures[found.primary]
    beside = found.failures
    return [text for number, text in excerpt(raw_lines(log), failure, beside=beside) if number]


def travis(output: str, command: str = "make check") -> str:
    return (
        "travis_fold:start:install\r\x1b[0Ktravis_time:start:0a1b2c3d\r\x1b[0K$ ./setup\n"
        "ERROR: the cache could not be read, starting without it\n\n"
        "travis_time:end:0a1b2c3d:start=1,finish=2,duration=1\r\x1b[0Ktravis_fold:end:install\r\x1b[0K\n"
        f"travis_time:start:4e5f6a7b\r\x1b[0K$ {command}\n{output}\n"
        "travis_time:end:4e5f6a7b:start=1,finish=2,duration=1\r\x1b[0K\n"
        f'\x1b[31;1mThe command "{command}" exited with 1.\x1b[0m\n\nDone. Your build exited with 1.\n'
    )


@pytest.mark.parametrize(
    ("raw", "seen"),
    [
        ("travis_time:start:0a1b\r\x1b[0K$ make", "$ make"),
        ("travis_fold:end:cache.2\r\x1b[0K", ""),
        ("travis_time:end:0a1b:start=1,finish=2,duration=1[0K", ""),
        (
            "section_end:1677000009:prepare\r\x1b[0Ksection_start:1677000009:build[collapsed=true]\r\x1b[0KBuild",
            "Build",
        ),
        ("my_section_start is a name", "my_section_start is a name"),
    ],
)
def test_what_ci_writes_to_fold_lines_is_not_seen(raw: str, seen: str) -> None:
    assert clean(raw) == seen


def test_a_failed_step_reaches_from_its_command_to_the_word_that_it_failed() -> None:
    log = travis("$ an example in the output\nwrong")
    (stream,) = split_streams([clean(line) for line in raw_lines(log)])
    (step,) = failed_steps(stream)
    assert [line.text for line in stream[step.start : step.end]] == ["$ an example in the output", "wrong", ""]


def test_an_error_of_a_step_that_did_not_fail_is_not_the_root() -> None:
    failure = primary(travis("checking\nERROR: the totals do not add up"))
    assert failure.message == "ERROR: the totals do not add up"


def test_an_error_of_another_step_is_the_root_where_the_failed_one_says_nothing() -> None:
    failure = primary(travis(""))
    assert failure.message.startswith("ERROR: the cache could not be read")


def test_of_a_tool_that_nobody_knows_the_paragraph_that_complains_is_shown() -> None:
    log = travis(
        "Wickwork 3.1\n\nwick burns ... fine\n\n"
        "Lamp goes out:\n   expected: dark\n   but got: light\n   in lamp.wick:14\n\n2 checks, 1 failed\n"
    )
    assert shown(log)[-4:] == ["Lamp goes out:", "   expected: dark", "   but got: light", "   in lamp.wick:14"]


@pytest.mark.parametrize(
    ("output", "rule"),
    [
        ("./store.py:6:33: E251 unexpected spaces around equals\n./store.py:8:20: E203 whitespace before ':'", "E251"),
        ("lib/cart.rb:12:5: C: Style/GuardClause: Use a guard clause.\n    if valid?\n    ^^", "Style/GuardClause"),
        ("/srv/Scan.kt:31:9: The function is too complex. [CyclomaticComplexMethod]", "CyclomaticComplexMethod"),
        ("ERROR: src/table.ts[14, 21]: Missing whitespace", "lint"),
        ("price.go:14:1: exported function Left should have comment or be unexported", "error"),
        ("FILE: /srv/src/Scan.php\n-----------------------\nFOUND 1 ERROR AFFECTING 1 LINE\n-----------------------\n"
         " 14 | ERROR | [x] Expected 1 space after FUNCTION keyword; 0 found\n-----------------------", "phpcs"),
        ("In deploy.sh line 3:\ncp $1 /srv\n   ^-- SC2086: Double quote to prevent globbing.", "SC2086"),
    ],
)  # fmt: skip
def test_what_a_linter_tells_in_a_failed_step_is_the_root(output: str, rule: str) -> None:
    assert primary(travis(output)).type == rule


def test_a_list_of_problems_is_shown_as_one() -> None:
    output = "a.py:1: error: first  [one]\na.py:7: error: second  [two]\nFound 2 errors in 1 file"
    assert shown(travis(output)) == output.split("\n")[:2]


def test_lines_with_places_are_no_failure_without_a_failed_step() -> None:
    log = "starting\nstore.py:12: loaded 4 rows\nprice.go:14:3: can inline Left\nready\n"
    assert find_failures(log).failures == ()


def test_a_job_that_was_silent_for_too_long_timed_out() -> None:
    log = "$ make slow\n\nNo output has been received in the last 10m0s, this potentially indicates a stalled build\n"
    assert primary(log).type == "timeout"


@pytest.mark.parametrize(
    "report",
    [
        "testCost(org.acme.RateTest)  Time elapsed: 0.004 sec  <<< FAILURE!\n"
        "java.lang.AssertionError: expected:<8> but was:<4>\n\tat org.acme.RateTest.testCost(RateTest.java:27)",
        "FAIL: tests.test_parse.ParseTest.test_title\n" + "-" * 70 + "\nTraceback (most recent call last):\n"
        '  File "/srv/tests/test_parse.py", line 19, in test_title\n    self.assertEqual(feed.title, "News")\n'
        "AssertionError: 'News ' != 'News'",
        "____________________ test_sum ____________________\n\n    def test_sum():\n>       assert total() == 3\n"
        "E       assert 2 == 3\n\ntests/test_sum.py:4: AssertionError",
    ],
)
def test_a_report_begins_with_the_name_of_the_test(report: str) -> None:
    failure = primary(f"starting\n\n{report}\n\nmore\n")
    assert (failure.first_line, failure.last_line) == (3, 2 + len(report.split("\n")))


def test_a_step_that_nothing_begins_holds_what_other_processes_wrote_before_its_first_own_line() -> None:
    log = (
        "[rank1]: Traceback (most recent call last):\n"
        '[rank1]:   File "/srv/train.py", line 8, in load\n'
        "[rank1]:     return config.token_index\n"
        "[rank1]: AttributeError: 'EagleConfig' object has no attribute 'token_index'\n"
        "============================================================\n"
        "/srv/train.py FAILED\n"
        "------------------------------------------------------------\n"
        "##[error]Process completed with exit code 1.\n"
    )
    found = primary(log)
    assert (found.type, found.line) == ("AttributeError", 4)


def test_a_script_that_a_shell_traces_gave_up_for_what_it_printed_last() -> None:
    log = (
        "+ ./build\n+ [[ -n '?? notes/' ]]\n+ echo 'The checkout is dirty'\nThe checkout is dirty\n"
        "+ echo '?? notes/'\n?? notes/\n+ exit 1\n+ epilogue\n+ show --stats\nCompilations 119\n"
    )
    failure = primary(log)
    assert (failure.message, failure.first_line, failure.last_line) == ("The checkout is dirty", 4, 6)


def test_a_script_that_a_shell_traces_to_a_good_end_did_not_fail() -> None:
    assert find_failures("+ ./build\n+ echo 'The checkout is clean'\nThe checkout is clean\n+ exit 0\n").failures == ()


def test_that_a_file_of_tests_failed_is_no_reason_where_it_took_too_long() -> None:
    log = (
        "Command took >30min, returning 124\nGot exit code 124\ntill/test_drawer 4/10 failed!\n"
        "Traceback (most recent call last):\n"
        '  File "/srv/run_test.py", line 2183, in run_tests\n    raise RuntimeError(failure.message)\n'
        "RuntimeError: till/test_drawer 4/10 failed!\n"
    )
    assert primary(log).line == 1
