"""Why a fix stands where it stands among the fixes of a signature, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Ranked(Protocol):
    """What is compared of a fix: counts of its outcomes, the lower bound of its success rate, its newest evidence."""

    @property
    def slug(self) -> str: ...
    @property
    def fixed(self) -> int: ...
    @property
    def progressed(self) -> int: ...
    @property
    def failed(self) -> int: ...
    @property
    def lower_bound(self) -> float: ...
    @property
    def last(self) -> str: ...


def order_words(ranked: Sequence[Ranked], known: int = 0) -> tuple[str, ...]:
    """For each fix, in its ranking, what puts it there: how sure its success is, or what breaks the tie.

    `known` counts the fixes of the signature, where they are more than those ranked.
    """
    total = max(known, len(ranked))
    return tuple(_first(fix, total) if at == 0 else _after(fix, ranked[at - 1]) for at, fix in enumerate(ranked))


def rate_words(fix: Ranked) -> str:
    """How often it helped, and how often it surely does: `helped in 3 of 3 tries, so in 44 % or more (95 % sure)`."""
    tried = fix.fixed + fix.progressed + fix.failed
    if not tried:
        return "no try of it proves anything"
    helped = fix.fixed + fix.progressed
    said = f"helped in {helped} of {tried} tr{'y' if tried == 1 else 'ies'}"
    return f"{said}, so in {_percent(fix.lower_bound)} of all or more (95 % sure)" if helped else said


def _first(fix: Ranked, total: int) -> str:
    return rate_words(fix) if total == 1 else f"first: {rate_words(fix)}"


def _after(fix: Ranked, better: Ranked) -> str:
    """What the fix before it has that it lacks, in the order in which they are compared."""
    if fix.lower_bound < better.lower_bound:
        return f"after {better.slug}: {rate_words(fix)}, against {_percent(better.lower_bound)}"
    if fix.fixed < better.fixed:
        return f"after {better.slug}, which more often left no failure at all: {rate_words(fix)}"
    if fix.failed and not better.failed:
        return f"after {better.slug}, which never failed: {rate_words(fix)}"
    if fix.last < better.last:
        return f"after {better.slug}, whose evidence is newer: {rate_words(fix)}"
    return f"beside {better.slug}: {rate_words(fix)}"


def _percent(share: float) -> str:
    return f"{share:.0%}".replace("%", " %")
