"""Reports of Jasmine and AVA are told from texts that only look like theirs."""

from __future__ import annotations

import pytest

from kb.failures.find import find_failures

JASMINE = """\
Failures:
1) cart adds
  Message:
    Expected 119 to be 120.
  Stack:
        at <Jasmine>
        at UserContext.<anonymous> (/srv/shop/spec/a.spec.js:1:57)

1 spec, 1 failure
"""
AVA = """\
  adds

  a.test.js:2

   1: import test from "ava"
   2: test("adds", t => { t.is(119, 120) })

  Difference (- actual, + expected):

  - 119
  + 120

  › file://a.test.js:2:23
"""


def readers(log: str) -> list[str]:
    return [failure.reader for failure in find_failures(log).failures]


@pytest.mark.parametrize("log", [JASMINE, AVA], ids=["Jasmine", "AVA"])
def test_a_report_is_read(log: str) -> None:
    assert readers(log) == ["js-reports"]


@pytest.mark.parametrize(
    ("part", "other"),
    [
        ("1) cart adds\n", "From: shop@example.org\n"),
        ("        at <Jasmine>\n        at UserContext.<anonymous> (/srv/shop/spec/a.spec.js:1:57)\n", "    stage 2\n"),
        ("    Expected 119 to be 120.\n", ""),
        ("    Expected 119 to be 120.\n", "    Expected\nSubject: x\n"),
        ("  Stack:\n", "  Stack of books:\n"),
    ],
    ids=["no title", "no frame", "no message", "another text inside", "another word"],
)
def test_what_lacks_a_part_of_jasmine_is_no_report(part: str, other: str) -> None:
    log = JASMINE.replace(part, other)
    assert log != JASMINE
    assert "js-reports" not in readers(log)


@pytest.mark.parametrize(
    ("part", "other"),
    [("  a.test.js:2\n", ""), ("  - 119\n  + 120\n", "  119, 120\n"), ("  adds\n\n  a.test", "  a.test")],
    ids=["no place", "no values", "no title"],
)
def test_what_lacks_a_part_of_ava_is_no_report(part: str, other: str) -> None:
    log = AVA.replace(part, other)
    assert log != AVA
    assert "js-reports" not in readers(log)
