"""Stacks below a crash belong to it, and what only ends a program is not where it failed."""

from __future__ import annotations

import pytest

from kb.failures.find import find_failures
from kb.failures.model import Failure
from kb.signature.model import Signature
from kb.signature.sign import sign

STACK = """\
    #0 0x55d0c3a1 in scale /srv/demo/pool.c:10:55
    #1 0x55d0c3b2 in main /srv/demo/pool.c:19:39
"""
UNDEFINED = "pool.c:10:55: runtime error: signed integer overflow: 7 * 3 cannot be represented in type 'int'\n"


def root(text: str) -> tuple[Failure, Signature]:
    found = find_failures(text)
    assert found.primary is not None
    return found.failures[found.primary], sign(found.failures[found.primary])


def test_undefined_behaviour_has_one_signature_with_and_without_a_stack() -> None:
    _, bare = root(UNDEFINED)
    failure, whole = root(UNDEFINED + STACK)
    assert whole.id == bare.id
    assert whole.variant == "scale"
    assert [frame.function for frame in failure.frames] == ["main", "scale"]


def test_a_failed_check_has_the_stack_printed_below_it() -> None:
    text = (
        "[24:24:0324/233644:FATAL:pool.cc(29)] Check failed: !closed_.\n"
        "#0 0x7f48a51f base::debug::StackTrace::StackTrace()\n"
        "#1 0x7f48a526 logging::LogMessage::~LogMessage()\n"
        "#2 0x7f48b485 shop::Pool::Add()\n"
    )
    assert root(text)[1].variant == "pool.cc < shop::Pool::Add"


@pytest.mark.parametrize(
    "what", ["deadly signal", "timeout after 5 seconds", "out-of-memory (used: 2049Mb; limit: 2048Mb)"]
)
def test_libfuzzer_ends_with_a_stack(what: str) -> None:
    failure, signature = root(f"==48070== ERROR: libFuzzer: {what}\n{STACK}")
    assert failure.type in ("deadly signal", "timeout", "out-of-memory")
    assert signature.parts[2:] == ("scale",)


def test_frames_without_a_name_take_no_part() -> None:
    text = "==7==ERROR: AddressSanitizer: SEGV on unknown address 0x0000{} (pc 0x1)\n    #0 0x55{} (/opt/a.so+0x{})\n{}"
    first = root(text.format("11", "aa", "3642", STACK.replace("#1", "#2").replace("#0", "#1")))[1]
    assert first.parts[2:] == ("scale",)
    assert first.id == root(text.format("22", "bb", "7421", STACK.replace("#1", "#2").replace("#0", "#1")))[1].id


def test_v8_says_in_its_box_why_it_died() -> None:
    failure, _ = root("#\n# Fatal error in CALL_AND_RETRY_LAST\n# Allocation failed - heap out of memory\n#\n")
    assert (failure.type, failure.message) == ("Fatal error", "Allocation failed - heap out of memory")


def test_where_a_program_prints_addresses_alone_the_stack_that_follows_says_more() -> None:
    failure, signature = root(
        "[1:1:0308/122440.96:FATAL:base/till/drawer.cc:31] DCHECK failed: open_; the drawer is shut\n"
        "#0 0x5c6c94428a76 <unknown>\n"
        "#1 0x7ca6b419da5d <unknown>\n"
        "AddressSanitizer:DEADLYSIGNAL\n"
        "==7==ERROR: AddressSanitizer: ABRT on unknown address 0x01 (pc 0x7f bp 0x7f sp 0x7f T0)\n"
        "    #0 0x7f60199c7427 in raise /build/glibc-Cl5/glibc-2.36/nptl/raise.c:54\n"
        "    #1 0x3818c6 in logging::LogMessage::Flush()::$_0::operator()() const base/logging.cc:855:7\n"
        "    #2 0xf77b6be8 in [vdso]\n"
        "    #3 0x3e770c in absl::Cleanup<std::tag, $_0>::~Cleanup() absl/cleanup.h:3:1\n"
        "    #4 0x3e770d in base::Drawer::Take(int) base/till/drawer.cc:31:9\n"
        "==7==ABORTING\n"
    )
    assert (failure.type, failure.message) == ("Check failed", "open_; the drawer is shut")
    assert signature.variant == "drawer.cc < base::Drawer::Take"


def test_a_target_of_a_fuzzer_is_known_by_its_file() -> None:
    _, signature = root(
        "==7==ERROR: AddressSanitizer: ABRT on unknown address 0x03 (pc 0x7f bp 0x7f sp 0x7f T0)\n"
        "    #0 0x7f60199c7427 in gsignal /build/glibc-Cl5/glibc-2.36/nptl/raise.c:54\n"
        "    #1 0x7f60199c7428 in abort /build/glibc-Cl5/glibc-2.36/stdlib/abort.c:89\n"
        "    #2 0x4f2b27 in LLVMFuzzerTestOneInput /srv/till/drawer_fuzzer.cc:12:5\n"
        "    #3 0x4f2b28 in fuzzer::Fuzzer::ExecuteCallback(unsigned char const*, unsigned long) libFuzzer/Fuzz.cpp:1:2\n"
        "==7==ABORTING\n"
    )
    assert signature.parts[-1] == "drawer_fuzzer.cc"


def test_the_stack_of_backtrace_symbols_is_one() -> None:
    failure, signature = root(
        "#\n# Fatal error in ../../src/till/drawer.cc, line 12\n# unreachable code\n#\n"
        "==== C stack trace ===============================\n"
        "    /opt/till/libbase.so(+0x129ab) [0x7f0a]\n"
        "    /opt/till/libbase.so(V8_Fatal(char const*, int, char const*, ...)+0x67c) [0x7f0b]\n"
        "    /opt/till/libtill.so(void till::Drawer::Take<int>(int)+0x67c) [0x7f0c]\n"
        "    /opt/till/libtill.so(_ZN4till6Drawer4OpenEv+0x12) [0x7f0d]\n"
    )
    assert [frame.function for frame in failure.frames[-3:-1]] == ["V8_Fatal", ""]
    assert signature.variant == "drawer.cc < till::Drawer::Take < till::Drawer::Open"


def test_the_progress_of_a_fuzzer_is_no_stack() -> None:
    failure, _ = root(
        "==7== ERROR: libFuzzer: deadly signal\n"
        "#2\tINITED cov: 5 ft: 5 corp: 1/1b exec/s: 0 rss: 30Mb\n"
        "#225\tNEW    cov: 6 ft: 6 corp: 2/2b lim: 6 exec/s: 0 rss: 30Mb L: 1/1 MS: 3 ChangeBit-\n"
        "    #6    0x5332f2cf10f1 in till::take(unsigned char const*) ../../till/take.cc:12 <<application>>+0xad0f1\n"
    )
    assert [(frame.function, frame.file) for frame in failure.frames] == [("till::take", "../../till/take.cc")]


def test_a_check_of_the_hardened_library_is_told_with_what_it_checked() -> None:
    failure, signature = root(
        "/usr/lib/llvm-18/bin/../include/c++/v1/optional:808: assertion this->has_value() failed: "
        "optional operator* called on a disengaged value\n"
        "    #0 0x7f60199c7427 in raise (/lib/libc.so.6+0xfff)\n"
        "    #1 0x3e770d in till::take(int) /srv/till/take.cc:31:9\n"
    )
    assert failure.message == "optional operator* called on a disengaged value"
    assert failure.frames[-1].source == "this->has_value()"
    assert signature.variant == "optional < till::take"


def test_a_panic_whose_stack_a_symboliser_of_the_system_prints_has_its_frames() -> None:
    failure, signature = root(
        "thread '<unnamed>' panicked at 'the drawer is shut', ../../till/src/lib.rs:22:17\n"
        "stack backtrace:\n"
        ' [[[ELF module #0x0 "" BuildID=09859c99ea115fa1 0x21132082b000]]]\n'
        "    #0    0x00002113208e3bff in std::panicking::begin_panic::h8e5a28c0db547380 rustlib/src/panicking.rs:616 <>+0x1\n"
        "    #1    0x00002113208ccbd9 in till::take::h849ed7a815da104e ../../till/src/lib.rs:22 <>+0xa1bd9\n"
    )
    assert signature.variant == "till::take"
    assert failure.message == "the drawer is shut"


def test_a_closure_outside_all_functions_of_go_has_the_name_of_its_package() -> None:
    failure, _ = root(
        "panic: runtime error: invalid memory address or nil pointer dereference\n\n"
        "goroutine 1 [running]:\nexample.org/till.glob..func1(0x5da117)\n\t/srv/till/till.go:11 +0x7\n"
    )
    assert failure.frames[-1].function == "example.org/till.glob"


def test_what_a_program_logs_behind_a_stack_without_its_exception_is_not_the_exception() -> None:
    failure, _ = root(
        " === Uncaught Python exception: ===\n"
        "ValueError: not enough values to unpack (expected 2, got 1)\n"
        "Traceback (most recent call last):\n"
        '  File "till.py", line 24, in take\n'
        "INFO: Instrumenting till\n"
    )
    assert (failure.type, failure.frames[-1].function) == ("ValueError", "take")


def test_the_memory_that_an_oops_of_arm_dumps_does_not_end_it() -> None:
    failure, _ = root(
        "[ 1359.145019] Unable to handle kernel NULL pointer dereference at virtual address 00000004\n"
        "[ 1359.145019] PC is at till_work+0x18/0x4c0\n"
        "[ 1359.145019] R6: 0xe7c95fe0:\n"
        "[ 1359.145019] 6000  00000000 00000003 00000000 e820e300 c0f94500 00000000 00000015 c4f13580\n"
        "[ 1359.145019] 6020  e820e300 e7c96008 e7c96000 e7a30380 e5236a00 e78861c0 e7c97f9c e7c97f08\n"
        "[ 1359.145019] 6040  e820e300 e7c96008 e7c96000 e7a30380 e5236a00 e78861c0 e7c97f9c e7c97f08\n"
        "[ 1359.145019] 6060  e820e300 e7c96008 e7c96000 e7a30380 e5236a00 e78861c0 e7c97f9c e7c97f08\n"
        "[ 1359.145019] [<c00911c4>] till_loop+0xbb/0x111\n"
    )
    assert [frame.function for frame in failure.frames] == ["till_loop", "till_work"]


DEBUGGED = """\
(a24.784): Access violation - code c0000005 ({chance})
till!Scanner::read+0x46:
00007ff6`6eefbe2a 488b00          mov     rax,qword ptr [rax] ds:00000000`00000000=????????????????
"""
DEBUGGED_STACK = """\
0:000> k
 # Child-SP          RetAddr           Call Site
00 00000000`0915b084 00007ff6`6eefc617 till!Scanner<int>::read+0x46 [d:\\till\\scanner.cpp @ 31]
01 (Inline Function) --------`-------- till!Scanner<int>::loop+0x12 [d:\\till\\scanner.cpp @ 58]
"""


@pytest.mark.parametrize("chance", ["first chance", "!!! second chance !!!"])
def test_a_crash_under_a_debugger_of_windows_has_its_stack(chance: str) -> None:
    failure, _ = root(DEBUGGED.format(chance=chance) + DEBUGGED_STACK)
    assert failure.type == "Access violation"
    assert [(frame.function, frame.line) for frame in failure.frames] == [("Scanner::loop", 58), ("Scanner::read", 31)]


def test_an_exception_that_only_got_its_first_chance_was_handled() -> None:
    assert find_failures(DEBUGGED.format(chance="first chance")).primary is None


def test_a_bug_check_is_known_by_its_name() -> None:
    failure, signature = root(
        "*                        Bugcheck Analysis                                    *\n"
        "*                                                                             *\n"
        "*******************************************************************************\n\n"
        "SYSTEM_SERVICE_EXCEPTION (3b)\n"
        "STACK_TEXT:  \n"
        "ffffd000`23f0e8c0 fffff801`6b1d0a10 : 00000000`00000000 ffffe000`0a0b0c0d : tilldrv!ReadQueue+0x1c\n"
    )
    assert (failure.type, signature.parts[-1]) == ("SYSTEM_SERVICE_EXCEPTION", "ReadQueue")
