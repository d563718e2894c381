"""lnav loads the format, and its tables of hits hold the right lines."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from rule_tools import CASES, broken, program, ran, write


def installed(folder: Path, path: Path) -> str:
    """What lnav says while it installs the format, with a home of its own."""
    done = ran(program("lnav"), "-i", path, env={"HOME": str(folder), "PATH": "/usr/bin:/bin", "TERM": "dumb"})
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_each_table_holds_the_line_of_its_hit(tmp_path: Path) -> None:
    assert installed(tmp_path, write("lnav", tmp_path) / "kb_log.json") == ""
    some = CASES[::12]
    log = tmp_path / "app.log"
    log.write_text("".join(f"2026-11-29 10:11:12 ERROR {text}\n" for case in some for text in (case.hit, case.miss)))
    parts = [
        f"SELECT '{case.rule.id}' AS id, count(*) AS n, min(log_line) AS line FROM kb_sig_{case.rule.id.replace('-', '_')}"
        for case in some
    ]
    command = (program("lnav"), "-n", "-c", f";{' UNION ALL '.join(parts)}", "-c", ":write-csv-to -", log)
    done = ran(*command, env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "TERM": "dumb"})
    rows = {row["id"]: (row["n"], row["line"]) for row in csv.DictReader(io.StringIO(done.stdout))}
    assert rows == {case.rule.id: ("1", str(2 * number)) for number, case in enumerate(some)}, done.stderr


def test_a_broken_rule_is_reported(tmp_path: Path) -> None:
    assert "missing closing parenthesis" in installed(tmp_path, write("lnav", tmp_path, [broken()]) / "kb_log.json")
