"""How sure we are that a fix works: the lower bound of its success rate."""

from __future__ import annotations

import math

#: The quantile of the normal distribution for a two-sided 95 % interval.
_Z = 1.959963984540054


def wilson_lower(successes: int, tries: int) -> float:
    """The lower end of the Wilson score interval (95 %) for `successes` out of `tries`; 0 when there were no tries.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927.
    """
    if tries <= 0:
        return 0.0
    rate = successes / tries
    z2 = _Z * _Z
    centre = rate + z2 / (2 * tries)
    spread = _Z * math.sqrt((rate * (1 - rate) + z2 / (4 * tries)) / tries)
    return max(0.0, (centre - spread) / (1 + z2 / tries))
