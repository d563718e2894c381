"""A job that torchrun started anew: which attempt's failure is the root."""

from __future__ import annotations

from kb.failures.find import find_failures

_FAILED = (
    "E1130 11:21:35.098000 700 torch/distributed/elastic/multiprocessing/api.py:1002] "
    "failed (exitcode: 1) local_rank: 0 (pid: {pid}) of binary: /opt/venv/bin/python3.11\n"
)


def _raised(said: str) -> str:
    return (
        "[rank0]: Traceback (most recent call last):\n"
        '[rank0]:   File "/srv/app/train.py", line 20, in <module>\n'
        "[rank0]:     step()\n"
        f"[rank0]: {said}\n"
    )


def _primary(*attempts: str) -> tuple[int, str]:
    log = "".join(attempt + _FAILED.format(pid=800 + n) for n, attempt in enumerate(attempts))
    found = find_failures(log)
    assert found.primary is not None
    return found.failures[found.primary].line, found.failures[found.primary].type


def test_what_a_later_attempt_got_past_did_not_end_the_job() -> None:
    assert _primary(_raised("ConnectionError: reset"), _raised("OSError: disk full")) == (9, "OSError")


def test_a_failure_that_every_attempt_shows_is_told_where_it_came_first() -> None:
    assert _primary(_raised("OSError: disk full"), _raised("OSError: disk full")) == (4, "OSError")


def test_an_attempt_of_which_only_the_end_is_told_leaves_the_earlier_failure_the_root() -> None:
    assert _primary(_raised("ConnectionError: reset"), "") == (4, "ConnectionError")


def test_one_attempt_is_read_as_ever() -> None:
    assert _primary(_raised("OSError: disk full")) == (4, "OSError")
