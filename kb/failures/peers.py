"""Failures that only say that another part did not answer, when that part's own failure is in the log too.

A rank that waits for a collective, or a service that cannot reach another, fails because of the other: whichever of the
two lines stands first.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from functools import cache

from kb.failures.found import Find

_LONGEST = 2000
MOST = 64
_LAYERS = 4
_CALLS = 12
_SHORTEST = 2
_OOM = "OOM"
#: What a program raises that waited until its patience ended, and heard nothing.
_STARVED = frozenset({"Empty", "TimeoutError"})


class _Patterns:
    """How failures speak of others; this module is loaded when a log holds more than one root."""

    #: A rank waited for the others until its patience ended.
    collective = re.compile(
        r"collective operation timeout|[Tt]imed out waiting \d+ ?ms for (?:recv|send) operation|"
        r"wait timeout after \d+ ?ms|monitoredBarrier|Timed out waiting for .{1,40} ranks"
    )
    #: A server in front of others did not get an answer; it knows only their addresses.
    front = re.compile(
        r"(?:while|when) (?:connecting to|reading response header from|reading) upstream|no live upstreams"
        r"|upstream (?:timed out|prematurely closed)|no server available"
    )
    #: A client of Kafka asked brokers that it had no connection to.
    metadata = re.compile(
        r"not present in metadata after \d|while fetching topic metadata|Failed to update metadata after"
    )
    #: A process was killed, by whom is not said.
    killed = re.compile(r"SIGKILL|\b[Ss]ignal:? 9\b|\bKilled\b|exit ?code:? (?:-9|137)\b|status=9/KILL|code 137\b")
    #: A supervisor's limit was reached, at which it kills.
    limit = re.compile(r"WORKER TIMEOUT|TimeLimitExceeded|[Tt]ime limit \(\d[\d.]{0,10} ?s\) exceeded")
    pid = re.compile(r"\b(?:pid|PID|process)[ :=]{1,2}(\d{2,9})\b")
    quoted = re.compile(r"[\"']([\w.:/-]{1,200})[\"']")
    #: A part of a system could not reach another.
    unreached = re.compile(
        r"refused|not found in upstream|no such host|ENOTFOUND|EAI_AGAIN|could not translate host|not resolve"
        r"|name resolution|name or service not known|UnknownHost|unreachable"
        r"|(?:could|can)(?: ?not|'t) (?:connect|reach)|(?:unable|failed) to connect|connection .{0,80}failed"
        r"|connect(?:ion)? timed? ?out|could not be established|max retries exceeded|no ?brokers|unavailable"
        r"|node assignment|bad gateway",
        re.IGNORECASE,
    )


@cache
def _instance() -> re.Pattern[str]:
    """What tells the instances of one service apart: a number, or the hashes of a pod."""
    return re.compile(
        r"(?:[-_.]\d{1,4}|-[bcdfghjklmnpqrstvwxz2456789]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}"
        r"|\.log|\.service|\[\d{1,9}\])$"
    )


def awaited(
    find: Find, roots: Sequence[Find], outer: dict[int, Find], ended: Container[str] = ()
) -> tuple[Find, str] | None:
    """The one of `roots`, of another process, that kept `find` waiting, and why; None when no other is spoken of.

    `outer` gives by `id` the failure that was raised from another: it may name what the inner one does not.
    A mere error line of a process counts where the log tells that this process `ended`.
    """
    words = _words(find, outer)
    process = _process(find)
    if find.type != _OOM and _Patterns.killed.search(words):
        killer = _killer(words, [root for root in roots[:MOST] if root.type == _OOM])
        if killer is not None:
            return killer, "the kernel killed it, for lack of memory"
        limits = [root for root in roots[:MOST] if root is not find and _is_limit(root, find)]
        killer = _killer(words, limits)
        return (killer, "its supervisor killed it, which had run out of time") if killer else None
    others = [
        root
        for root in roots[:MOST]
        if root is not find and (root.weight < 2 or _process(root) in ended) and _process(root) != process
    ]
    if find.type.rsplit(".", 1)[-1] in _STARVED and not find.message:
        before = [root for root in others if root.at.number < find.at.number]
        if not before:
            return None
        return before[0], f"nothing came from {_process(before[0]) or 'another part'}, which had failed"
    if _Patterns.metadata.search(words):
        clients = [root for root in roots[:MOST] if root.type == "Kafka client"]
        return (clients[0], "the client had no connection to a broker") if clients else None
    if _Patterns.collective.search(words):
        ranks = [root for root in others if not _Patterns.collective.search(root.message[:_LONGEST])]
        return (ranks[0], "it waited for another rank, which had failed") if ranks else None
    if _Patterns.front.search(words):
        return (others[0], "it got no answer from another part, which had failed itself") if others else None
    if not _Patterns.unreached.search(words):
        return None
    for root in others:
        if any(_speaks_of(words, name) for name in _services(_process(root))):
            return root, f"it could not reach {_process(root)}, which had failed itself"
    return None


def _is_limit(root: Find, killed: Find) -> bool:
    """Whether `root`, of the process that tells of the death of `killed`, says before it that its time was over."""
    said = f"{root.type}: {root.message[:_LONGEST]}"
    same = root.at.key == killed.at.key and root.at.number < killed.at.number
    return same and _Patterns.limit.search(said) is not None


def _killer(words: str, kills: Sequence[Find]) -> Find | None:
    """The kill of the process that `words` give the number of; any, where either has no number."""
    own = set(_Patterns.pid.findall(words))
    for kill in kills:
        theirs = set(_Patterns.pid.findall(kill.message[:_LONGEST]))
        if not own or not theirs or own & theirs:
            return kill
    return None


def _words(find: Find, outer: dict[int, Find]) -> str:
    said = [find.type, find.message[:_LONGEST], find.at.text[:_LONGEST], *_given(find)]
    step = outer.get(id(find))
    for _ in range(_LAYERS):
        if step is None:
            break
        said.append(step.message[:_LONGEST])
        step = outer.get(id(step))
    return "\n".join(said)


def _given(find: Find) -> Iterator[str]:
    """The texts in the calls that failed: where a client is made may name the host that its exception does not."""
    for frame in find.frames[-_CALLS:]:
        yield from _Patterns.quoted.findall(frame.source)


def _process(find: Find) -> str:
    return find.process or find.at.process


def _services(label: str) -> set[str]:
    """The names by which others may call the process of this label: `shop-db-1` is reached as `db` or `shop-db`."""
    names: set[str] = set()
    for part in label.split("/"):
        base = _instance().sub("", part)
        names |= {part, base}
        if base != part:
            names |= {base.partition(mark)[2] for mark in "-_"}
    return {name for name in names if len(name) >= _SHORTEST and not name.isdigit()}


def _speaks_of(words: str, name: str) -> bool:
    return re.search(rf"(?<![\w.-]){re.escape(name)}(?=[:\"'/\s,)\]]|$|\.[a-z])", words) is not None
