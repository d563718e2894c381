"""Runs of tests that passed: whatever their tests printed, errors and stacks included, is no failure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kb.failures.found import Find, claimed
from kb.failures.readers.coverage import UNMET
from kb.failures.streams import Stream

NAME = "passed"
ABOUT = "Runs of tests that passed: what their tests print is no failure"
EXAMPLE = """\
running 2 tests
test tests::is_empty ... ok
thread 'tests::refuses' panicked at src/lib.rs:9:5:
no such account
test tests::refuses - should panic ... ok
test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out
connection refused
error: cannot reach the registry
"""


class _Run(NamedTuple):
    """How a test tool marks a run: `begin` a line of its start, `passed` and `failed` its end.

    `again` says that every `begin` starts a run anew; otherwise the first one counts until the end. With `alone`, what
    stands above the end of a run that shows no `begin` is taken for its output, as far as nothing else speaks against
    it. `above` is what one of the lines before the end must be.
    """

    tool: str
    begin: re.Pattern[str]
    passed: re.Pattern[str]
    failed: re.Pattern[str]
    again: bool = True
    alone: bool = False
    above: re.Pattern[str] | None = None


def _run(
    tool: str, begin: str, passed: str, failed: str, *, again: bool = True, alone: bool = False, above: str = ""
) -> _Run:
    ends = re.compile(passed), re.compile(failed)
    return _Run(tool, re.compile(begin), *ends, again, alone, re.compile(above) if above else None)


#: The last line of pytest, and what in it says that a test failed.
_COUNTS = r"(?:\d{1,9} (?:subtests )?\w{1,20}, ){0,6}\d{1,9} \w{1,20} in \d[\d.:hms() ]{0,40}(?: ={1,80})?$"
_BAD = r".{0,200}\d (?:failed|errors?)\b"

#: Where the reports of RSpec in HTML and in JSON hold their last line.
_IN_MARKUP = r"<script .{1,200}innerHTML = \"|\{\"version\":\"\d.{1,2000000}\"summary_line\":\""

_RUNS = (
    _run("cargo test", r"running \d+ tests?$", r"test result: ok\. ", r"test result: FAILED|error: test failed"),
    _run("go test", r"=== RUN   ", r"PASS$|ok  \t", r"FAIL(?:\t|$)|\s{0,40}--- FAIL", again=False, alone=True),
    _run("GoogleTest", r"\[ RUN      \] ", r"\[       OK \] ", r"\[  FAILED  \] |\[ RUN      \] "),
    _run("pytest", r"={3,80} PASSES ={3,80}$", r"={3,80} (?!PASSES)\S", r"(?!)"),
    _run(
        "pytest", r"-{3,80} live log (?:setup|call|teardown) -{3,80}$", r"PASSED\b", r"FAILED\b|={3,80} ", again=False
    ),
    _run(
        "pytest",
        r"={3,80} test session starts ={3,80}$",
        rf"(?:={{1,80}} )?(?!{_BAD}){_COUNTS}",
        rf"(?:={{1,80}} )?(?={_BAD}){_COUNTS}|={{3,80}} (?:ERRORS|FAILURES) ={{3,80}}$",
        alone=True,
    ),
    _run(
        "unittest",
        r"test\w{0,200} \([\w.]{1,300}\)(?: \.\.\. |$)|Found \d{1,9} test\(s\)\.|Creating test database for ",
        r"OK(?: \([\w=, ]{1,80}\))?$",
        r"FAILED \(|={70}$",
        again=False,
        alone=True,
        above=r"Ran \d{1,9} tests? in ",
    ),
    _run(
        "Jest",
        r"  console\.(?:log|error|warn|info|debug)$|PASS \S",
        r"Tests: {2,12}(?:\d{1,9} (?:passed|skipped|todo), ){1,3}\d{1,9} total$",
        r"FAIL \S|Tests: {2,12}.{0,80} failed",
        again=False,
    ),
    _run(
        "Vitest", r" RUN  v\d", r" {2,12}Tests  \d{1,9} passed(?! .{0,80}failed)", r" {2,12}Tests  .{0,80}failed| FAIL "
    ),
    _run(
        "node --test",
        r"(?:✔|▶) |# Subtest: |TAP version ",
        r"(?:ℹ|#) fail 0$",
        r"(?:ℹ|#) fail [1-9]|(?:✖|not ok) (?!.{0,400}# (?:TODO|SKIP))",
        again=False,
        alone=True,
    ),
    _run(
        "prove",
        r"\S{1,300}\.t \.\. ?",
        r"All tests successful\.",
        r"Test Summary Report$|Failed \d+/",
        again=False,
        alone=True,
    ),
    _run(
        "Robot Framework",
        r"={70,200}$",
        r"\d{1,9} tests?, \d{1,9} passed, 0 failed",
        r"\d{1,9} tests?, \d{1,9} passed, [1-9]",
    ),
    _run("bats", r" ?\S{1,300}\.bats$", r"\d{1,9} tests?, 0 failures", r"\d{1,9} tests?, [1-9]\d{0,8} failures?"),
    _run(
        "JUnit",
        r"Test plan execution started\.",
        r"\[ {1,9}0 tests failed {1,20}\]$",
        r"\[ {1,9}[1-9]\d{0,8} tests failed {1,20}\]$|Failures \(\d{1,9}\):$",
        alone=True,
    ),
    _run("minitest", r"# Running:$", r"\d{1,9} runs, \d{1,9} assertions, 0 failures, 0 errors", r"\d{1,9} runs, "),
    _run(
        "ExUnit",
        r"Running ExUnit with seed",
        r"(?:\d{1,9} \w{1,20}, ){1,3}0 failures",
        r"(?:\d{1,9} \w{1,20}, ){1,3}[1-9]\d{0,8} failure",
    ),
    _run(
        "RSpec",
        r"(?:\$|\+|>|Run|\[command\]) ?.{0,200}\b(?:rspec|rake spec)\b|Run options: |Randomized with seed \d",
        rf"(?:{_IN_MARKUP})?\d{{1,9}} examples?, 0 failures(?!.*error)",
        rf"(?:{_IN_MARKUP})?\d{{1,9}} examples?, |Failures:$",
        again=False,
        alone=True,
    ),
    _run(
        "behave",
        r"USING RUNNER: behave|Feature: ",
        r"\d{1,9} features? passed, 0 failed",
        r"\d{1,9} features? passed, [1-9]|Failing scenarios:",
        again=False,
    ),
    _run("bun test", r"bun test v\d", r" 0 fail$", r" [1-9]\d{0,8} fail$"),
    _run("deno test", r"running \d{1,7} tests? from ", r"ok \| \d{1,9} passed", r"FAILED \| ", again=False),
    _run(
        "Cucumber",
        r"(?:\$|\+|>|Run|\[command\]) ?.{0,200}\bcucumber",
        r"\d{1,9} scenarios? \(\d{1,9} passed\)$",
        r"\d{1,9} scenarios? \(|Failures:$",
        again=False,
        alone=True,
    ),
    _run("PHPUnit", r"PHPUnit \d", r"OK(?: \(\d|, but )", r"(?:FAILURES|ERRORS)!$"),
    _run(
        "Meson",
        r"ninja: Entering directory|\s{0,5}\d{1,6}/\d{1,6} \S.{0,300} (?:OK|RUNNING|EXPECTEDFAIL)\s",
        r"Fail: {2,20}0 {0,20}$",
        r"(?:Fail|Timeout): {2,20}[1-9]",
        again=False,
    ),
    _run(
        "tox",
        r"\S{1,100}: (?:commands|install|freeze)\S{0,40}> ",
        r"\s{2}congratulations :\)",
        r"\s{2}evaluation failed",
        again=False,
    ),
    _run("CTest", r"Test project ", r"100% tests passed", r"\d{1,3}% tests passed"),
    _run("Gradle", r"> Task :\S{0,200}[tT]est\b", r"BUILD SUCCESSFUL", r"BUILD FAILED|.{1,300} FAILED$", again=False),
    _run("Surefire", r"(?:\[INFO\] )? ?T E S T S$", r"(?:\[INFO\] )?BUILD SUCCESS$", r"(?:\[\w{4,5}\] )?BUILD FAILURE"),
)
#: Any of them: most lines of a log are none.
_MARK = re.compile("|".join(f"(?:{part.pattern})" for run in _RUNS for part in (run.begin, run.passed, run.failed)))


#: Mocha names a test below what it printed; how many lines may stand between.
_TICK = re.compile(r"\s{4,60}(?:✔|✓) ")
_RESULT = re.compile(r"\s{4,60}(?:✔ |✓ |- |\d{1,4}\) )|\s{2}\d{1,9} passing")
_MOCHA = re.compile(r"\s{2}\d{1,9} passing \(")
_PRINTED = 200
_TO_DO = re.compile(r"(?P<indent>\s{0,40})✖ .{1,400}# (?:TODO|SKIP)\b")
#: What shows that another command began.
_ECHO = re.compile(r"##\[(?:group|command)\]|section_start:|[$+] \S|nox > |\[Pipeline\]")


def read(lines: Stream) -> Iterator[Find]:
    """One harmless find per run that passed: it claims the lines of the run before every other reader does."""
    began: dict[int, int] = {}
    floor = 0
    for index, line in enumerate(lines):
        if _MARK.match(line.text) is None:
            if _ECHO.match(line.text):
                floor = index + 1
            continue
        after = floor
        for place, run in enumerate(_RUNS):
            start = began.get(place)
            passed = run.passed.match(line.text) is not None and _below(lines, index, run.above)
            if passed and start is not None:
                yield _harmless(lines, start, index, run.tool, "tests")
            if passed and run.alone and floor < (index if start is None else start):
                # Errors may be printed at once, and what a tool says of its tests only when they are done.
                yield _likely(_harmless(lines, floor, index, run.tool, "tests"))
            if passed or ((start is not None or run.alone) and run.failed.match(line.text)):
                began.pop(place, None)
                after = index + 1
            if (start is None or run.again) and run.begin.match(line.text):
                began[place] = index
        floor = after
    yield from _later(lines)
    if any(_MOCHA.match(line.text) for line in lines):
        yield from _ticked(lines)


def _below(lines: Stream, index: int, above: re.Pattern[str] | None) -> bool:
    return above is None or any(above.match(line.text) for line in lines[max(index - 3, 0) : index])


def _likely(find: Find) -> Find:
    """`find` for lines that something before the run may have printed: it claims none, what they say counts less."""
    find.weight, find.mild = 3, "info"
    return find


def _later(lines: Stream) -> Iterator[Find]:
    """What a test of Node says that failed and is to be done later: its line, and what is indented below it."""
    for index, line in enumerate(lines):
        if (failed := _TO_DO.match(line.text)) is None:
            continue
        end = index + 1
        while end < len(lines) and end - index < _PRINTED and _indent(lines[end].text) > len(failed["indent"]):
            end += 1
        yield _harmless(lines, index, end - 1, "Node", "a test to be done later")


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _ticked(lines: Stream) -> Iterator[Find]:
    """What each test of Mocha printed that passed: the lines up to its name, as far as its suite or the last result."""
    after = 0
    for index, line in enumerate(lines):
        text = line.text
        if _TICK.match(text) and index > after and index - after <= _PRINTED:
            yield _harmless(lines, after, index, "Mocha", "a test")
        title = text.startswith("  ") and text[2:3].strip() and index and not lines[index - 1].text.strip()
        if title or _RESULT.match(text):
            after = index + 1


def _harmless(lines: Stream, start: int, end: int, tool: str, what: str) -> Find:
    # A run whose tests all passed fails when they covered too little.
    block = [
        line for line in lines[start : end + 1] if not ("overage " in line.text and UNMET.match(line.text.strip()))
    ]
    return claimed(NAME, "test", tool, f"{what} passed", lines[end], block, f"printed by {what} that passed ({tool})")
