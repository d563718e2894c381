"""ripgrep, grep and Hyperscan load the pattern files: each hit is found, no near miss is."""

from __future__ import annotations

from pathlib import Path

import hyperscan
import pytest
from rule_tools import CASES, RULES, broken, logs, program, ran, write


def test_ripgrep_finds_every_hit_and_no_near_miss(tmp_path: Path) -> None:
    rg, folder = program("rg"), write("patterns", tmp_path)
    hits, misses = logs(tmp_path)
    assert ran(rg, "-c", "-f", folder / "kb.rg", hits).stdout.strip() == str(len(CASES))
    assert ran(rg, "-c", "-f", folder / "kb.rg", misses).stdout == ""


def test_a_row_of_the_table_says_which_line_is_which_signature(tmp_path: Path) -> None:
    rg, folder = program("rg"), write("patterns", tmp_path)
    rows = [line.split("\t") for line in (folder / "kb.index.tsv").read_text().splitlines()][1:]
    patterns = (folder / "kb.rg").read_text().splitlines()
    assert [row[1] for row in rows] == [rule.id for rule in RULES]
    by_id = {case.rule.id: case for case in CASES}
    for row in rows[::20]:
        found = ran(rg, "-c", "-e", patterns[int(row[0]) - 1], "-", input=by_id[row[1]].hit + "\n")
        assert found.stdout.strip() == "1"


def test_grep_finds_the_anchor_of_every_hit(tmp_path: Path) -> None:
    folder = write("patterns", tmp_path)
    hits, _ = logs(tmp_path)
    assert ran("grep", "-c", "-a", "-F", "-f", folder / "kb.anchors", hits).stdout.strip() == str(len(CASES))


def test_no_rules_give_files_without_a_line(tmp_path: Path) -> None:
    folder = write("patterns", tmp_path, ())
    assert (folder / "kb.rg").read_text() == (folder / "kb.anchors").read_text() == ""


def test_hyperscan_compiles_all_together_and_names_the_right_one(tmp_path: Path) -> None:
    folder = write("patterns", tmp_path)
    numbers, patterns = [], []
    for line in (folder / "kb.hs").read_text().splitlines():
        number, rest = line.split(":/", 1)
        numbers.append(int(number))
        patterns.append(rest.rpartition("/")[0].encode())
    database = hyperscan.Database()
    flags = hyperscan.HS_FLAG_DOTALL | hyperscan.HS_FLAG_SINGLEMATCH
    database.compile(expressions=patterns, ids=numbers, flags=[flags] * len(patterns))
    place = {rule.id: number for number, rule in enumerate(RULES, 1)}
    for case in CASES:
        found: list[int] = []
        for text in (case.hit, case.miss):
            database.scan(text.encode(), match_event_handler=lambda n, *more, found=found: found.append(n))
        assert found == [place[case.rule.id]]


def test_a_broken_rule_is_reported(tmp_path: Path) -> None:
    rg, folder = program("rg"), write("patterns", tmp_path, [*RULES[:3], broken()])
    done = ran(rg, "-f", folder / "kb.rg", "-", input="x\n")
    assert done.returncode == 2
    assert "unclosed group" in done.stderr
    with pytest.raises(hyperscan.error):
        hyperscan.Database().compile(expressions=[broken().pattern.encode()])
