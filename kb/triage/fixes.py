"""The fixes of a match as they are offered: those that do not apply to the reader's version come last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from kb.index.card import CardFix
from kb.knowledge.applies import components, excluded
from kb.knowledge.fix_order import order_words
from kb.knowledge.staleness import retest
from kb.triage.model import KnownFix

if TYPE_CHECKING:
    from kb.knowledge.model import RankedFix


def known_fixes(
    fixes: Iterable[CardFix | RankedFix],
    versions: Mapping[str, str],
    newest: Mapping[str, str] | None = None,
    today: date | None = None,
) -> tuple[KnownFix, ...]:
    """`fixes` in their ranking, those that `applies` excludes for these `versions` last; each says why it stands there.

    Evidence is old by `versions` and, for other components, by the `newest` that are known; and by `today`, which is
    the day on which this is asked when it is not given.
    """
    return tuple(_each(fixes, versions, newest or {}, today))


def best_fix(fixes: Iterable[CardFix | RankedFix]) -> KnownFix:
    """The first of `known_fixes` where no versions are known; raises StopIteration when there is no fix."""
    return next(_each(fixes, {}, {}, None))


def _each(
    fixes: Iterable[CardFix | RankedFix],
    versions: Mapping[str, str],
    newest: Mapping[str, str],
    today: date | None,
) -> Iterator[KnownFix]:
    today = today or datetime.now(UTC).date()
    ranked = [(fix, excluded(fix.applies, versions)) for fix in fixes]
    fitting = [fix for fix, why_not in ranked if not why_not]
    # A fix is compared with what stands before it, so with none that went to the end.
    orders = [
        *zip(fitting, order_words(fitting, len(ranked)), strict=True),
        *((fix, f"last: {why_not}") for fix, why_not in ranked if why_not),
    ]
    return (_offered(fix, order, versions, newest, today) for fix, order in orders)


def _offered(
    fix: CardFix | RankedFix, order: str, versions: Mapping[str, str], newest: Mapping[str, str], today: date
) -> KnownFix:
    why_not = excluded(fix.applies, versions)
    said = {name: getattr(fix, name) for name in KnownFix._fields if hasattr(fix, name)}
    return KnownFix(
        **said
        | {
            "lower_bound": round(fix.lower_bound, 4),
            "applies": not why_not,
            "order": order,
            "excluded": why_not,
            "retest": retest(fix.last, fix.versions, versions, today, components(fix.applies), newest),
        }
    )
