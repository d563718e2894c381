"""Prefixes are peeled in layers, and tell process, level and time."""

from __future__ import annotations

import pytest

from kb.failures.lines import clean
from kb.failures.prefixes import peel

CASES = [
    # line, text left, process, level
    ("(EngineCore_DP0 pid=362045) ERROR 02-22 17:52:14 [core.py:1029]   File \"a.py\"", '  File "a.py"', "EngineCore_DP0", "error"),
    ("(EngineCore pid=14258) ERROR 11-29 13:34:03 [core.py:1510] boom", "boom", "EngineCore", "error"),
    ("(Worker_DP2_TP1_EP5 pid=77) INFO 11-29 13:34:03 [core.py:1] up", "up", "Worker_DP2_TP1_EP5", "info"),
    ("(VllmWorker rank=0 pid=265) ERROR 05-22 21:17:38 [multiproc_executor.py:435] x", "x", "VllmWorker rank=0", "error"),
    ("(VllmWorkerProcess pid=30200) ERROR 03-03 15:10:13 multiproc_worker_utils.py:242] x", "x", "VllmWorkerProcess", "error"),
    ("ERROR 02-06 18:29:55 engine.py:389] ValueError: y", "ValueError: y", "", "error"),
    ("(RayWorkerWrapper pid=263, ip=10.0.16.95) up", "up", "RayWorkerWrapper", ""),
    ("(raylet) A worker died", "A worker died", "raylet", ""),
    ("vllm-openai_1 | (RayWorkerWrapper pid=3487) up", "up", "RayWorkerWrapper", ""),
    ("vllm-sm120  | (EngineCore pid=501) up", "up", "EngineCore", ""),
    ("(APIServer pid=1) (RayWorkerProc pid=3) (Worker_DP2_EP2 pid=3) ERROR 05-07 08:11:40 [m.py:962] x", "x", "Worker_DP2_EP2", "error"),
    ("[2025-02-12 02:56:48 TP0] Scheduler hit an exception: Traceback", "Scheduler hit an exception: Traceback", "TP0", ""),
    ("[2025-02-12 02:56:48 DP2 TP2] up", "up", "DP2 TP2", ""),
    ("[rank1]: Traceback (most recent call last):", "Traceback (most recent call last):", "rank1", ""),
    ("[rank1]:   File", "  File", "rank1", ""),
    ("[rank0]:[E1218 20:27:21.426415540 ProcessGroupNCCL.cpp:629] [Rank 0] timeout", "[Rank 0] timeout", "rank0", "error"),
    ("W1129 14:15:03.507000 12555 torch/distributed/elastic/api.py:900] Sending", "Sending", "", "warning"),
    ("[2025-12-18 20:27:30,944] [INFO] [launch.py:256:main] process 7 spawned", "process 7 spawned", "", "info"),
    ("12/18/2025 20:27:39 - WARNING - __main__ - careful", "careful", "", "warning"),
    ("[2026-11-29 14:08:56 +0000] [5702] [ERROR] Exception in worker process", "Exception in worker process", "", "error"),
    ("2026-07-30T13:21:30.7846808Z   text", "  text", "", ""),
    ("2026-11-29 13:22:26,981 INFO [rank1] trainer: step 0", "trainer: step 0", "rank1", "info"),
    ("Nov 29 13:00:00 host vllm[33]: started", "started", "vllm", ""),
    ("26/11/29 14:22:34 WARN TaskSetManager: Lost", "TaskSetManager: Lost", "", "warning"),
    ("ERROR:root:boom", "boom", "", "error"),
    ("build\tRun make\t2026-07-30T13:21:30.7846808Z make: *** [all] Error 2", "make: *** [all] Error 2", "", ""),
    ("2026-07-30T13:21:30.7846808Z ##[error]Process completed with exit code 2.", "Process completed with exit code 2.", "", "error"),
    ("2024-05-22T12:00:00.123456Z 01O $ make", "$ make", "", ""),
    ("[2024-05-22T12:00:00.123Z] + make", "+ make", "", ""),
    ("#12 3.402 a.c:1:1: error: b", "a.c:1:1: error: b", "", ""),
    ("npm error code E404", "code E404", "npm", "error"),
    ("npm ERR! gyp ERR! stack Error: a", "gyp ERR! stack Error: a", "npm", "error"),
    ("#1  0x0000 in main () at a.c:3", "#1  0x0000 in main () at a.c:3", "", ""),
    ("2026-11-29 13:22:26.981 3618 ERROR shop.rpc.amqp [req-7 alice -] no answer", "no answer", "", "error"),
    ("2026-11-29 13:22:26.981 3618 TRACE shop.rpc.amqp Traceback (most", "Traceback (most", "", ""),
    ("2026-11-29 13:22:26,981 WARN [main] org.shop.Ledger: 3 left", "3 left", "main", "warning"),
    ("2026-11-29 13:22:26,981 - WARN  [Peer[id=1]:Election@774] - 3 left", "3 left", "Peer[id=1]:Election@774", "warning"),
    ("    [junit] Testcase: closes", "Testcase: closes", "junit", ""),
    ("packages/web build: done in 3 s", "done in 3 s", "packages/web build", ""),
    ("@shop/web:build: done in 3 s", "done in 3 s", "@shop/web:build", ""),
    ("ERROR build: no space for /srv/a", "ERROR build: no space for /srv/a", "", ""),
    ("Cannot start: permission denied", "Cannot start: permission denied", "", ""),
    ("failed test: totals", "failed test: totals", "", ""),
    ("no prefix at all", "no prefix at all", "", ""),
    ("x | y is a table, not a container", "x | y is a table, not a container", "", ""),
]  # fmt: skip


@pytest.mark.parametrize(("line", "text", "process", "level"), CASES)
def test_a_prefix_is_peeled(line: str, text: str, process: str, level: str) -> None:
    peeled = peel(line)
    assert (peeled.text, peeled.process, peeled.level) == (text, process, level)


@pytest.mark.parametrize(
    ("raw", "seen"),
    [
        ("\x1b[0;36m(EngineCore pid=1)\x1b[0;0m x", "(EngineCore pid=1) x"),
        ("[1;36m(VllmWorkerProcess pid=313)[0;0m x", "(VllmWorkerProcess pid=313) x"),
        ("^[[31mred^[[0m^M", "red"),
        ("\x1b_bk;t=1778141500081\x07text", "text"),
        ("\x1b]8;id=1;file:///a/b.py\x1b\\b.py\x1b]8;;\x1b\\", "b.py"),
        (" 10%|#    |\r 50%|##   |\r100%|#####|", "100%|#####|"),
        ("text\r", "text"),
        ("nul\x00 and bell\x07", "nul and bell"),
        ("list[1m] stays when it is code: a[0]", "list[1m] stays when it is code: a[0]"),
    ],
)
def test_a_line_is_cleaned_to_what_a_person_saw(raw: str, seen: str) -> None:
    assert clean(raw) == seen
