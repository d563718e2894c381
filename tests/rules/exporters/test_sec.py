"""SEC loads the rules; each hit writes one line with its id and link, a near miss none."""

from __future__ import annotations

from pathlib import Path

from rule_tools import CASES, RULES, broken, logs, program, ran, write


def told(folder: Path, log: Path) -> list[str]:
    done = ran(program("sec"), f"--conf={folder / 'kb.sec'}", f"--input={log}", "--notail", "--fromstart")
    return [line for line in done.stdout.splitlines() if line.startswith("kb1-")]


def test_each_hit_writes_its_line_and_no_near_miss(tmp_path: Path) -> None:
    folder = write("sec", tmp_path)
    hits, misses = logs(tmp_path)
    found = [line.split() for line in told(folder, hits)]
    assert [words[0] for words in found] == [case.rule.id for case in CASES]
    assert [words[1] for words in found] == [case.rule.url for case in CASES]
    assert told(folder, misses) == []


def test_a_broken_rule_is_reported(tmp_path: Path) -> None:
    folder = write("sec", tmp_path, [RULES[0], broken()])
    done = ran(program("sec"), f"--conf={folder / 'kb.sec'}", "--testonly")
    assert done.returncode == 1
