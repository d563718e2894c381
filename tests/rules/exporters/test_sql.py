"""SQL: DuckDB (and ClickHouse, where it is) finds the signature of each hit, and none for a near miss."""

from __future__ import annotations

from pathlib import Path

import pytest
from rule_tools import CASES, RULES, broken, write

duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")


def test_duckdb_finds_each_hit_and_no_near_miss(tmp_path: Path) -> None:
    database = duckdb.connect()
    database.execute((write("sql", tmp_path) / "kb-duckdb.sql").read_text())
    database.executemany(
        "INSERT INTO log_lines VALUES (?)", [[text] for case in CASES for text in (case.hit, case.miss)]
    )
    found = database.execute("SELECT line, id, url FROM kb_find").fetchall()
    assert sorted(found) == sorted((case.hit, case.rule.id, case.rule.url) for case in CASES)


def test_a_title_is_data_and_never_a_statement(tmp_path: Path) -> None:
    from dataclasses import replace

    database = duckdb.connect()
    rule = replace(RULES[0], title="'); DROP TABLE kb_signatures; --")
    database.execute((write("sql", tmp_path, [rule]) / "kb-duckdb.sql").read_text())
    assert database.execute("SELECT title FROM kb_signatures").fetchall() == [("'); DROP TABLE kb_signatures; --",)]


def test_a_broken_rule_is_reported(tmp_path: Path) -> None:
    database = duckdb.connect()
    database.execute((write("sql", tmp_path, [broken()]) / "kb-duckdb.sql").read_text())
    database.execute("INSERT INTO log_lines VALUES (?)", [CASES[0].hit])
    with pytest.raises(duckdb.Error, match="missing"):
        database.execute("SELECT * FROM kb_find").fetchall()


def test_clickhouse_finds_each_hit_and_no_near_miss(tmp_path: Path) -> None:
    try:
        from chdb.session import Session
    except ImportError:
        pytest.skip("ClickHouse (chdb) is optional and absent")
    session = Session(str(tmp_path / "db"))
    session.query("CREATE DATABASE t")
    session.query("CREATE TABLE t.log_lines (line String) ENGINE = Memory")
    lines = ", ".join(
        "('" + text.replace("\\", "\\\\").replace("'", "\\'") + "')" for c in CASES for text in (c.hit, c.miss)
    )
    session.query(f"INSERT INTO t.log_lines VALUES {lines}")
    for statement in (write("sql", tmp_path) / "kb-clickhouse.sql").read_text().split(";\n"):
        if statement.strip():
            session.query(f"USE t; {statement}")
    found = str(session.query("SELECT id FROM t.kb_find ORDER BY id", "TSV")).split()
    assert found == sorted(case.rule.id for case in CASES)
