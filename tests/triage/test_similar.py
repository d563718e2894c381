"""Signatures that resemble a failure, best first."""

from __future__ import annotations

import sys
from pathlib import Path

from kb.index.build import build_index
from kb.index.store import open_store
from kb.triage.report import triage

sys.path.append(str(Path(__file__).parent.parent / "index"))
from bases import base, record


def test_what_was_met_in_many_ways_is_as_near_as_what_was_met_in_one(tmp_path: Path) -> None:
    made = base(tmp_path)
    for day, function in enumerate(("load", "tune", "play", "skip", "stop", "seek"), 1):
        record(made, f"often-{day}", "ValueError: wrong number of channels: zebra", day=day, function=function)
    record(made, "once", "ValueError: wrong number of channels: camel", day=9, function="load")
    build_index(made)
    frames = "".join(f'  File "/srv/app/serve.py", line 9, in {name}\n    go()\n' for name in ("tune", "load"))
    cut_off = f"Traceback (most recent call last):\n{frames}ValueError: wrong number of channels:\n"
    with open_store(made) as store:
        report = triage(cut_off.encode(), "x.log", store)
    first, second = report.failures[0].matches
    assert "zebra" in first.title, "it has both places of the log, whatever others it has"
    assert "camel" in second.title
