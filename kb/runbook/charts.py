"""Charts as inline SVG: no script, colours from the style sheet, the numbers always beside them as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from markupsafe import Markup


def success_bar(helped: int, tries: int) -> Markup:
    """A bar that shows `helped` of `tries`, with the two numbers beside it."""
    width = 100 * helped / tries if tries else 0
    return Markup(  # noqa: S704 - numbers only
        f'<span class="kb-bar" data-kb-value="{width:.0f}" role="img" aria-label="helped in {helped} of {tries}">'
        '<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{width:.0f}" height="8"/></svg><b>{helped}/{tries}</b></span>'
    )


def months(first: str, last: str) -> list[str]:
    """All months from one `YYYY-MM` to another; empty when they are not months in order."""
    try:
        year, month = int(first[:4]), int(first[5:7])
        end_year, end_month = int(last[:4]), int(last[5:7])
    except ValueError:
        return []
    out: list[str] = []
    while (year, month) <= (end_year, end_month) and len(out) < 1200:
        out.append(f"{year:04}-{month:02}")
        year, month = (year + 1, 1) if month == 12 else (year, month + 1)
    return out


def timeline(dates: Iterable[str], until: str = "") -> Markup:
    """Bars of how many of the ISO 8601 `dates` fall in each month, from the first to `until` (default: the last one).

    Empty when all fall in one month: a single bar says nothing. At most the last 36 months are drawn.
    """
    counts = Counter(date[:7] for date in dates if date)
    if not counts:
        return Markup()
    columns = months(min(counts), max(*counts, until[:7]))[-36:]
    if len(columns) < 2:
        return Markup()
    top = max(counts[month] for month in columns) or 1
    step = 220 / len(columns)
    bars = []
    for place, month in enumerate(columns):
        height = 30 * counts[month] / top
        drawn = max(height, 1.0)
        bars.append(
            f'<rect class="{"kb-time-some" if counts[month] else "kb-time-none"}" x="{place * step:.1f}" '
            f'y="{32 - drawn:.1f}" width="{max(step - 1.5, 1):.1f}" height="{drawn:.1f}">'
            f"<title>{month}: {counts[month]}</title></rect>"
        )
    return Markup(  # noqa: S704 - numbers and months only
        f'<figure class="kb-time"><svg viewBox="0 0 220 32" role="img" preserveAspectRatio="none" '
        f'aria-label="sessions a month, {columns[0]} to {columns[-1]}">{"".join(bars)}</svg>'
        f"<figcaption><span>{columns[0]}</span><span>sessions a month, at most {top}</span>"
        f"<span>{columns[-1]}</span></figcaption></figure>"
    )
