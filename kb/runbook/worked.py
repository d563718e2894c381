"""The evidence for a fix in one breath: in how many sessions it worked, when last, and with which versions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kb.knowledge.applies import components
from kb.knowledge.model import RankedFix, SessionFacts
from kb.knowledge.versions import key, release
from kb.runbook.library import Library
from kb.runbook.phrases import count, day

#: So many components and, where versions have no order, so many versions are named.
COMPONENTS, VERSIONS = 2, 3


def worked_words(library: Library, signature_id: str, fix: RankedFix) -> str:
    """`worked in 5 of 6 sessions, last on 2026-10-02, vllm 0.14 to 0.16`: counted by session, not by try."""
    facts = [one for one in (library.session(session) for session in fix.sessions) if one]
    outcomes = {
        one.id: {t.outcome for t in one.tries if t.fix == fix.slug and t.signature_id == signature_id} for one in facts
    }
    tried = [one for one in facts if outcomes[one.id] - {"unverified"}]
    good = [one for one in tried if outcomes[one.id] & {"fixed", "progressed"}]
    if not tried:
        return "never verified: nothing was run after it"
    if not good:
        return f"did not help in {count(len(tried), 'session')}"
    onward = sum("fixed" not in outcomes[one.id] for one in good)
    verb = "got past it" if onward == len(good) else "helped" if onward else "worked"
    said = [f"{verb} in {len(good)} of {count(len(tried), 'session')}"]
    if 0 < onward < len(good):
        said.append(f"in {onward} of them on to another failure")
    said.append(f"last on {day(max(one.started for one in good))}")
    return ", ".join([*said, *versions_seen(good, components(fix.applies))])


def versions_seen(facts: Sequence[SessionFacts], names: Iterable[str] = ()) -> list[str]:
    """The versions of the components that matter, as ranges: those of `names` where any session has one, else those
    that the newest session states first."""
    asked = {key(name) for name in names}
    stated = list(dict.fromkeys(name for one in facts for name in one.components))
    chosen = [name for name in stated if key(name) in asked] or stated
    return [version_range(name, [one.components.get(name, "") for one in facts]) for name in chosen[:COMPONENTS]]


def version_range(name: str, versions: Iterable[str]) -> str:
    """`vllm 0.14 to 0.16`; versions that are no numbers are listed."""
    known = list(dict.fromkeys(one for one in versions if one))
    if len(known) > 1 and all(map(release, known)):
        known.sort(key=release)
        return f"{name} {known[0]} to {known[-1]}"
    more = f" and {len(known) - VERSIONS} more" if len(known) > VERSIONS else ""
    return f"{name} {', '.join(known[:VERSIONS])}{more}".rstrip()
