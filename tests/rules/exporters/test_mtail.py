"""mtail compiles the program and counts each signature once."""

from __future__ import annotations

import re
from pathlib import Path

from rule_tools import CASES, RULES, broken, logs, program, ran, write


def counted(folder: Path, log: Path) -> dict[str, int]:
    command = (program("mtail"), "--one_shot", "--one_shot_format=prometheus", "--progs", folder / "kb.mtail")
    done = ran(*command, "--logs", log, "--log_dir", folder)
    return {one: int(number) for one, number in re.findall(r'kb_id="([^"]+)".*\} (\d+)', done.stdout)}


def test_every_hit_is_counted_for_its_signature_and_no_near_miss(tmp_path: Path) -> None:
    folder = write("mtail", tmp_path)
    hits, misses = logs(tmp_path)
    assert counted(folder, hits) == {case.rule.id: 1 for case in CASES}
    assert counted(folder, misses) == {}


def test_a_broken_rule_is_reported_and_no_rules_are_a_program(tmp_path: Path) -> None:
    command = (program("mtail"), "--compile_only", "--log_dir", tmp_path, "--progs")
    assert ran(*command, write("mtail", tmp_path, [RULES[0], broken()]) / "kb.mtail").returncode == 1
    assert ran(*command, write("mtail", tmp_path, ()) / "kb.mtail").returncode == 0
