"""The fixes of a match as they are offered: those that do not apply to the reader's version come last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kb.index.card import CardFix
from kb.knowledge.applies import excluded
from kb.triage.model import KnownFix


def known_fixes(fixes: Iterable[CardFix], versions: Mapping[str, str]) -> tuple[KnownFix, ...]:
    """`fixes` in their ranking, those that `applies` excludes for these `versions` last."""
    offered = [
        KnownFix(
            slug=fix.slug,
            title=fix.title,
            kind=fix.kind,
            fixed=fix.fixed,
            progressed=fix.progressed,
            failed=fix.failed,
            unverified=fix.unverified,
            lower_bound=round(fix.lower_bound, 4),
            applies=not excluded(fix.applies, versions),
            sessions=fix.sessions,
            ended_by=fix.ended_by,
            ended_after=fix.ended_after,
            components=fix.components,
        )
        for fix in fixes
    ]
    offered.sort(key=lambda fix: not fix.applies)
    return tuple(offered)
