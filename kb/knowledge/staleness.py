"""Evidence that has grown old: never deleted, shown as worth a new test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date

from kb.knowledge.versions import key, newest, release

#: Evidence older than this, in days, is worth a new test.
LONG = 365
#: Evidence older than this may be about versions that are gone.
A_WHILE = 90
#: So many minor versions on (or one major version), what was found out about a component may no longer hold.
MINORS = 3
#: So many components are named at most.
_SAID = 2


def retest(
    last: str,
    versions: Mapping[str, Iterable[str]],
    now: Mapping[str, str],
    today: date,
    names: Iterable[str] = (),
    newest_known: Mapping[str, str] | None = None,
) -> str:
    """Why evidence is worth a new test, in words; "" when it is not.

    `last` is the date of the newest evidence, `versions` those it was seen with, `now` the versions of whoever asks.
    The `newest_known` ones of other components count only for evidence of some age: where several versions are in use
    side by side, none of them is gone. Only the components `names` count, where the evidence has a version of any.
    """
    age = _days(last, today)
    current = {**(newest_known or {}), **now} if age > A_WHILE else now
    said = _gone(versions, current, tuple(names))[:_SAID]
    if age > LONG:
        said.append(f"last tried on {last[:10]}, {age // 365} year{'s' * (age >= 730)} ago")
    return "; ".join(said)


def _gone(versions: Mapping[str, Iterable[str]], now: Mapping[str, str], names: Iterable[str]) -> list[str]:
    if not now:
        return []
    known = {key(name): version for name, version in now.items()}
    asked = {key(name) for name in names} & {key(name) for name in versions}
    said = []
    for name, seen in versions.items():
        current = known.get(key(name), "")
        if not current or (asked and key(name) not in asked):
            continue
        last = newest(seen)
        if last and long_gone(last, current):
            said.append(f"last tried with {name} {last}, now there is {current}")
    return said


def _days(last: str, today: date) -> int:
    """How many days ago something was; 0 when it has no date."""
    try:
        return (today - date.fromisoformat(last[:10])).days
    except ValueError:
        return 0


def long_gone(version: str, current: str) -> bool:
    """Whether `version` lies so far behind `current` that what was found out about it may no longer hold."""
    old, new = release(version), release(current)
    if not old or not new or new[0] != old[0]:
        return bool(old and new and new[0] > old[0])
    return len(old) > 1 and len(new) > 1 and new[1] - old[1] >= MINORS
