"""Readers of machines, platforms and servers: what a report says, and that no jumble of reports stops them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.failures.find import find_failures
from kb.failures.model import Failure
from kb.failures.registry import READERS, load
from kb.signature.sign import sign

MODULES = (
    "kernel", "oom", "kernel_lines", "nccl", "ray", "cuda", "xla", "kubernetes", "docker", "systemd", "postgres", "mariadb",
    "redis", "proxies", "network", "ansible", "terraform", "slurm", "brokers",
)  # fmt: skip
LINES = [line for entry in READERS if entry.module in MODULES for line in load(entry).EXAMPLE.split("\n")]


def primary(log: str) -> Failure:
    found = find_failures(log)
    assert found.primary is not None
    return found.failures[found.primary]


@given(st.lists(st.sampled_from(LINES), max_size=50))
@settings(max_examples=300, deadline=None)
def test_any_jumble_of_lines_of_reports_gets_an_answer(lines: list[str]) -> None:
    found = find_failures("\n".join(lines))
    for failure in found.failures:
        assert 1 <= failure.first_line <= failure.line <= failure.last_line <= found.lines
        sign(failure)


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("fill", ["a", " ", ": ", "/a", '"', "(", "[ ", " x=1", "failed to ", '\\"'])
def test_a_long_line_behind_a_trigger_is_read_in_one_pass(module: str, fill: str) -> None:
    """No assertion on time: a backtracking expression would not come back within the suite's limit."""
    entry = next(e for e in READERS if e.module == module)
    for trigger in entry.triggers:
        find_failures(f"{trigger}{fill * 8000}")


OOPS = """\
[  311.204518] BUG: {head}
[  311.204530] Oops: 0000 [#1] PREEMPT SMP NOPTI
[  311.204533] RIP: 0010:ring_refill{suffix}+0x46/0x120 [shaper]
[  311.204561] Call Trace:
[  311.204570]  ? ring_stats+0x1/0x40 [shaper]
[  311.204571]  ring_poll+0x17d/0x240 [shaper]
[  311.204612] ---[ end trace 0000000000000000 ]---
"""


def test_one_oops_has_one_signature_on_every_kernel_and_machine() -> None:
    new = OOPS.format(head="kernel NULL pointer dereference, address: 0000000000000018", suffix="")
    old = OOPS.format(head="unable to handle kernel NULL pointer dereference at 00000018", suffix=".part.3")
    bare = "\n".join(line[15:] for line in new.splitlines())
    assert len({sign(primary(log)).id for log in (new, old, bare)}) == 1


def test_an_oops_in_another_function_is_another_failure() -> None:
    one = OOPS.format(head="kernel NULL pointer dereference, address: 0000000000000018", suffix="")
    assert sign(primary(one)).id != sign(primary(one.replace("ring_refill", "ring_drain"))).id


def test_the_certain_frames_of_an_oops_run_outermost_first() -> None:
    oops = primary(OOPS.format(head="kernel NULL pointer dereference, address: 0000000000000018", suffix=""))
    assert [(f.function, f.file) for f in oops.frames] == [("ring_poll", "shaper"), ("ring_refill", "shaper")]


def test_a_panic_after_an_oops_only_reports_it() -> None:
    log = OOPS.format(head="kernel NULL pointer dereference, address: 0000000000000018", suffix="")
    found = find_failures(log + "[  311.3] x\n[  311.304612] Kernel panic - not syncing: Fatal exception\n")
    assert [(f.type, f.role) for f in found.failures] == [("NULL deref", "root"), ("Kernel panic", "wrapper")]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("NVRM: Xid (PCI:0000:3b:00): 79, pid=1711, name=a, GPU has fallen off", "NVRM: Xid (PCI:0001:06:00): 79, GPU has fallen", True),
        ("NVRM: Xid (PCI:0000:3b:00): 79, pid=1711, name=a, GPU has fallen off", "NVRM: Xid (PCI:0000:3b:00): 48, pid=1711, DBE", False),
        ("a[1]: segfault at 0 ip 0000000000401106 sp 00007ffc2f4ddfd0 error 4 in libq.so[401000+1000]", "b[2]: segfault at ab12 ip 00007f1 sp 00007 error 4 in libq.so[1+2]", True),
        ("a[1]: segfault at 0 ip 0000000000401106 sp 00007ffc2f4ddfd0 error 4 in libq.so[401000+1000]", "a[1]: segfault at 0 ip 0000000000401106 sp 00007ffc2f4ddfd0 error 4 in libz.so[4+1]", False),
        ("Memory cgroup out of memory: Killed process 4 (java) total-vm:1kB", "[ 9.100000] Memory cgroup out of memory: Kill process 77 (java) score 9 or sacrifice child", True),
        ("curl: (7) Failed to connect to db-1 port 80 after 0 ms: Couldn't connect to server", "curl: (7) Failed to connect to 10.0.0.7 port 8080 after 31 ms: Couldn't connect to server", True),
        ("ssh: connect to host a port 22: Connection refused", "ssh: connect to host 10.0.0.1 port 2222: Connection refused", True),
        ("slurmstepd: error: *** JOB 8 ON g1 CANCELLED AT 2026-11-29T09:50:03 DUE TO TIME LIMIT ***", "slurmstepd: error: *** STEP 9.0 ON n77 CANCELLED AT 2025-01-29T09:50:03 DUE TO TIME LIMIT ***", True),
    ],
)  # fmt: skip
def test_machines_and_processes_are_no_part_of_a_signature_and_the_kind_of_failure_is(
    one: str, other: str, same: bool
) -> None:
    assert (sign(primary(one)).id == sign(primary(other)).id) is same


def test_what_a_client_did_wrong_is_no_failure_of_the_server() -> None:
    log = '2026-11-29 09:20:07.628 UTC [310] app@shop ERROR:  relation "ordres" does not exist at character 15\n'
    assert find_failures(log).failures == ()


def test_what_a_play_ignores_is_no_failure() -> None:
    log = 'TASK [a] ***\nfatal: [web]: FAILED! => {"msg": "no such file"}\n...ignoring\n'
    assert find_failures(log).failures == ()


def test_the_watchdog_of_another_rank_is_a_cascade() -> None:
    head = "[rank1]:[E1129 09:10:1{}.100200300 ProcessGroupNCCL.cpp:{}] [PG ID 0 PG GUID 0(default_pg) Rank 1] {}"
    log = head.format(1, 1849, "Observed flight recorder dump signal from another rank via TCPStore.")
    assert [f.role for f in find_failures(log).failures] == ["cascade"]


@pytest.mark.parametrize(
    ("line", "cuda"),
    [
        ("cudaMalloc failed: out of memory", True),
        ("kernel failed: no kernel image is available for execution on the device", True),
        # Other programs say these words too: without a failure, or without CUDA, the line tells no failure of CUDA.
        ("the GPU kernel is told what to do: operation not permitted", False),
        ("mount of /data failed: operation not permitted", False),
    ],
)
def test_a_text_of_cuda_that_others_say_too_needs_cuda_and_a_failure_beside_it(line: str, cuda: bool) -> None:
    assert ("CUDA error" in [one.type for one in find_failures(line).failures]) is cuda
