"""How often something ran, where a record states it in words, and how many clean runs prove anything."""

from __future__ import annotations

import math
import re

_NUMBER = r"(?<![\w.])(\d{1,6})"
_OF = re.compile(_NUMBER + r"\s*(?:of|out of|/|in)\s*(\d{1,6})\s+(?:\w+\s+)?(?:runs|reruns|times|tries|starts)\b", re.I)
_RUNS = re.compile(_NUMBER + r"\s+(?:clean |more |full |good )?(?:runs|reruns|repetitions|iterations)\b", re.I)
_TIMES = re.compile(r"\b(?:ran|run|rerun|repeated|started)\b[^\n.]{0,40}?" + _NUMBER + r"\s*(?:times|x|×)(?!\w)", re.I)

#: A clean result has this chance of being luck when a flaky failure is declared gone.
CHANCE = 0.05


def stated_share(text: str) -> tuple[int, int] | None:
    """(failing runs, all runs) where `text` says "3 of 20 runs", else None."""
    found = _OF.search(text)
    if not found:
        return None
    failing, total = int(found.group(1)), int(found.group(2))
    return (failing, total) if total > 0 and failing <= total else None


def stated_runs(text: str) -> int:
    """How many runs `text` says there were ("50 runs", "ran it 50 times"); 1 when it does not say."""
    share = stated_share(text)
    counts = [int(found.group(1)) for pattern in (_RUNS, _TIMES) if (found := pattern.search(text))]
    return max([1, *counts, *([share[1]] if share else [])])


def runs_needed(failing: int, total: int) -> int:
    """How many clean runs in a row prove that a failure seen in `failing` of `total` runs is gone.

    The smallest n with (1 - p)^n <= 5 %, for p the share of failing runs; 1 when every run failed.
    """
    if failing >= total:
        return 1
    share = failing / total
    return max(1, math.ceil(math.log(CHANCE) / math.log1p(-share) - 1e-9))
