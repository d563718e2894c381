"""How well similar signatures are ranked and rejected: perturbed failures of a base, and such that it does not hold.

The strangers are messages of packages that no base is made from, so they are data held apart.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from scale_failures import Site, failure, perturbed, strangers

from kb.failures.model import Failure
from kb.index.store import Store
from kb.signature.sign import sign
from kb.triage.matching import matches
from kb.triage.similar import THRESHOLD, compared
from kb.triage.versions import Versions

THRESHOLDS = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)


class Asked(NamedTuple):
    """What was said of a failure: whether the first is right, whether it is among five, the score of the first."""

    first: bool
    among: bool
    score: float
    known: bool


class Answers(NamedTuple):
    """Those of failures that a base holds, of those that it does not, and the milliseconds (CPU) of each look-up."""

    held: tuple[Asked, ...]
    strange: tuple[Asked, ...]
    times: tuple[float, ...]


def ask(store: Store, ids: Mapping[str, Site], count: int, *, frames: bool) -> Answers:
    """Look up `count` perturbed failures of the base, and as many strangers."""
    random_ = random.Random(11)
    sites = list(ids.values())
    times: list[float] = []
    held = []
    for at in random_.sample(range(len(sites)), min(count, len(sites))):
        asked = perturbed(sites[at], random_, sites, frames=frames)
        held.append(_asked(store, asked, sites[at], ids, times))
    others = strangers()
    picked = random_.sample(others, min(count, len(others)))
    strange = [failure(site, random_) for site in picked]
    if not frames:
        strange = [one._replace(frames=()) for one in strange]
    return Answers(tuple(held), tuple(_asked(store, one, None, ids, times) for one in strange), tuple(sorted(times)))


def _asked(store: Store, asked: Failure, right: Site | None, ids: Mapping[str, Site], times: list[float]) -> Asked:
    signature = sign(asked)
    begun = time.process_time()
    found = compared(store, asked, signature)
    times.append(1000 * (time.process_time() - begun))
    # Where a value is part of a signature, one place has several, and a library that others bring along has copies of
    # each: every one of them is right.
    place = _place(right) if right else None
    ranked = [one.alike.id in ids and _place(ids[one.alike.id]) == place for one in found]
    sure = matches(store, asked, signature, [asked.text], suggest=False, versions=Versions([], {}))
    score = found[0].score if found else 0.0
    return Asked(any(ranked[:1]), any(ranked[:5]), score, bool(sure))


def _place(site: Site) -> tuple[str, ...]:
    """Message, file (without its folder) and function."""
    file, function = site.frames[-1]
    return site.type, site.message, file.rsplit("/", 1)[-1], function


def share(asked: Sequence[Asked], what: str) -> float:
    """How many of these are so."""
    return sum(getattr(one, what) for one in asked) / len(asked)


def curve(answers: Answers) -> list[tuple[float, float, float]]:
    """For each threshold: the share of held failures of which the right one is shown, and of strangers shown any."""
    return [
        (
            limit,
            sum(one.first and one.score >= limit for one in answers.held) / len(answers.held),
            sum(one.score >= limit for one in answers.strange) / len(answers.strange),
        )
        for limit in sorted({*THRESHOLDS, THRESHOLD})
    ]


def percentile(ordered: Sequence[float], part: float) -> float:
    """The value that this part of the ordered values does not exceed."""
    return ordered[min(int(part * len(ordered)), len(ordered) - 1)]
