"""What builds, tests and crashes of native programs say: the first error is the root, its drivers only report it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.failures.find import Found, find_failures
from kb.failures.model import Failure
from kb.failures.registry import READERS, load
from kb.signature.sign import sign


def primary(text: str) -> Failure:
    found = find_failures(text)
    assert found.primary is not None
    return found.failures[found.primary]


def roots(found: Found) -> list[tuple[str, str]]:
    return [(f.type, f.message.split("\n")[0]) for f in found.failures if f.role == "root"]


#: What runners of tasks print when they are asked to say more, and all went well.
WELL = {
    "pre-commit": "mypy.....................Passed\n- hook id: mypy\n- duration: 1.03s\n\nSuccess: no issues found\n",
    "tox": "py311: exit 0 (0.50 seconds) /srv/shop> pytest pid=71\n  py311: OK (0.5 seconds)\n",
}


@pytest.mark.parametrize("runner", WELL)
def test_a_runner_that_tells_of_success_holds_no_failure(runner: str) -> None:
    assert find_failures(WELL[runner]).failures == ()


@pytest.mark.parametrize("field", ["- exit code: 1", "- files were modified by this hook"])
def test_a_hook_that_failed_is_told_by_what_it_said(field: str) -> None:
    said = f"ruff.....................Failed\n- hook id: ruff\n- duration: 0.1s\n{field}\n\n1 file reformatted\n"
    assert (primary(said).type, primary(said).message) == ("ruff", "1 file reformatted")


ROOTS = [
    ("C:\\s\\mux.cpp(7,12): error C2065: 'summ': undeclared identifier [C:\\s\\codec.vcxproj]", "C2065", "'summ': undeclared identifier"),
    ("main.obj : error LNK2019: unresolved external symbol parse referenced in main", "LNK2019", "unresolved external symbol parse referenced in main"),
    ("c++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.\nmake: *** [Makefile:3: x.o] Error 1", "fatal error", "Killed signal terminated program cc1plus"),
    ("src/a.c:3:5: Fehler: »x« nicht deklariert\nmake: *** [Makefile:3: a.o] Fehler 1", "Fehler", "»x« nicht deklariert"),
    ("Undefined symbols for architecture arm64:\n  \"_parse\", referenced from:\n      _main in main.o\nld: symbol(s) not found for architecture arm64\nclang: error: linker command failed with exit code 1", "undefined symbol", "undefined symbol: _parse"),
    ("./job: error while loading shared libraries: libzstd.so.9: cannot open shared object file: No such file or directory", "error while loading shared libraries", "error while loading shared libraries: libzstd.so.9: cannot open shared object file: No such file or directory"),
    ("./job: /lib/libc.so.6: version `GLIBC_2.38' not found (required by ./job)", "loader", "/lib/libc.so.6: version `GLIBC_2.38' not found (required by ./job)"),
    ("libc++abi: terminating due to uncaught exception of type std::runtime_error: shard 3", "std::runtime_error", "shard 3"),
    ("Assertion failed: (n > 0), function pop, file queue.c, line 8.\nAbort trap: 6", "Assertion", "Assertion `n > 0' failed."),
    ("*** Error in `./job': double free or corruption (fasttop): 0x00000000 ***", "glibc", "double free or corruption (fasttop)"),
    ("F0304 10:11:12.123456 77 store.cc:12] Check failed: fd >= 0 (-1 vs. 0)\n*** Check failure stack trace: ***\n    @     0x7f00  google::LogMessage::Fail()\n    @     0x7f01  Store::Open()", "Check failed", "fd >= 0 (-1 vs. 0)"),
    ("sh: 1: webpack: not found\nnpm ERR! code ELIFECYCLE\nnpm ERR! errno ENOENT\nnpm ERR! a@1.0.0 build: `webpack`\nnpm ERR! Failed at the a@1.0.0 build script.", "command not found", "webpack: command not found"),
    ("npm error code 1\nnpm error command failed\nnpm error command sh -c node-gyp rebuild\nnpm error ../sum.cc:3:10: fatal error: zstd9.h: No such file or directory\nnpm error gyp ERR! stack Error: `make` failed with exit code: 2", "fatal error", "zstd9.h: No such file or directory"),
    ("#8 0.503 mux.c:1:10: fatal error: zlib9.h: No such file or directory\n#8 ERROR: process \"/bin/sh -c make\" did not complete successfully: exit code: 2", "fatal error", "zlib9.h: No such file or directory"),
    ("WARNING: Retrying (Retry(total=0, connect=None)) after connection broken by 'NewConnectionError('Name or service not known')': /simple/a/\nERROR: Could not find a version that satisfies the requirement a (from versions: none)\nERROR: No matching distribution found for a", "NewConnectionError", "Name or service not known"),
    ("  × Failed to build `a @ file:///srv/a`\n  ├─▶ The build backend returned an error\n  ╰─▶ Call to `setuptools.build_meta.build_wheel` failed (exit status: 1)\n\n      [stderr]\n      sum.c:2:10: fatal error: zstd9.h: No such file or directory", "fatal error", "zstd9.h: No such file or directory"),
    ("e: file:///srv/App.kt:3:5 Unresolved reference: total\n\n* What went wrong:\nExecution failed for task ':compileKotlin'.\n> Compilation error. See log for more details", "error", "Unresolved reference: total"),
    ("ld.lld: error: undefined symbol: parse\n>>> referenced by main.cpp\nclang: error: linker command failed with exit code 1", "undefined symbol", "undefined symbol: parse"),
    ("*** ERROR: the cache is locked", "error", "*** ERROR: the cache is locked"),
    ("PASSWORD error: too short", "error", "PASSWORD error: too short"),
    ("make: *** No rule to make target 'a.c', needed by 'a.o'.  Stop.", "make", "No rule to make target 'a.c', needed by 'a.o'."),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "message"), ROOTS, ids=[r[1] for r in ROOTS])
def test_the_first_error_of_the_failed_step_is_the_root(text: str, kind: str, message: str) -> None:
    failure = primary(text)
    assert (failure.type, failure.message.split("\n")[0], failure.role) == (kind, message, "root")


HEALTHY = [
    "conftest.c:3:10: fatal error: zstd.h: No such file or directory\ncompilation terminated.\nchecking for zstd.h... no",
    "CMakeFiles/CMakeTmp/src.c:3:10: error: unknown type name 'x'",
    "src/a.c:3:5: warning: unused variable 'error' [-Wunused-variable]\n1 warning generated.",
    "make[1]: [Makefile:4: lint] Error 1 (ignored)\nmake: *** Waiting for unfinished jobs....",
    "CMake Warning at CMakeLists.txt:3 (message):\n  fatal error: not really\n",
    "-- Performing Test HAVE_X - Failed\n-- Looking for pthread_create in pthreads - not found",
    "test_error_is_raised (test_a.TestA.test_error_is_raised) ... ok\n✓ shows error: not found (3 ms)",
    "0 errors, 0 warnings\nerrors: 0\nlast error: none\n    0 Error(s)",
    "WARNING: error: connection lost, retrying in 3s\nretrying after error: timeout (attempt 2 of 5)\nconnected",
    "ERROR: pip's dependency resolver does not currently take into account all the packages that are installed.\nSuccessfully installed a-1",
    "ls: cannot access 'x': No such file or directory\ncreating x\nbuilding\nlinking\ninstalling\ndone",
    "##[warning]Node.js 16 actions are deprecated.\nPost job cleanup.",
    "[       OK ] Store.ThrowsOnError (0 ms)\n[  PASSED  ] 1 test.",
    '<testsuite errors="0" failures="0"><testcase name="error handling" classname="a"/></testsuite>',
    "npm warn deprecated a@1.0.0: error: this version is broken\n\nadded 1 package in 492ms",
    "Download failed, but the cache has it\nBUILD SUCCESSFUL in 1s",
]


@pytest.mark.parametrize("text", HEALTHY)
def test_what_only_looks_like_an_error_is_none(text: str) -> None:
    assert roots(find_failures(text)) == []


MEET = [
    ("a.cpp:3:1: error: ‘x’ was not declared in this scope; did you mean ‘y’?", "/srv/b/a.cpp:9:4: error: 'x' was not declared in this scope"),
    ("/usr/bin/ld: a.o: in function `main':\na.c:(.text+0x36): undefined reference to `parse'", "a.o:a.c:function main: error: undefined reference to 'parse'"),
    ("run.sh: line 5: tool: command not found", "run.sh: 5: tool: not found"),
    ("npm ERR! code ETARGET\nnpm ERR! notarget No matching version found for a@9.0.0.", "npm error code ETARGET\nnpm error notarget No matching version found for a@8.1.0."),
    ("make: *** No rule to make target 'a.o'.  Stop.", "gmake[2]: *** No rule to make target `a.o'.  Stop."),
    ("Bill.java:6: error: cannot find symbol\n    Ledger a;\n    ^\n  symbol:   class Ledger\n  location: class Bill", "[INFO] Scanning for projects...\n[ERROR] /srv/Bill.java:[6,5] cannot find symbol\n[ERROR]   symbol:   class Ledger\n[ERROR]   location: class Bill"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), MEET)
def test_one_failure_told_by_two_tools_has_one_signature(one: str, other: str) -> None:
    assert sign(primary(one)).id == sign(primary(other)).id


APART = [
    ("a.cpp:3:1: error: no matching function for call to 'f(int)'", "a.cpp:3:1: error: no matching function for call to 'g(int)'"),
    ("ld: undefined reference to `parse(int)'", "ld: undefined reference to `parse(long)'"),
    ("cp: cannot stat 'a.tar': No such file or directory", "cp: cannot stat 'b.tar': No such file or directory"),
    ("bash: line 1: 18 Segmentation fault      ./one x", "bash: line 1: 18 Segmentation fault      ./two x"),
    ("ERROR: No matching distribution found for a==1", "ERROR: No matching distribution found for b==1"),
    ("A.java:6: error: cannot find symbol\n    B a;\n    ^\n  symbol:   class B", "A.java:6: error: cannot find symbol\n    C a;\n    ^\n  symbol:   class C"),
    ("a.c:9:1: runtime error: division by zero", "b.c:9:1: runtime error: division by zero"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), APART)
def test_two_failures_that_look_alike_stay_apart(one: str, other: str) -> None:
    assert sign(primary(one)).id != sign(primary(other)).id


def test_only_the_drivers_reports_are_symptoms_and_say_where_to_look() -> None:
    found = find_failures("make[1]: *** [Makefile:2: all] Error 1\nmake: *** [rec.mk:2: all] Error 2\n")
    assert found.symptom_only
    assert found.hints[0] == "A step of the build failed: what it printed itself, above these lines, says why."


def test_an_error_repeated_by_every_translation_unit_is_told_once() -> None:
    one = "In file included from src/{0}.cpp:1:\ninclude/codec.hpp:5:10: fatal error: zstd9.h: No such file or directory\ncompilation terminated.\n"
    found = find_failures("".join(one.format(name) for name in ("mux", "main", "decode")))
    assert len(found.failures) == 1


def test_the_frames_of_a_core_are_those_of_the_thread_that_crashed() -> None:
    failure = primary(
        "Program terminated with signal SIGSEGV, Segmentation fault.\n#0  evict (s=0x0) at cache.c:8\n\n"
        "Thread 2 (Thread 0x7f (LWP 9)):\n#0  poll () from /lib/libc.so.6\n#1  wait_loop () at loop.c:3\n\n"
        "Thread 1 (Thread 0x7e (LWP 8)):\n#0  evict (s=0x0) at cache.c:8\n#1  main () at cache.c:20\n"
    )
    assert [frame.function for frame in failure.frames] == ["main", "evict"]


def test_a_sanitizers_report_claims_its_shadow_bytes_and_stacks() -> None:
    text = load(next(entry for entry in READERS if entry.module == "sanitizers")).EXAMPLE
    failure = primary(
        text + "Shadow bytes around the buggy address:\n  0x0c067fff7fc0: 00 fa error: fa\n==19026==ABORTING\n"
    )
    assert failure.type == "heap-use-after-free"
    assert [frame.function for frame in failure.frames] == ["reaper", "cache_bytes"]


PIECES = [line for entry in READERS for line in load(entry).EXAMPLE.splitlines()]


@given(st.lists(st.sampled_from(PIECES), max_size=40))
@settings(max_examples=300, deadline=None)
def test_any_jumble_of_the_readers_examples_gets_an_answer(lines: list[str]) -> None:
    found = find_failures("\n".join(lines))
    for failure in found.failures:
        assert 1 <= failure.first_line <= failure.line <= max(found.lines, 1)
        sign(failure)


@pytest.mark.parametrize(
    "line",
    [
        "a.c:1:1: error: " * 8_000,
        "undefined reference to " * 8_000,
        "ld: " * 30_000,
        "job: a.c:1: f: Assertion `" * 4_000,
        "make: *** [" * 10_000,
        "==1==ERROR: AddressSanitizer: " * 5_000,
        "#0 0x1 in " * 10_000,
        "npm error " * 10_000,
        '<failure message="' * 5_000,
        '<testcase a="' + "&amp;" * 20_000,
        "x: line 1: " * 10_000,
        "FAILED: " + " " * 60_000 + "x",
        "ERROR: Cannot install " * 5_000,
        "[ERROR] Failed to execute goal " * 4_000,
        "  ● " + "a › " * 20_000,
        "Check failed: ]" * 8_000,
    ],
)
def test_a_hostile_line_costs_one_pass(line: str) -> None:
    """No assertion on time: a backtracking expression would not come back within the suite's limit."""
    for failure in find_failures("\n".join([line[:120_000]] * 3)).failures:
        sign(failure)


def test_what_a_trial_build_of_cmake_finds_missing_is_an_answer_not_a_failure() -> None:
    log = (
        "Change Dir: /b/CMakeFiles/CMakeScratch/TryCompile-mg41Ny\n"
        "Building CXX object CMakeFiles/cmTC_4b667.dir/CheckIncludeFile.cxx.o\n"
        "/b/CMakeFiles/CMakeScratch/TryCompile-mg41Ny/CheckIncludeFile.cxx:1:10: fatal error: absent.h: No such file or"
        " directory\n"
        "    1 | #include <absent.h>\n"
        "compilation terminated.\n"
        "gmake[1]: *** [CMakeFiles/cmTC_4b667.dir/build.make:78: CMakeFiles/cmTC_4b667.dir/CheckIncludeFile.cxx.o]"
        " Error 1\n"
        "gmake: *** [Makefile:127: cmTC_4b667/fast] Error 2\n"
    )
    assert [one for one in find_failures(log).failures if one.role == "root"] == []
