"""The forms in which language runtimes report failures, across versions and logging libraries: each gives its root."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.failures.find import Found, find_failures
from kb.failures.model import Failure
from kb.signature.sign import sign

FORMS = Path(__file__).parent / "forms"


def root(text: str) -> Failure:
    found = find_failures(text)
    assert found.primary is not None
    return found.failures[found.primary]


def form(name: str) -> Found:
    return find_failures((FORMS / f"{name}.log").read_bytes())


ROOTS = [
    ("java-logback-root-first", "java.io.FileNotFoundException", "rates.csv (No such file or directory)", "worker-1"),
    ("java-spring-boot", "java.lang.IllegalStateException", "mail.host is not set", "main"),
    ("java-tail-of-a-chain", "java.net.ConnectException", "Connection refused", None),
    ("kotlin-coroutine", "kotlinx.coroutines.TimeoutCancellationException", "Timed out waiting for 1300 ms", "main"),
    ("scala-actor", "java.lang.ArithmeticException", "/ by zero", None),
    ("node-14-unhandled", "Error", "queue is closed", None),
    ("deno-uncaught", "TypeError", "Cannot read properties of undefined (reading 'a')", None),
    ("go-1.23-repanicked", "panic", "ledger is not balanced", None),
    ("rust-1.72-unwrap", "panic", "called `Option::unwrap()` on a `None` value", "main"),
    ("rust-1.72-assert", "panic", "assertion `left == right` failed", "tests::it_works"),
    ("rust-anyhow", "Error", "No such file or directory (os error 2)", None),
    ("dotnet-8-aggregate", "System.TimeoutException", "no answer from eu-1", None),
    ("ruby-3.4", "KeyError", 'key not found: "width"', None),
    ("ruby-gem", "Gem::UnknownCommandError", "Unknown command lsit", None),
    ("ruby-rails", "NoMethodError", "undefined method `total' for nil:NilClass", None),
    ("ruby-rails-tagged", "KeyError", 'key not found: "width"', None),
    ("php-laravel", "PDOException", "SQLSTATE[HY000] [2002] Connection refused", "production"),
    ("php-apache", "TypeError", "total(): Argument #1 ($id) must be of type int, string given", None),
    ("julia-load-error", "KeyError", 'key "width" not found', None),
    ("r-rlang-parent", "Error", "initial value in 'vmmin' is not finite", None),
]


@pytest.mark.parametrize(("name", "kind", "message", "process"), ROOTS, ids=[r[0] for r in ROOTS])
def test_each_form_gives_its_root(name: str, kind: str, message: str, process: str | None) -> None:
    found = form(name)
    assert found.primary is not None
    primary = found.failures[found.primary]
    assert (primary.type, primary.message.split("\n")[0], primary.process) == (kind, message, process)
    assert not found.symptom_only


@pytest.mark.parametrize("name", ["java-warning", "java-thread-dump", "node-trace"])
def test_a_stack_that_is_no_failure_gives_none(name: str) -> None:
    assert form(name).failures == ()


def test_every_form_has_an_expectation() -> None:
    healthy = {"java-warning", "java-thread-dump", "node-trace"}
    assert {p.stem for p in FORMS.glob("*.log")} == {r[0] for r in ROOTS} | healthy


JAVA = """\
java.lang.IllegalStateException: rate for EUR is missing
\tat com.acme.Rates.of(Rates.java:{line})
\tat com.acme.Shop.main(Shop.java:9)
"""


def test_the_lines_of_a_source_do_not_take_part() -> None:
    assert sign(root(JAVA.format(line=7))).id == sign(root(JAVA.format(line=81))).id


def test_a_package_that_moved_does_not_take_part() -> None:
    moved = JAVA.replace("java.lang.IllegalStateException", "org.acme.compat.IllegalStateException")
    assert sign(root(moved)).id == sign(root(JAVA)).id


def test_a_generic_panic_is_known_by_its_function() -> None:
    text = "panic: runtime error: index out of range [{}] with length 3\n\ngoroutine {} [running]:\n{}(...)\n\t/srv/a.go:3\n"
    here, again = root(text.format(5, 1, "main.pick")), root(text.format(9, 77, "main.pick"))
    other = root(text.format(5, 1, "main.sum"))
    assert sign(here).id == sign(again).id != sign(other).id


def test_callbacks_of_two_modules_stay_apart() -> None:
    text = '** (KeyError) key "a" not found in: %{{}}\n    lib/shop.ex:5: {}.handle_call/3\n'
    assert sign(root(text.format("Shop.Cart"))).id != sign(root(text.format("Shop.Stock"))).id


def test_a_suppressed_exception_is_never_the_root() -> None:
    text = (
        JAVA.format(line=7)
        + "\tSuppressed: java.io.IOException: not closed\n\t\tat com.acme.Rates.close(Rates.java:30)\n"
    )
    found = find_failures(text)
    assert [(f.type, f.role) for f in found.failures] == [
        ("java.lang.IllegalStateException", "root"),
        ("java.io.IOException", "teardown"),
    ]


PIECES = [
    "java.lang.Error: x", "\tat a.b.C.d(C.java:1)", "Caused by: a.B: c", "\t... 3 more", "\tSuppressed: a.B: c", "Wrapped by: a.B", "",
    "Error: x", "    at f (/a.js:1:1) {", "  [cause]: Error: y", "      at g (node:net:1:1)", "}", "  [errors]: [", "FATAL ERROR: x",
    "panic: x [recovered]", "\tpanic: y", "goroutine 1 [running]:", "main.f(0x1)", "\t/a.go:1 +0x1", "created by main.g", "WARNING: DATA RACE",
    "--- FAIL: TestA (0.00s)", "    a_test.go:1: got 1, want 2", "=== RUN   TestA", "thread 'a' (1) panicked at src/a.rs:1:1:", "stack backtrace:",
    "   0: a::b", "             at ./src/a.rs:1:1", "thread 'a' panicked at 'x", "error[E0308]: mismatched types", " --> a.rs:1:1", "Caused by:", "    0: z",
    "Unhandled exception. A.BException: c", " ---> D.EException: f", "   at A.B(C d) in /a.cs:line 1", "   --- End of inner exception stack trace ---",
    "---> (Inner Exception #1) D.EException: f<---", "a.rb:1:in `b': c (D)", "\tfrom a.rb:2:in `<main>'", "PHP Fatal error:  Uncaught A: b in /c.php:1",
    "Stack trace:", "#0 /a.php(1): b()", "#1 {main}", "Next A: b in /c.php:1", "  thrown in /c.php on line 1", "** (KeyError) key :a not found in: %{}",
    "    (stdlib 4.2) gen.erl:1: :gen.call/3", "    ** (EXIT) an exception was raised:", "=CRASH REPORT==== x ===", "  exception error: badarith",
    "{badarith,[{a,b,1,[{file,\"a.erl\"},{line,1}]}]}", "x at a.pl line 1.", "\ta::b(1) called at a.pl line 2", "Error in f(x) : y", "Execution halted",
    "ERROR: LoadError: KeyError: key 1 not found", "Stacktrace:", " [1] f(x)", "   @ Main /a.jl:1", "a.ts(1,2): error TS2304: x", "ERROR in ./a.js",
    "Module not found: Error: x", "error during build:", "[!] RollupError: x",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=50))
@settings(max_examples=300, deadline=None)
def test_any_jumble_of_pieces_gets_an_answer(pieces: list[str]) -> None:
    found = find_failures("\n".join(pieces))
    for failure in found.failures:
        assert 1 <= failure.first_line <= failure.line <= failure.last_line <= found.lines
        sign(failure)
