"""The numbers of personal values, shared by the processes of a session."""

from __future__ import annotations

import json
import multiprocessing
import stat
from pathlib import Path

import pytest

from kb.capture.redaction.memory import Memory
from kb.capture.redaction.redactor import Redactor
from kb.errors import WriteError


def redact(path: Path, text: str) -> str:
    return Redactor(memory=Memory(path)).text(text)


def test_another_process_gives_the_same_value_the_same_number(tmp_path: Path) -> None:
    path = tmp_path / "state" / "names"
    with multiprocessing.get_context("fork").Pool(1) as pool:
        first = pool.apply(redact, (path, "ping 10.1.2.3"))
    second = redact(path, "ping 10.1.2.4 10.1.2.3")
    assert (first, second) == ("ping <ip:1>", "ping <ip:2> <ip:1>")


def test_processes_at_once_give_each_value_one_number(tmp_path: Path) -> None:
    path = tmp_path / "names"
    values = [f"10.0.{n // 200}.{n % 200 + 1}" for n in range(300)]
    orders = [values, values[::-1], values[150:] + values[:150]]
    with multiprocessing.get_context("fork").Pool(3) as pool:
        texts = pool.starmap(redact, [(path, "\n".join(order)) for order in orders])
    shown = [dict(zip(order, text.split("\n"), strict=True)) for order, text in zip(orders, texts, strict=True)]
    assert shown[0] == shown[1] == shown[2]
    assert len(set(shown[0].values())) == len(values)


def test_only_the_owner_can_read_the_file_and_no_secret_is_in_it(tmp_path: Path) -> None:
    path = tmp_path / "names"
    redact(path, "10.1.2.3 GITHUB_TOKEN=ghp_" + "aB3" * 12)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [json.loads(line) for line in path.read_text().splitlines()] == [["ip", "10.1.2.3"]]


def test_half_a_line_of_a_process_that_was_killed_harms_nothing(tmp_path: Path) -> None:
    path = tmp_path / "names"
    path.write_text('["ip", "10.1.2.3"]\n["ip", "10.')
    assert redact(path, "10.1.2.9 10.1.2.3") == "<ip:2> <ip:1>"
    assert redact(path, "10.1.2.3 10.1.2.9") == "<ip:1> <ip:2>"


def test_forgetting_removes_the_file(tmp_path: Path) -> None:
    path = tmp_path / "names"
    redact(path, "10.1.2.3")
    Memory(path).forget()
    assert not path.exists()
    Memory(path).forget()


def test_a_file_that_cannot_be_written_is_an_error_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "names").mkdir()
    with pytest.raises(WriteError, match="names"):
        redact(tmp_path / "names", "10.1.2.3")
