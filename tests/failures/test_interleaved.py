"""A traceback with records of a logger between its lines is read whole; order and times are told by what is printed."""

from __future__ import annotations

import json

import pytest

from kb.failures.find import find_failures

TRACE = """\
Traceback (most recent call last):
  File "/srv/shop/main.py", line 9, in <module>
    total(order)
    ^^^^^^^^^^^^
  File "/srv/shop/main.py", line 4, in total
    return rate[item]
KeyError: 'sku-7'
""".splitlines()
RECORDS = ["INFO 2026-11-29 10:00:00 worker: step", "2026-11-29 10:00:01,123 WARNING pool: slow", "ERROR:pool:gone"]


@pytest.mark.parametrize("every", [1, 2, 3])
def test_records_between_its_lines_do_not_end_a_traceback(every: int) -> None:
    lines: list[str] = []
    for place, line in enumerate(TRACE):
        lines += [*([RECORDS[place % 2]] if place % every == 0 else []), line]
    found = find_failures("\n".join(lines))
    (failure,) = [one for one in found.failures if one.role == "root"]
    assert (failure.type, failure.message) == ("KeyError", "'sku-7'")
    assert [frame.function for frame in failure.frames] == ["<module>", "total"]
    assert failure.frames[-1].source == "return rate[item]"
    own = {number for first, last in failure.spans for number in range(first, last + 1)}
    assert [lines[number - 1] for number in sorted(own)] == TRACE


def test_a_traceback_that_is_cut_is_not_put_together_with_what_follows() -> None:
    found = find_failures("\n".join([*TRACE[:3], RECORDS[0], RECORDS[1], "done", TRACE[-1]]))
    assert [failure.complete for failure in found.failures][:1] == [False]


STAMPS = [
    "29/Nov/2026:10:00:0{} +0000 ERROR {}",
    "Nov 29 10:00:0{} ERROR {}",
    "2026-11-29T10:00:0{}+01:00 ERROR {}",
    "2026-11-29 10:00:0{}.123 ERROR {}",
    "11/29/2026 10:00:0{} AM ERROR {}",
    "Sun Nov 29 10:00:0{} 2026 ERROR {}",
    "20261129T10:00:0{} ERROR {}",
    "2026.11.29 10:00:0{} ERROR {}",
]


@pytest.mark.parametrize("stamp", STAMPS)
def test_what_failed_first_is_told_by_the_times_of_two_streams(stamp: str) -> None:
    log = f"[rank0]: {stamp.format(5, 'RuntimeError: late')}\n[rank1]: {stamp.format(1, 'ValueError: early')}\n"
    found = find_failures(log)
    assert found.primary is not None
    assert "early" in found.failures[found.primary].message
    assert found.failures[found.primary].process == "rank1"


def test_loguru_serialized_keeps_the_level_of_its_record() -> None:
    def line(level: str) -> str:
        text = f"2026-11-29 10:00:00.123 | {level:8} | shop:price:4 - could not price\n" + "\n".join(TRACE) + "\n"
        return json.dumps({"text": text, "record": {"level": {"name": level}, "message": "could not price"}})

    assert find_failures(line("ERROR")).primary is not None
    assert find_failures(line("INFO")).primary is None
