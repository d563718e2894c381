"""SQL for log tables: the signatures as a table, and the query that finds them, for DuckDB and ClickHouse."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kb.rules.exporters.telling import advice, component, title
from kb.rules.model import Exported, TriageRule

NAME = "sql"
ABOUT = "SQL (DuckDB, ClickHouse): a table of signatures, and the join that finds them in a table of log lines"
LOAD = "duckdb logs.db < kb-duckdb.sql; then SELECT * FROM kb_find. For ClickHouse: kb-clickhouse.sql."
PROVED = "DuckDB; ClickHouse through chdb where that is installed"

_COLUMNS = ("id", "title", "component", "severity", "anchor", "pattern", "fix", "url")


def export(rules: Sequence[TriageRule], name: str) -> tuple[Exported, ...]:
    """`kb-duckdb.sql` and `kb-clickhouse.sql`. Both expect a table `log_lines` with the columns `line` and what else.

    The anchor is looked for first, which is cheap; only then the pattern.
    """
    duck = (
        f"CREATE OR REPLACE TABLE kb_signatures ({', '.join(f'{name} VARCHAR' for name in _COLUMNS)});\n"
        f"{_insert(rules, _standard)}"
        "CREATE TABLE IF NOT EXISTS log_lines (line VARCHAR);\n"
        "CREATE OR REPLACE VIEW kb_find AS SELECT s.id, s.title, s.fix, s.url, l.*\n"
        "  FROM log_lines l JOIN kb_signatures s\n"
        "  ON contains(l.line, s.anchor) AND regexp_matches(l.line, s.pattern);\n"
    )
    columns = ", ".join(f"{name} String" for name in _COLUMNS)
    house = (
        f"CREATE TABLE IF NOT EXISTS kb_signatures ({columns}) ENGINE = Memory;\n"
        "TRUNCATE TABLE kb_signatures;\n"
        f"{_insert(rules, _clickhouse)}"
        "-- The lines of `log_lines` with their signatures. A pattern must be constant there, so each is spelt out.\n"
        f"CREATE OR REPLACE VIEW kb_find AS SELECT s.id, s.title, s.fix, s.url, l.line FROM (\n{_union(rules)}) AS l\n"
        "  JOIN kb_signatures AS s ON s.id = l.kb_id;\n"
    )
    return (Exported("kb-duckdb.sql", duck), Exported("kb-clickhouse.sql", house))


def _insert(rules: Sequence[TriageRule], quote: Callable[[str], str]) -> str:
    rows = [f"({', '.join(map(quote, _cells(rule)))})" for rule in rules]
    return "INSERT INTO kb_signatures VALUES\n" + ",\n".join(rows) + ";\n" if rows else ""


def _cells(rule: TriageRule) -> tuple[str, ...]:
    told = (rule.id, title(rule), component(rule), rule.severity)
    return (*told, rule.anchor, rule.pattern, advice(rule), rule.url)


def _union(rules: Sequence[TriageRule]) -> str:
    parts = [
        f"  SELECT '{rule.id}' AS kb_id, line FROM log_lines"
        f" WHERE position(line, {_clickhouse(rule.anchor)}) > 0 AND match(line, {_clickhouse(rule.pattern)})\n"
        for rule in rules
    ]
    return "  UNION ALL\n".join(parts) or "  SELECT '' AS kb_id, '' AS line WHERE 0\n"


def _standard(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _clickhouse(text: str) -> str:
    """`text` as a literal there: a backslash is an escape in it."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
