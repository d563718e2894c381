"""Versions are read as programs print them, and evidence about old ones is worth a new test."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sessions_made import attempt, facts_of, fix, log, ran, traceback

from kb.failures.tables import rows
from kb.knowledge import versions
from kb.knowledge.applies import excluded
from kb.knowledge.staleness import retest
from kb.knowledge.versions import VERSIONS, newest, versions_in

NAMES = tuple(dict.fromkeys(cells[0] for _, cells in rows(VERSIONS, 2)))
TODAY = date(2026, 11, 29)


@pytest.mark.parametrize(
    ("line", "name", "version"),
    [
        ("INFO 11-29 [api_server.py:1] vLLM API server version 0.15.1", "vllm", "0.15.1"),
        ("Initializing a V1 LLM engine (v0.28.0) with config: model='x'", "vllm", "0.28.0"),
        ("torch==2.9.0+cu128", "torch", "2.9.0+cu128"),
        ("torch==2.9.0+cu128", "cuda", "12.8"),
        ("PyTorch version: 2.9.0+cu128", "torch", "2.9.0+cu128"),
        ("Python 3.12.3 (main, Feb  4 2025) [GCC 13.3.0] on linux", "python", "3.12.3"),
        ("platform linux -- Python 3.11.7, pytest-8.3.4, pluggy-1.5.0", "python", "3.11.7"),
        ("platform linux -- Python 3.11.7, pytest-8.3.4, pluggy-1.5.0", "pytest", "8.3.4"),
        ('  File "/usr/lib/python3.12/json/decoder.py", line 1, in x', "python", "3.12"),
        ("| NVIDIA-SMI 570.86.10   Driver Version: 570.86.10   CUDA Version: 12.8 |", "cuda", "12.8"),
        ("| NVIDIA-SMI 570.86.10   Driver Version: 570.86.10   CUDA Version: 12.8 |", "nvidia-driver", "570.86.10"),
        ("Cuda compilation tools, release 12.8, V12.8.61", "cuda", "12.8"),
        ("CUDA 12.8", "cuda", "12.8"),
        ("gpu1:1:1 [0] NCCL INFO NCCL version 2.27.3+cuda12.9", "nccl", "2.27.3+cuda12.9"),
        ("Node.js v22.11.0", "node", "22.11.0"),
        ("npm error node v20.1.0", "node", "20.1.0"),
        ("go version go1.23.4 linux/amd64", "go", "1.23.4"),
        ("rustc 1.83.0 (90b35a623 2024-11-26)", "rust", "1.83.0"),
        ("-- The C compiler identification is GNU 13.3.0", "gcc", "13.3.0"),
        ("Linux version 6.8.0-49-generic (buildd@lcy02)", "linux", "6.8.0"),
        ("starting PostgreSQL 16.4 on x86_64-pc-linux-gnu", "postgresql", "16.4"),
        ("redis-7.2.4", "redis", "7.2.4"),
        ("flash_attn 2.7.0", "flash-attn", "2.7.0"),
    ],
)
def test_versions_are_read_as_programs_print_them(line: str, name: str, version: str) -> None:
    assert versions_in(f"first\n{line}\nlast", [name]) == {name: version}


@pytest.mark.parametrize("line", ["took 12.5 s", "CUDA error: 3.14", "python script.py 2.0", "10.0.0.12:8080", "v1.2"])
def test_other_numbers_are_no_versions(line: str) -> None:
    assert versions_in(line, NAMES) == {}


@given(st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_text_can_be_looked_through(text: str) -> None:
    versions_in(text, NAMES)


@pytest.mark.parametrize(
    ("applies", "version", "out"),
    [
        ("vllm<0.16", "0.16.0rc1", True),
        ("vllm>=0.16", "0.16.0rc1", True),
        ("vllm>=0.15,<0.16", "0.15.1.dev12+gabc", False),
        ("torch==2.9.0", "2.9.0+cu128", False),
        ("nvidia-driver>=550", "550.54.15-server", False),
        ("nvidia-driver>=560", "550.54.15-server", True),
    ],
)
def test_suffixes_count_as_pythons_packaging_has_them(applies: str, version: str, out: bool) -> None:
    assert bool(excluded(applies, {applies.split(">")[0].split("<")[0].split("=")[0]: version})) is out


def test_the_newest_is_the_highest_by_its_numbers() -> None:
    assert newest(["0.9.1", "0.15.0", "main", "0.15"]) == "0.15.0"
    assert newest(["main"]) == ""


@pytest.mark.parametrize(
    ("seen", "now", "said"),
    [
        ({"vllm": ("0.11.0",)}, {"vllm": "0.15.1"}, "last tried with vllm 0.11.0, now there is 0.15.1"),
        ({"vllm": ("0.14.0", "0.11.0")}, {"vllm": "0.15.1"}, ""),
        ({"torch": ("1.13",)}, {"torch": "2.0"}, "last tried with torch 1.13, now there is 2.0"),
        ({"vllm": ("0.15",)}, {"vllm": "0.11"}, ""),
        ({"vllm": ("main",)}, {"vllm": "0.15"}, ""),
        ({"vllm": ("0.11.0",)}, {}, ""),
    ],
)
def test_evidence_about_versions_long_gone_is_worth_a_new_test(
    seen: dict[str, tuple[str, ...]], now: dict[str, str], said: str
) -> None:
    assert retest("2026-11-01T00:00:00Z", seen, now, TODAY) == said


def test_the_newest_known_version_counts_for_evidence_of_some_age() -> None:
    seen, known = {"vllm": ("0.11.0",)}, {"vllm": "0.15.1"}
    assert retest("2026-11-01", seen, {}, TODAY, (), known) == ""
    assert retest("2026-06-01", seen, {}, TODAY, (), known) == "last tried with vllm 0.11.0, now there is 0.15.1"
    assert retest("2026-06-01", seen, {"vllm": "0.11.2"}, TODAY, (), known) == ""


def test_only_what_the_fix_applies_to_counts_where_it_says() -> None:
    seen, now = {"vllm": ("0.15",), "python": ("3.8",)}, {"vllm": "0.15", "python": "3.14"}
    assert retest("2026-11-01", seen, now, TODAY, ["vllm"]) == ""
    assert "python" in retest("2026-11-01", seen, now, TODAY)


def test_evidence_of_long_ago_is_worth_a_new_test() -> None:
    assert retest("2025-11-01T00:00:00Z", {}, {}, TODAY) == "last tried on 2025-11-01, 1 year ago"
    assert retest("2026-01-01T00:00:00Z", {}, {}, TODAY) == ""
    assert retest("", {}, {}, TODAY) == ""


def test_every_shape_of_the_table_can_be_used() -> None:
    versions.check()


def test_a_session_has_the_versions_that_its_logs_state_of_what_its_fixes_are_for() -> None:
    old, new = (log(f"vLLM API server version {version}\n{traceback()}") for version in ("0.15.1", "0.16.0"))
    pinned = fix(applies="vllm>=0.15,<0.16; torch>=2")
    assert facts_of(attempt(old, pinned), attempt(new)).components == {"vllm": "0.15.1"}
    assert facts_of(attempt(old, pinned), components={"vLLM": "0.15.3"}).components == {"vLLM": "0.15.3"}
    assert facts_of(attempt(old, fix())).components == {}
    installed = attempt(log(traceback()), pinned), attempt(ran("pip install vllm==0.16.0", status=0), new)
    assert facts_of(*installed).components == {}
