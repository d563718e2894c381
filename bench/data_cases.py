"""The labelled cases: real logs of failures, scored by the script that stands beside them."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from result_table import Row, Table, digits, share

FOLDER = "../cases"

_KB = Path(sys.executable).with_name("kb")


def measure(folder: Path) -> Table:
    """Root at first place, type, process, and grouping of repeated failures."""
    scorer = folder.parent / "tools" / "score_cases.py"
    with tempfile.TemporaryDirectory() as name:
        result = Path(name) / "result.json"
        command = [sys.executable, scorer, "--kb", str(_KB), "--json", result, folder.resolve()]
        # From a folder without a knowledge base, so that only reading the logs is measured.
        subprocess.run(command, cwd=name, check=True, stdout=subprocess.DEVNULL)
        found = json.loads(result.read_text("utf-8"))
    n, pairs = found["cases"], found["twin_pairs"]
    missed = found["missed_pairs"] + found["missed_hard"]
    return Table(
        name="Labelled cases",
        size=f"{n} logs, {pairs} pairs of the same failure.",
        protocol="`kb triage --json` without a knowledge base, scored by score_cases.py. These logs were known while "
        "kb was written, so they show that nothing broke, not how kb does on other logs.",
        columns=("root first", "root found", "type", "process", "pairs missed", "pairs merged"),
        ours=(
            Row(
                "kb",
                (
                    share(found["root1"], n),
                    share(found["rootany"], n),
                    share(found["type"], found["typed"]),
                    share(found["process"], found["processed"]),
                    f"{missed} of {pairs} ({digits(missed / pairs if pairs else 0)})",
                    str(found["merged_pairs"]),
                ),
            ),
        ),
    )
