"""Fixes that once removed a failure, and after which it came back in a later session."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from kb.knowledge.model import Occurrence, Regression, SessionFacts, Try
from kb.knowledge.versions import release

#: Prose that says that a fix is there already.
_SAID = re.compile(r"`([a-z0-9][a-z0-9.-]{0,119})`(?: is| was| being| still)?(?: still| already)? in place\b")


def regressions(
    tries: Sequence[tuple[SessionFacts, Try]], occurrences: Sequence[tuple[SessionFacts, Occurrence]]
) -> tuple[Regression, ...]:
    """The regressions of one signature, the newest first; both are given with the newest session first.

    A fix was in place when the session made it in an attempt before the one that ended in the failure, or when its
    prose says so: "`pad-the-list` is in place".
    """
    proven: dict[str, SessionFacts] = {}
    for session, tried in reversed(tries):
        if tried.outcome in ("fixed", "progressed"):
            proven.setdefault(tried.fix, session)
    return tuple(_found(proven, occurrences))


def _found(
    proven: Mapping[str, SessionFacts], occurrences: Sequence[tuple[SessionFacts, Occurrence]]
) -> Iterator[Regression]:
    told: set[tuple[str, str]] = set()
    for session, occurrence in occurrences:
        if not occurrence.primary:
            continue
        for slug in _in_place(session, occurrence):
            before = proven.get(slug)
            if before is None or before.started >= session.started or (slug, session.id) in told:
                continue
            told.add((slug, session.id))
            then, now = _differing(before.components, session.components)
            yield Regression(slug, before.id, session.id, session.started, then, now, _later(then, now))


def _in_place(session: SessionFacts, occurrence: Occurrence) -> Iterator[str]:
    """The fixes that were in place when the failure occurred."""
    for fix in session.fixes:
        if fix.attempt < occurrence.attempt:
            yield fix.slug
    if "in place" in session.text:
        yield from (found.group(1) for found in _SAID.finditer(session.text))


def _differing(then: Mapping[str, str], now: Mapping[str, str]) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """The components that both sessions name, and whose versions differ."""
    names = [name for name in sorted(then) if name in now and then[name] != now[name]]
    return {name: then[name] for name in names}, {name: now[name] for name in names}


def _later(then: Mapping[str, str], now: Mapping[str, str]) -> bool:
    return any(release(now[name]) > release(version) for name, version in then.items())


def regression_words(one: Regression) -> str:
    """A regression in a sentence: what came back after what, where, and with which versions."""
    said = f"came back after {one.fix} in {one.session}"
    if one.now:
        now = ", ".join(f"{name} {version}" for name, version in one.now.items())
        then = ", ".join(f"{name} {version}" for name, version in one.then.items())
        said += f" with {now}{', a later version' if one.later else ''}; it had helped with {then} ({one.before})"
    else:
        said += f"; it had helped in {one.before}"
    return said
