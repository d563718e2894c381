"""Evidence that has grown old: never deleted, shown as worth a new test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date

from kb.knowledge.versions import key, newest, release

#: Evidence older than this, in days, is worth a new test.
LONG = 365
#: So many minor versions on (or one major version), what was found out about a component may no longer hold.
MINORS = 3
#: So many components are named at most.
_SAID = 2


def retest(
    last: str, versions: Mapping[str, Iterable[str]], now: Mapping[str, str], today: date, names: Iterable[str] = ()
) -> str:
    """Why evidence is worth a new test, in words; "" when it is not.

    `last` is the date of the newest evidence, `versions` those it was seen with, `now` what there is today (component
    -> version). Only the components `names` count, where any of them has a version in the evidence.
    """
    said = [*_gone(versions, now, names)[:_SAID], *_long_ago(last, today)]
    return "; ".join(said)


def _gone(versions: Mapping[str, Iterable[str]], now: Mapping[str, str], names: Iterable[str]) -> list[str]:
    known = {key(name): version for name, version in now.items()}
    asked = {key(name) for name in names} & {key(name) for name in versions}
    said = []
    for name, seen in versions.items():
        current, last = known.get(key(name), ""), newest(seen)
        if current and last and (not asked or key(name) in asked) and long_gone(last, current):
            said.append(f"last tried with {name} {last}, this is {current}")
    return said


def _long_ago(last: str, today: date) -> list[str]:
    try:
        days = (today - date.fromisoformat(last[:10])).days
    except ValueError:
        return []
    return [f"last tried on {last[:10]}, {days // 365} year{'s' * (days >= 730)} ago"] if days > LONG else []


def long_gone(version: str, current: str) -> bool:
    """Whether `version` lies so far behind `current` that what was found out about it may no longer hold."""
    old, new = release(version), release(current)
    if not old or not new or new[0] != old[0]:
        return bool(old and new and new[0] > old[0])
    return len(old) > 1 and len(new) > 1 and new[1] - old[1] >= MINORS
