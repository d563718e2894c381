"""Times as logs print them, made comparable within one log."""

import re
from collections.abc import Sequence
from datetime import date
from functools import cache
from typing import NamedTuple

_DAY = 86400.0
_MONTHS = {
    name: i
    for i, name in enumerate(["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"], 1)
}
_NAMES = "|".join(_MONTHS)
_LONGEST = 64


class _Moment(NamedTuple):
    """A time read: seconds of the day, date (year 0 when not printed) and offset from UTC in seconds, if printed.

    Seconds since a start of the machine have neither a date nor a zone.
    """

    of_day: float
    day: tuple[int, int, int] | None = None
    zone: int | None = None
    uptime: bool = False


#: Compiled when the first time is read.
_CLOCK = (
    r"(?<!\d)(?P<h>\d{1,2}):(?P<m>\d\d):(?P<s>\d\d)(?:[.,](?P<f>\d{1,9}))?"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\b)? ?(?P<zone>Z\b|UTC|GMT|[+-]\d\d:?\d\d(?!\d))?"
)
_DATES = (
    r"\D{0,4}(?P<y>\d{4})[-/.](?P<mo>\d\d)[-/.](?P<d>\d\d)",
    r"(?P<y>20\d\d)(?P<mo>\d\d)(?P<d>\d\d)[T ]",
    r"(?P<mo>\d{1,2})/(?P<d>\d{1,2})/(?P<y>\d{4})",
    rf"(?:\w{{3}}, )?\[?(?P<d>\d{{1,2}})[ /-](?P<name>{_NAMES})[ /-](?P<y>\d{{4}})",
    rf"\[?(?:\w{{3}} )?(?P<name>{_NAMES}) +(?P<d>\d{{1,2}})",
    r"(?P<y>\d\d)/(?P<mo>\d\d)/(?P<d>\d\d)(?= )",
    r"(?P<mo>\d\d)-?(?P<d>\d\d)(?= )",
)
_EPOCH = r"\d{10}(?:\.\d{1,9})?$|\d{13}$|\d{16}$|\d{19}$"
_UPTIME = r"\d{1,8}\.\d{6}$"
_YEAR_LAST = r" (\d{4})\]?$"
_LEADING = r"\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?(?!\d)"


_compiled = cache(re.compile)


def leading(text: str) -> str:
    """The time that `text` begins with, as printed, or "": for lines whose own readers take them with their times."""
    match = _compiled(_LEADING).match(text[:_LONGEST])
    return match[0].strip("[] ") if match else ""


def seconds(printed: str) -> float | None:
    """Seconds since an unstated epoch for a printed time, or None; months count 31 days, since only order matters.

    Years are left out: some writers of a log print one and others do not, and both must compare.
    """
    moment = _read(printed)
    if moment is None:
        return None
    return _within(moment)


def comparable(printed: Sequence[str]) -> list[float] | None:
    """For times printed in this order, seconds by which they compare; None where they cannot be compared safely.

    They cannot if one of them is not a time, if some have a zone or a date and others have none, or if some are
    counted from the start of a machine. Where years or dates are not printed, a step back by more than half a year or
    half a day means that a year or a day has ended.
    """
    moments = [_read(text) for text in printed]
    known = [moment for moment in moments if moment is not None]
    if len(known) < len(moments) or not known:
        return None
    if len({(m.zone is None, m.day is None, m.uptime) for m in known}) > 1:
        return None
    if all(m.day and m.day[0] for m in known):
        return [_absolute(moment) for moment in known]
    cycle = 372 * _DAY if known[0].day else _DAY
    return _unrolled([_within(moment) for moment in known], cycle)


def _unrolled(times: list[float], cycle: float) -> list[float]:
    ended, last = 0.0, times[0]
    unrolled: list[float] = []
    for time in times:
        if last - time > cycle / 2:
            ended += cycle
        elif time - last > cycle / 2 and ended:
            ended -= cycle
        unrolled.append(time + ended)
        last = time
    return unrolled


def _within(moment: _Moment) -> float:
    _, month, day = moment.day or (0, 0, 0)
    return (month * 31 + day) * _DAY + moment.of_day - (moment.zone or 0)


def _absolute(moment: _Moment) -> float:
    year, month, day = moment.day or (1, 1, 1)
    return date(year, month, day).toordinal() * _DAY + moment.of_day - (moment.zone or 0)


def _read(printed: str) -> _Moment | None:
    """The moment that `printed` names, in any of the forms that log writers use."""
    printed = printed.strip()[:_LONGEST]
    if _compiled(_EPOCH).match(printed):
        return _from_epoch(printed)
    if _compiled(_UPTIME).match(printed):
        return _Moment(float(printed), uptime=True)
    clock = _compiled(_CLOCK).search(printed)
    if clock is None:
        return None
    fraction = float(f"0.{clock['f']}") if clock["f"] else 0.0
    hour = int(clock["h"])
    if clock["half"]:
        hour = hour % 12 + (12 if clock["half"] in "Pp" else 0)
    of_day = hour * 3600 + int(clock["m"]) * 60 + int(clock["s"]) + fraction
    return _Moment(of_day, _date(printed), _offset(clock["zone"]))


def _from_epoch(printed: str) -> _Moment:
    whole, _, fraction = printed.partition(".")
    count = int(whole) / 10 ** (len(whole) - 10) + float(f"0.{fraction or 0}")
    day = date.fromordinal(date(1970, 1, 1).toordinal() + int(count // _DAY))
    return _Moment(count % _DAY, (day.year, day.month, day.day), 0)


def _date(printed: str) -> tuple[int, int, int] | None:
    for expression in _DATES:
        match = _compiled(expression).match(printed)
        if match is None:
            continue
        found = match.groupdict()
        month = _MONTHS[found["name"]] if "name" in found else int(found["mo"])
        year = int(found.get("y") or 0)
        if not year and (last := _compiled(_YEAR_LAST).search(printed)):
            year = int(last[1])
        year += 2000 if 0 < year < 100 else 0
        return _real(year, month, int(found["d"]))
    return None


def _real(year: int, month: int, day: int) -> tuple[int, int, int] | None:
    """The date, if there is such a day (in a leap year when the year is not known)."""
    try:
        date(year or 2000, month, day)
    except ValueError:
        return None
    return year, month, day


def _offset(zone: str | None) -> int | None:
    if not zone:
        return None
    if zone[0] not in "+-":
        return 0
    digits = zone[1:].replace(":", "")
    return (int(digits[:2]) * 3600 + int(digits[2:]) * 60) * (-1 if zone[0] == "-" else 1)
