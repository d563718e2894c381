"""Charts: the numbers stand beside them, and one bar alone is none."""

from __future__ import annotations

from kb.runbook.charts import months, success_bar, timeline


def test_a_bar_says_its_numbers() -> None:
    html = success_bar(3, 4)
    assert 'aria-label="helped in 3 of 4"' in html
    assert '<rect width="75"' in html
    assert "<b>3/4</b>" in html


def test_a_bar_of_no_tries_is_empty() -> None:
    assert 'width="0"' in success_bar(0, 0)


def test_months_run_over_the_year() -> None:
    assert months("2025-11", "2026-02") == ["2025-11", "2025-12", "2026-01", "2026-02"]
    assert months("never", "2026-02") == []


def test_a_timeline_needs_two_months() -> None:
    assert timeline(["2026-02-01", "2026-02-20"]) == ""
    html = timeline(["2026-02-01T10:00:00+00:00", "2026-04-02", "2026-04-03"])
    assert html.count("<rect") == 3
    assert "<title>2026-04: 2</title>" in html


def test_only_the_last_three_years_are_drawn() -> None:
    assert timeline(["1999-01-01", "2026-01-01"]).count("<rect") == 36
