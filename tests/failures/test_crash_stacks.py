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
    assert root(text)[1].variant == "shop::Pool::Add"


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
