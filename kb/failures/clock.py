"""Times as logs print them, made comparable within one log."""

from __future__ import annotations

import re

_CLOCK = re.compile(r"(?P<h>\d\d):(?P<m>\d\d):(?P<s>\d\d)(?:[.,](?P<f>\d{1,9}))?")
_ISO = re.compile(r"(?P<y>\d{4})[-/](?P<mo>\d\d)[-/](?P<d>\d\d)")
_US = re.compile(r"(?P<mo>\d\d)/(?P<d>\d\d)/(?P<y>\d{4})")
_MONTH_DAY = re.compile(r"(?P<mo>\d\d)-?(?P<d>\d\d)(?= )")
_SHORT = re.compile(r"(?P<y>\d\d)/(?P<mo>\d\d)/(?P<d>\d\d)(?= )")
_NAMED = re.compile(r"(?P<name>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +(?P<d>\d{1,2})")
_MONTHS = {
    name: i
    for i, name in enumerate(["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"], 1)
}


def seconds(printed: str) -> float | None:
    """Seconds since an unstated epoch for a printed time, or None; months count 31 days, since only order matters.

    Years are left out: some writers of a log print one and others do not, and both must compare.
    """
    clock = _CLOCK.search(printed)
    if clock is None:
        return None
    month, day = 0, 0
    if named := _NAMED.match(printed):
        month, day = _MONTHS[named["name"]], int(named["d"])
    elif date := (_ISO.match(printed) or _US.match(printed) or _SHORT.match(printed) or _MONTH_DAY.match(printed)):
        month, day = int(date["mo"]), int(date["d"])
    fraction = float(f"0.{clock['f']}") if clock["f"] else 0.0
    of_day = int(clock["h"]) * 3600 + int(clock["m"]) * 60 + int(clock["s"]) + fraction
    return (month * 31 + day) * 86400.0 + of_day
