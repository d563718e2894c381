"""`kb fixes`, `kb chain`, `kb stats`, and `kb triage --with`, on the sample knowledge base."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Kb

LOG = """\
vLLM API server version 0.15.1
Traceback (most recent call last):
  File "/srv/app/serve.py", line 12, in load
    read()
KeyError: 'spool_folder'
"""
RECORD = """\
---
kb: 1
id: 2026-01-01-spool
title: The server does not start
started: 2026-01-01T10:00:00Z
ended: 2026-01-01T11:00:00Z
resolution: fixed
components: {vllm: 0.15.0}
---

## Attempt 1: start

```console {exit=1 duration=30s}
$ python serve.py
Traceback (most recent call last):
  File "/srv/app/serve.py", line 12, in load
    read()
KeyError: 'spool_folder'
```

### Fix: pin-the-spool {kind=config applies="vllm>=0.15,<0.16"}

Pin it.

### Fix: restart-the-host {kind=restart}

Restart it.

## Attempt 2: start again

```console {exit=0}
$ python serve.py
ready
```
"""


@pytest.fixture
def spool(base: Path, kb: Kb) -> str:
    """The id of a signature with two fixes that were made together."""
    (base / "sessions" / "2026-01-01-spool.md").write_text(RECORD)
    (base / "spool.log").write_text(LOG)
    kb("index")
    return str(kb("triage", "--json", "spool.log").json["failures"][0]["signature"]["id"])


def test_triage_takes_versions_from_the_log_and_from_the_reader(kb: Kb, spool: str) -> None:
    report = kb("triage", "--json", "spool.log").json
    assert report["versions"] == {"vllm": "0.15.1"}
    assert [fix["applies"] for fix in report["failures"][0]["matches"][0]["fixes"]] == [True, True]
    report = kb("triage", "--json", "--with", "vllm=0.17.0", "spool.log").json
    (first, last) = report["failures"][0]["matches"][0]["fixes"]
    assert (first["slug"], last["slug"], last["applies"]) == ("restart-the-host", "pin-the-spool", False)
    assert last["excluded"] == "it is for vllm<0.16, this is vllm 0.17.0"
    assert last["order"].startswith("last: it is for")
    said = kb("triage", "--all", "--with", "vllm==0.17.0", "spool.log").out
    assert "not for this: it is for vllm<0.16, this is vllm 0.17.0" in said
    assert "tried together with restart-the-host" in said
    assert "costs     30 s an attempt (one)" in said


def test_a_version_that_is_none_is_a_usage_error(kb: Kb, spool: str) -> None:
    ran = kb("triage", "--with", "vllm", "spool.log")
    assert ran.status == 64
    assert "NAME=VERSION" in ran.err


def test_fixes_explain_their_order(kb: Kb, spool: str) -> None:
    ran = kb("fixes", spool)
    assert ran.status == 0
    assert "1. pin-the-spool (config)" in ran.out
    assert "order: first: helped in 1 of 1 try" in ran.out
    assert "which of them did it there is not known" in ran.out
    row = kb("fixes", "--json", "--with", "vllm=0.20", spool[:8]).json
    assert [fix["slug"] for fix in row["fixes"]] == ["restart-the-host", "pin-the-spool"]
    assert [fix["order"].split(" ", 1)[0] for fix in row["fixes"]] == ["first:", "last:"]
    assert row["fixes"][0]["tries"][0]["outcome"] == "fixed"
    assert row["fixes"][0]["retest"] == "last tried with vllm 0.15.0, now there is 0.20"
    assert kb("fixes", "kb1-aaaaaaaaaa").status == 64


@pytest.mark.parametrize("command", ["fixes", "chain"])
def test_without_an_id_the_newest_signatures_are_named(kb: Kb, spool: str, command: str) -> None:
    ran = kb(command)
    assert ran.status == 64
    assert spool in ran.err
    assert "kb search" in ran.err


def test_a_chain_is_a_tree_a_flowchart_or_json(kb: Kb, spool: str) -> None:
    assert "fixed by pin-the-spool (1 of 1)" in kb("chain", spool).out
    assert kb("chain", spool, "--mermaid").out.startswith("flowchart TD\n")
    assert kb("chain", spool, "--json").json["id"] == spool


def test_stats_count_what_there_is(kb: Kb, spool: str) -> None:
    ran = kb("stats")
    assert ran.status == 0
    assert "sessions    2" in ran.out
    row = kb("stats", "--json").json
    assert row["sessions"] == 2
    assert row["components"][0]["name"]
    json.dumps(row)


def test_stats_of_an_empty_knowledge_base(kb: Kb, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "kb.toml").write_text("")
    assert kb("--kb", tmp_path / "empty", "stats").status == 0
