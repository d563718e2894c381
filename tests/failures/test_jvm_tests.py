"""Failed tests of the JVM are told by name, whichever runner speaks of them."""

from __future__ import annotations

from kb.failures.find import find_failures

ANT = """\
    [junit] Testsuite: shop.LedgerTest
    [junit] Testcase: opens took 0.01 sec
    [junit] Testcase: closes took 0.02 sec
    [junit] 	FAILED
    [junit] 3 entries are left
    [junit] junit.framework.AssertionFailedError: 3 entries are left
    [junit] 	at shop.LedgerTest.closes(LedgerTest.java:41)
"""
PLATFORM = """\
Failures (1):
  JUnit Jupiter:LedgerTest:closes()
    MethodSource [className = 'shop.LedgerTest', methodName = 'closes', methodParameterTypes = '']
    => java.lang.IllegalStateException: 3 entries are left
       shop.Ledger.close(Ledger.java:15)
       shop.LedgerTest.closes(LedgerTest.java:41)
       [...]
"""


def test_ants_report_names_the_test_with_its_suite() -> None:
    failures = find_failures(ANT).failures
    assert any("shop.LedgerTest.closes" in failure.notes for failure in failures) or any(
        frame.function == "shop.LedgerTest.closes" for failure in failures for frame in failure.frames
    )
    assert not any("opens" in note for failure in failures for note in failure.notes)


def test_junits_summary_names_the_test_and_where_it_failed() -> None:
    found = find_failures(PLATFORM)
    assert found.primary is not None
    failure = found.failures[found.primary]
    assert (failure.type, failure.message) == ("java.lang.IllegalStateException", "3 entries are left")
    assert failure.notes == ("LedgerTest:closes()",)
    assert [frame.line for frame in failure.frames] == [41, 15]


def test_tests_that_passed_are_no_failures() -> None:
    assert not find_failures("    [junit] Testcase: opens took 0.01 sec\nLedgerTest > opens() PASSED\n").failures
