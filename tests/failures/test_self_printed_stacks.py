"""Stacks that programs print of themselves: on Windows, macOS and Android, in Chromium, in the kernel, in Go."""

from __future__ import annotations

import pytest

from kb.failures.find import find_failures
from kb.failures.model import Failure
from kb.failures.readers.native_frames import demangled
from kb.signature.sign import sign


def primary(log: str) -> Failure:
    found = find_failures(log)
    assert found.primary is not None
    return found.failures[found.primary]


WINDOWS = """\
[420:1396:0603/182751:FATAL:till_host.cc(278)] Check failed: it != rows_.end().
Backtrace:
\tbase::debug::StackTrace::StackTrace [0x61C20814+20] (base\\debug\\stack_trace_win.cc:215)
\ttill::TillHost::Cancel [0x65F254C9+313]
\ttill::TillHost::OnMessage [0x65F1FF32+2754] (till\\till_host.cc:73)
"""
MACOS = """\
[15121:3079:0603/143054:FATAL:curve.cc(48)] Check failed: speed > 0 (0 vs. 0)
0   Till Framework                      0x000000010a99b743 _ZN4base5debug10StackTraceC1Ev + 19
1   Till Framework                      0x000000010cbf477a _ZN4till5CurveC2ERKN3gfx6VectorE + 698
2   Till Framework                      0x0000000114f10eef _ZN4till4View4moveEv + 95
"""
ANDROID = """\
03-17 16:13:38.811  6998  7011 F DEBUG   : pid: 6998, tid: 7011, name: scanner  >>> org.example.till <<<
03-17 16:13:38.811  6998  7011 F DEBUG   : signal 6 (SIGABRT), code -6 (SI_TKILL), fault addr --------
03-17 16:13:38.812  6998  7011 F DEBUG   : Abort message: 'rows.cpp:31 CHECK(rows) failed'
03-17 16:13:38.815  6998  7011 F DEBUG   : backtrace:
03-17 16:13:38.815  6998  7011 F DEBUG   :     #00 pc 0000000000083134  /system/lib64/libc.so (abort+168)
03-17 16:13:38.815  6998  7011 F DEBUG   :     #01 pc 0000000000012345  /data/app/till/lib/libtill.so (Rows::at(int)+40)
03-17 16:13:38.815  6998  7011 F DEBUG   :     #02 pc 0000000000012445  /data/app/till/lib/libtill.so (Till::scan()+16)
"""
CHROMIUM = """\
Received signal 11 SEGV_MAPERR 000000000010
#0 0x7fdf1ae337a8 in base::debug::CollectStackTrace() /src/stack_trace.cc:111
#1 0x7fdf14feb340 in till::Scan() /src/scan.cc:3
"""
KASAN = """\
BUG: KASAN: out of bounds access in rows_match+0x104/0x1d8 at addr ffffffc002583240
Read of size 1 by task kworker/u8:1/94
page:ffffffbe01c834a8 count:1 mapcount:0 mapping:          (null) index:0x0
flags: 0x400(reserved)
page dumped because: kasan: bad access detected
Address belongs to variable 0xffffffc002583240
CPU: 2 PID: 94 Comm: kworker/u8:1 Tainted: G     U         3.18.0 #6
Call trace:
[<     inline     >] __dump_stack lib/dump_stack.c:15
[<ffffffc00045dc24>] kasan_report_error+0x3c8/0x3e8 mm/kasan/report.c:193
[<ffffffc000d36974>] rows_match+0x100/0x1d8 drivers/base/rows.c:834
[<ffffffc000d32f58>] rows_attach+0x108/0x1a4 drivers/base/rows.c:479
"""
GO = """\
fatal error: stack overflow

runtime stack:
runtime.throw(0x60f619, 0xe)
/home/sdk/go/src/runtime/panic.go:619 +0x81

goroutine 34 [running]:
example.org/till/ast.(*scanner).next(0xc420158000)
/home/sdk/till/ast/scanner.go:271 +0x218 fp=0xc446ec03a8 sp=0xc446ec03a0 pc=0x5035c8
example.org/till/ast.(*scanner).Scan(0xc420158000)
/home/sdk/till/ast/scanner.go:160 +0x3ab fp=0xc446ec04c8 sp=0xc446ec03f8 pc=0x50269b
"""


@pytest.mark.parametrize(
    ("log", "variant"),
    [
        (WINDOWS, "till_host.cc < till::TillHost::Cancel < till::TillHost::OnMessage"),
        (MACOS, "curve.cc < till::Curve::Curve < till::View::move"),
        (ANDROID, "Rows::at < Till::scan"),
        (CHROMIUM, "till::Scan"),
        (KASAN, "rows_match < rows_attach"),
        (GO, "ast.(*scanner).next < ast.(*scanner).Scan"),
    ],
    ids=["windows", "macos", "android", "chromium", "kasan", "go"],
)
def test_the_variant_names_the_place_of_a_check_and_the_programs_own_frames(log: str, variant: str) -> None:
    assert sign(primary(log)).variant == variant


def test_a_tombstone_tells_the_abort_message_and_the_process() -> None:
    failure = primary(ANDROID)
    assert (failure.type, failure.message, failure.process) == (
        "SIGABRT",
        "rows.cpp:31 CHECK(rows) failed",
        "org.example.till",
    )


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_ZN2ui5Curve2atEv", "ui::Curve::at"),
        ("_ZNK2ui5CurveD2Ev", "ui::Curve::~Curve"),
        ("__ZN2ui5CurveC1Ei", "ui::Curve::Curve"),
        ("_ZN99xE", "xE"),
        ("main", "main"),
    ],
)
def test_a_mangled_name_is_read(symbol: str, name: str) -> None:
    assert demangled(symbol) == name
