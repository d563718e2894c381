"""Which failure came first, which one a symptom follows from, and where to look when the log holds only symptoms."""

from __future__ import annotations

import pytest

from kb.failures.clock import comparable, seconds
from kb.failures.find import find_failures

SAME = [
    "2026-11-29T13:37:46.5Z",
    "2026-11-29T14:37:46.500+01:00",
    "2026-11-29 08:37:46,500-0500",
    "Sun, 29 Nov 2026 13:37:46.5 +0000",
    "29/Nov/2026:13:37:46.5 +0000",
    "2026-11-29 13:37:46.5 UTC",
    "1795959466.5",
    "1795959466500",
    "1795959466500000",
]


def test_a_program_may_say_we_of_a_death_that_a_person_tells_in_passing() -> None:
    (failure,) = find_failures("2026-11-29 10:00:00 worker 3 was killed by signal 9, so we start it again\n").failures
    assert failure.line == 1
    assert find_failures("it was killed by signal 9 and we have no idea why\n").failures == ()


@pytest.mark.parametrize("printed", SAME)
def test_times_with_a_zone_compare_whatever_their_form(printed: str) -> None:
    first, other = comparable([SAME[0], printed]) or (0.0, 1.0)
    assert abs(first - other) < 1e-3


@pytest.mark.parametrize(
    "printed",
    [
        "2026-11-29 13:37:46",
        "Nov 29 13:37:46",
        "Sun Nov 29 13:37:46 2026",
        "2026/11/29 13:37:46",
        "26/11/29 13:37:46",
        "11/29/2026 1:37:46 PM",
        "11/29/2026 13:37:46",
        "11-29 13:37:46",
        "1129 13:37:46.000000",
        "Sun 2026-11-29 13:37:46 CET",
    ],
)
def test_times_without_a_zone_compare_whatever_their_form(printed: str) -> None:
    assert seconds(printed) == seconds("2026-11-29T13:37:46")
    first, other = comparable(["2026-11-29 13:37:46", printed]) or (0.0, 1.0)
    assert first == other


@pytest.mark.parametrize(
    ("printed", "order"),
    [
        (("Dec 31 23:59:59", "Jan  1 00:00:01"), [0, 1]),
        (("2025-12-31 23:59:59", "2026-01-01 00:00:01"), [0, 1]),
        (("2026-01-01 00:00:01", "2025-12-31 23:59:59"), [1, 0]),
        (("23:59:59.9", "00:00:00.1"), [0, 1]),
        (("01:00:00", "23:00:00"), [0, 1]),
        (("3496.135162", "42.863016"), [1, 0]),
        (("12:00:00 AM", "11:59:59 AM"), [0, 1]),
    ],
)
def test_years_and_days_end(printed: tuple[str, str], order: list[int]) -> None:
    times = comparable(printed)
    assert times is not None
    assert sorted(range(2), key=times.__getitem__) == order


@pytest.mark.parametrize(
    "printed",
    [
        ("2026-11-29T13:37:46Z", "2026-11-29T13:37:46"),
        ("2026-11-29T13:37:46", "13:37:46"),
        ("13:37:46", "3496.135162"),
        ("2026-11-29T13:37:46", "soon"),
        ("2026-13-41 00:00:00", "2026-11-29T13:37:46"),
    ],
)
def test_times_that_cannot_be_compared_safely_are_not(printed: tuple[str, str]) -> None:
    assert comparable(printed) is None


def error(process: str, time: str, name: str) -> str:
    return f'Traceback (most recent call last):\n  File "{process}.py", line 1, in f\n    g()\n{name}: x'.replace(
        "\n", f"\n{process}  | {time} "
    ).join([f"{process}  | {time} ", ""])


@pytest.mark.parametrize(
    ("one", "other", "first"),
    [
        ("2026-11-29T13:37:46.000000001Z", "2026-11-29T13:37:45.000000001Z", "KeyError"),
        ("2026-11-29T13:37:46.000000001Z", "2026-11-29T14:37:47.000000001+01:00", "OSError"),
        ("2026-11-29T13:37:46.000000001Z", "2026-11-29T14:37:45.000000001+01:00", "KeyError"),
    ],
)
def test_the_root_is_the_first_in_time_across_streams(one: str, other: str, first: str) -> None:
    found = find_failures(error("aaa", one, "OSError") + "\n" + error("bbb", other, "KeyError"))
    assert found.primary is not None
    assert found.failures[found.primary].type == first


def traceback(label: str, name: str) -> str:
    lines = ("Traceback (most recent call last):", '  File "a.py", line 1, in f', "    g()", f"{name}: x")
    return "".join(f"{label}{line}\n" for line in lines)


@pytest.mark.parametrize(
    "names",
    ["rank 1", "local_rank: 1", "rank1", "pid 77", "pid=77"],
)
def test_a_symptom_follows_from_the_process_that_it_names(names: str) -> None:
    roots = traceback("[rank0]: ", "OSError") + traceback("[rank1]: ", "KeyError")
    if "pid" in names:
        roots = traceback("(Worker_TP0 pid=7) ", "OSError") + traceback("(Worker_TP1 pid=77) ", "KeyError")
    symptom = traceback("", f"torch.distributed.elastic.multiprocessing.errors.ChildFailedError: {names} failed")
    found = find_failures(roots + symptom)
    follows = found.failures[-1]
    assert follows.role == "wrapper"
    assert follows.caused_by is not None
    assert found.failures[follows.caused_by].type == "KeyError"


@pytest.mark.parametrize(
    ("log", "told"),
    [
        ("subprocess.CalledProcessError: Command 'make' returned non-zero exit status 2.", "what the command itself printed"),
        ("[rank0]: torch.distributed.elastic.multiprocessing.errors.ChildFailedError: train.py FAILED", "--redirects 3"),
        ("RuntimeError: Engine core initialization failed. See root cause above.", "VLLM_LOGGING_LEVEL"),
        ("ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.", "session_latest"),
        ("build\tRun make\t2026-07-30T13:21:30.7846808Z ##[error]Process completed with exit code 2.", "step that failed is `Run make`"),
        ("make: *** [Makefile:6: x.o] Error 1", "-j1"),
    ],
)  # fmt: skip
def test_a_log_of_symptoms_says_where_to_look(log: str, told: str) -> None:
    found = find_failures(log)
    assert found.symptom_only
    assert any(told in hint for hint in found.hints)


def test_failures_that_follow_from_others_are_not_counted_among_the_roots() -> None:
    one = 'Traceback (most recent call last):\n  File "/srv/a.py", line 3, in run\n    go()\nValueError: {}\n'
    found = find_failures(one.format("first") + "ERROR: job 7 gave up\n" + one.format("other") + one.format("other"))
    assert found.primary == 0
    assert found.failures[0].because[0] == "first in time of 2 failures that nothing else explains"


COMPOSE = """\
web-1  | Traceback (most recent call last):
web-1  |   File "/app/main.py", line 4, in <module>
web-1  |     db.connect()
web-1  | {refused}
db-1   | Traceback (most recent call last):
db-1   |   File "/app/db.py", line 9, in <module>
db-1   |     open_store()
db-1   | PermissionError: [Errno 13] Permission denied: '/data/store'
"""


def test_who_could_not_reach_a_service_that_failed_itself_follows_from_it_although_it_spoke_first() -> None:
    found = find_failures(COMPOSE.format(refused="ConnectionRefusedError: cannot connect to db:7000"))
    assert [(f.role, f.process, f.caused_by) for f in found.failures] == [
        ("cascade", "web-1", 1),
        ("root", "db-1", None),
    ]


@pytest.mark.parametrize(
    "refused", ["ConnectionRefusedError: cannot connect to cache:6379", "ValueError: row 7 of db is odd"]
)
def test_who_could_not_reach_another_service_or_says_nothing_of_reaching_failed_by_itself(refused: str) -> None:
    assert find_failures(COMPOSE.format(refused=refused)).failures[0].role == "root"


def test_a_rank_that_waited_for_one_that_failed_follows_from_it() -> None:
    found = find_failures(
        "[rank0]:[E1129 07:10:31.001 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: "
        "WorkNCCL(SeqNum=8, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600012 milliseconds before timing out.\n"
        '[rank3]: Traceback (most recent call last):\n[rank3]:   File "t.py", line 7, in <module>\n'
        "[rank3]:     batch = next(it)\n[rank3]: StopIteration\n"
    )
    assert [(f.role, f.process) for f in found.failures] == [("cascade", "rank0"), ("root", "rank3")]


ENDED = """\
Nov 29 02:00:01 web1 systemd[1]: Started shop.service - Shop.
Nov 29 02:00:02 web1 shop[911]: listening on :8080
Nov 29 02:00:02 web1 shop[911]: {last}
Nov 29 02:00:02 web1 systemd[1]: shop.service: Main process exited, code=exited, status=1/FAILURE
"""


def test_the_last_complaint_of_a_program_that_ended_is_the_root_where_nothing_else_is() -> None:
    found = find_failures(ENDED.format(last="open /etc/shop/tls.key: permission denied"))
    assert found.primary is not None
    assert found.failures[found.primary].message == "open /etc/shop/tls.key: permission denied"
    assert not found.symptom_only


@pytest.mark.parametrize("last", ["bye", "0 failed, 12 passed", "warning: option -x is deprecated, it must go"])
def test_last_words_that_are_no_complaint_leave_only_symptoms(last: str) -> None:
    found = find_failures(ENDED.format(last=last))
    assert found.symptom_only
    assert "What the service itself printed: journalctl -u shop.service -b." in found.hints


def test_hints_name_the_command_the_pod_and_the_container() -> None:
    job = find_failures("$ ./deploy.sh staging\ndone 1\nERROR: Job failed: exit code 1\n")
    assert any("`./deploy.sh staging` (line 1)" in hint for hint in job.hints)
    pod = find_failures(
        "  Warning  BackOff  62s (x22 over 5m)  kubelet  Back-off restarting failed container api in pod api-6c7d_prod(0f1e)\n"
    )
    assert any("kubectl logs -n prod api-6c7d -c api --previous" in hint for hint in pod.hints)


def test_a_web_server_without_an_answer_follows_from_the_program_behind_it() -> None:
    found = find_failures(
        "web-1  | 2026/11/29 10:00:05 [error] 29#29: *1 connect() failed (111: Connection refused) while connecting to "
        'upstream, client: 10.0.0.9, upstream: "http://172.18.0.3:3000/"\n'
        "app-1  | Traceback (most recent call last):\n"
        'app-1  |   File "/app/main.py", line 4, in <module>\n'
        "app-1  |     import shop\n"
        "app-1  | ModuleNotFoundError: No module named 'shop'\n"
    )
    assert [(f.role, f.process) for f in found.failures] == [("cascade", "web-1"), ("root", "app-1")]


@pytest.mark.parametrize(("pid", "role"), [(203, "cascade"), (977, "root")])
def test_a_killed_process_follows_from_the_kernel_that_killed_it(pid: int, role: str) -> None:
    found = find_failures(
        f"[2026-11-29 21:16:51,692: ERROR/MainProcess] Process 'ForkPoolWorker-1' pid:{pid} exited with "
        "'signal 9 (SIGKILL)'\n"
        "[88123.145001] Out of memory: Killed process 203 (python3) total-vm:48211200kB, anon-rss:31457280kB, "
        "file-rss:1024kB, shmem-rss:2048kB, UID:0 pgtables:62000kB oom_score_adj:0\n"
    )
    assert [f.role for f in found.failures] == [role, "root"]
