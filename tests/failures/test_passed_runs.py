"""What tests print that pass is no failure, and what stands beside them is one."""

from __future__ import annotations

import pytest

from kb.failures.find import find_failures

NOISE = """\
ERROR: cannot reach the registry
Traceback (most recent call last):
  File "/srv/shop/rates.py", line 4, in load
    return float(text)
ValueError: could not convert string to float: 'n/a'
"""
#: What each tool says at the end of a run that passed, and of one that did not.
ENDS = {
    "pytest": ("5 passed, 1 skipped in 0.42s\n", "1 failed, 4 passed in 0.42s\n"),
    "pytest with rulers": ("====== 5 passed, 2 warnings in 1.02s ======\n", "====== 2 errors in 1.02s ======\n"),
    "pytest with subtests": (
        "= 9 passed, 3 xfailed, 45 subtests passed, 30 rerun in 7.10s =\n",
        "= 1 failed, 9 passed, 45 subtests passed in 7.10s =\n",
    ),
    "JUnit": (
        "[        72 tests successful      ]\n[         0 tests failed          ]\n",
        "[         1 tests failed          ]\n",
    ),
    "unittest": ("----\nRan 3 tests in 0.002s\n\nOK\n", "----\nRan 3 tests in 0.002s\n\nFAILED (errors=1)\n"),
    "Node": ("ℹ tests 7\nℹ pass 7\nℹ fail 0\n", "ℹ tests 7\nℹ pass 6\nℹ fail 1\n"),
    "RSpec": ("6 examples, 0 failures, 2 pending\n", "6 examples, 1 failure\n"),
    "prove": ("All tests successful.\nResult: PASS\n", "Failed 1/3 subtests\nResult: FAIL\n"),
    "go test": ("ok  \texample.org/shop\t0.012s\n", "FAIL\texample.org/shop\t0.012s\n"),
}


@pytest.mark.parametrize("passed", [end[0] for end in ENDS.values()], ids=ENDS.keys())
def test_what_was_printed_above_the_end_of_a_run_that_passed_is_no_failure(passed: str) -> None:
    assert find_failures(NOISE + passed).failures == ()


@pytest.mark.parametrize("failed", [end[1] for end in ENDS.values()], ids=ENDS.keys())
def test_above_the_end_of_a_run_that_failed_it_is_one(failed: str) -> None:
    assert "ValueError" in {failure.type for failure in find_failures(NOISE + failed).failures}


@pytest.mark.parametrize("passed", [end[0] for end in ENDS.values()], ids=ENDS.keys())
def test_a_command_before_the_run_is_not_of_it(passed: str) -> None:
    found = find_failures(f"+ python load.py\n{NOISE}+ run-tests\n{passed}")
    assert found.primary is not None
    assert found.failures[found.primary].type == "ValueError"


@pytest.mark.parametrize("passed", [end[0] for end in ENDS.values()], ids=ENDS.keys())
def test_what_fails_after_the_run_is_the_failure(passed: str) -> None:
    found = find_failures(f"{NOISE}{passed}+ deploy\n./deploy.sh: line 3: kubectl: command not found\n")
    assert found.primary is not None
    assert "kubectl" in found.failures[found.primary].text


@pytest.mark.parametrize("passed", [end[0] for end in ENDS.values()], ids=ENDS.keys())
def test_what_may_be_of_the_run_is_the_root_where_all_else_only_says_that_the_job_failed(passed: str) -> None:
    found = find_failures(f"{NOISE}{passed}make: *** [Makefile:4: check] Error 1\n")
    assert found.primary is not None
    assert found.failures[found.primary].type == "ValueError"


def test_between_two_results_of_tap_that_are_good_nothing_failed() -> None:
    log = f"1..3\nok 1 - reads\n{NOISE}ok 2 - refuses\nnot ok 3 - adds\n#   Failed test 'adds'\n#   at t/a.t line 4.\n"
    (failure,) = find_failures(log).failures
    assert failure.message == "Failed test 'adds'"
    assert failure.frames[-1].file == "t/a.t"


def test_what_stands_before_a_bad_result_of_tap_may_say_why() -> None:
    log = f"1..2\nok 1 - reads\n{NOISE}not ok 2 - refuses\n"
    assert [failure.type for failure in find_failures(log).failures if failure.role == "root"] == ["ValueError"]


def test_a_test_of_node_that_is_to_be_done_later_may_fail() -> None:
    log = "✖ adds (1.2ms) # TODO\n  Error: not yet\n      at Test.run (node:internal/test_runner/test:796:25)\n"
    assert find_failures(log).failures == ()
    assert find_failures(log.replace(" # TODO", "")).failures != ()
