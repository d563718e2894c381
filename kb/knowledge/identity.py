"""Which signature a failure is of, once people have had their say.

The rules of `kb.signature` sign a failure; decisions may then split its signature and merge what is left into another
one. All of this depends on the decisions as a set, never on the order in which they were made or read:

- a part that is split off is followed before a merge;
- merges form groups. A group goes by the id that none of its merges takes away; where there are several such ids, or
  none, by the first of them in the order of the alphabet;
- of several parts that a failure belongs to, the one with the longest text takes it;
- of several titles the newest counts, then the first in the order of the alphabet; those of a signature that was merged
  into another one count where that has none.

What contradicts each other is reported, and resolved as said above.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from kb.errors import Location, Problem
from kb.failures.model import Failure
from kb.record.decision import Decision, Merge, Rename, Split, dump_decisions
from kb.signature.model import Signature
from kb.signature.part import belongs, make_part, part_id

#: So many versions of the rules may an old id have gone through.
_VERSIONS = 20


class Identity:
    """The decisions of a knowledge base, ready to be applied; `aliases` are old ids of signatures and what they are
    called now, of other versions of the rules."""

    def __init__(self, decisions: Iterable[Decision] = (), aliases: Mapping[str, str] | None = None) -> None:
        self.decisions = tuple(sorted(decisions, key=lambda one: (type(one).__name__, one)))
        self._aliases = dict(aliases or {})
        self._merges = [one for one in self.decisions if isinstance(one, Merge)]
        self._kept, self._groups = _kept(self._merges, self.newest)
        self._splits: dict[str, list[Split]] = {}
        self._titles: dict[str, list[Rename]] = {}
        for one in self.decisions:
            if isinstance(one, Split):
                self._splits.setdefault(self.newest(one.signature), []).append(one)
            elif isinstance(one, Rename):
                self._titles.setdefault(self.newest(one.signature), []).append(one)
        for splits in self._splits.values():
            splits.sort(key=lambda one: (-len(one.text), one.by, one.text, one.signature))
        self._called = dict(self._titles)
        for signature_id, given in sorted(self._titles.items()):
            if (kept := self.current(signature_id)) not in self._titles:
                self._called[kept] = [*self._called.get(kept, ()), *given]
        for titles in self._called.values():
            titles.sort(key=lambda one: one.title)
            titles.sort(key=lambda one: one.made.date, reverse=True)

    def __bool__(self) -> bool:
        """Whether anything is decided."""
        return bool(self.decisions)

    def newest(self, signature_id: str) -> str:
        """The id of a signature by the newest version of the rules."""
        for _ in range(_VERSIONS):
            if signature_id not in self._aliases:
                break
            signature_id = self._aliases[signature_id]
        return signature_id

    def current(self, signature_id: str) -> str:
        """The id that a signature goes by: that of another one when it was merged or has got a new id."""
        newest = self.newest(signature_id)
        return self._kept.get(newest, newest)

    def merged(self) -> dict[str, str]:
        """The ids that decisions merged into others, each with the id that it goes by."""
        return {one: kept for one, kept in sorted(self._kept.items()) if one != kept}

    def settle(self, signature: Signature, failure: Failure) -> Signature:
        """`signature`, which the rules gave to `failure`, as people decided."""
        if not self.decisions:
            return signature
        settled, been = signature, {signature.id}
        while (onward := self._part(settled, failure) or self._merged(settled)) is not None:
            settled = onward
            if settled.id in been:
                break  # a part that was merged back
            been.add(settled.id)
        titles = self._called.get(settled.id)
        return settled._replace(title=titles[0].title) if titles else settled

    def _part(self, signature: Signature, failure: Failure) -> Signature | None:
        if signature.id not in self._splits:
            return None
        for one in self._splits[signature.id]:
            if belongs(failure, one.by, one.text):
                name = part_id(one.signature, one.by, one.text)
                return make_part(signature, failure, one.by, one.text, called=name, title=one.title)
        return None

    def _merged(self, signature: Signature) -> Signature | None:
        kept = self._kept.get(signature.id, signature.id)
        return None if kept == signature.id else signature._replace(id=kept, signed=signature.signed or signature.id)

    def digest(self, signed: Iterable[str]) -> str:
        """A hash of the decisions that can matter to failures which the rules gave these ids; "" when none can."""
        seen = {self.newest(one) for one in signed}
        found: dict[Decision, None] = {}
        waiting = sorted(seen)
        while waiting:
            for decision, leads_to in self._about(waiting.pop()):
                found[decision] = None
                onward = [one for one in leads_to if one not in seen]
                seen.update(onward)
                waiting.extend(onward)
        if not found:
            return ""
        plain = sorted(dump_decisions([one._replace(made=one.made._replace(path="", line=0))]) for one in found)
        return hashlib.sha256("\n".join(plain).encode()).hexdigest()[:16]

    def _about(self, signature_id: str) -> Iterator[tuple[Decision, tuple[str, ...]]]:
        """The decisions about a signature, each with the ids that it may lead to."""
        for merge in self._groups.get(signature_id, ()):
            yield merge, (self._kept[signature_id],)
        for split in self._splits.get(signature_id, ()):
            yield split, (part_id(split.signature, split.by, split.text),)
        for title in self._called.get(signature_id, ()):
            yield title, ()

    def contradictions(self) -> Iterator[Problem]:
        """Decisions that contradict each other, each named at its file with how it is resolved."""
        into: dict[str, Merge] = {}
        for merge in self._merges:
            for other in map(self.newest, merge.others):
                yield from self._about_merge(merge, other, into.setdefault(other, merge))
        for splits in self._splits.values():
            for split in splits:
                part = part_id(split.signature, split.by, split.text)
                if self.current(part) == self.current(split.signature):
                    message = f"{part}, which is split off here, is merged into what it is split from"
                    yield _problem(split, message, "the split does nothing; remove one of the two files")
        for signature_id, titles in sorted(self._titles.items()):
            for other_title in titles[1:]:
                if other_title.title != titles[0].title:
                    message = f"{signature_id} has another title, too: {titles[0].title!r} ({titles[0].made.path})"
                    yield _problem(other_title, message, "that one counts; `kb sig name` takes the place of both")

    def _about_merge(self, merge: Merge, other: str, first: Merge) -> Iterator[Problem]:
        """What is wrong with `merge` taking `other` away, which the merge `first` takes away, too."""
        here, there = self.newest(merge.into), self.newest(first.into)
        hint = f"all of them are one then, and go by {self.current(other)}; remove one of the files"
        if here != there:
            message = f"{other} is merged into {here} here, and into {there} by {first.made.path}"
            yield _problem(merge, message, hint)
        if self._leads_back(other):
            message = f"{other} is merged into {here} here, and other decisions merge that into {other}"
            yield _problem(merge, message, hint)
        if other in self._splits:
            message = f"{other} is merged into {here} here, and split by {self._splits[other][0].made.path}"
            yield _problem(merge, message, "the part is split off first, and the rest is merged")

    def _leads_back(self, start: str) -> bool:
        """Whether the merges that take `start` away lead back to it."""
        seen: set[str] = set()
        waiting = [start]
        while waiting:
            one = waiting.pop()
            for merge in self._groups.get(one, ()):
                onward = self.newest(merge.into)
                if one in map(self.newest, merge.others) and onward not in seen:
                    seen.add(onward)
                    waiting.append(onward)
        return start in seen


def _kept(merges: Sequence[Merge], newest: Callable[[str], str]) -> tuple[dict[str, str], dict[str, tuple[Merge, ...]]]:
    """Of each id that merges name: the id that it goes by, and all merges of its group."""
    groups: dict[str, set[str]] = {}
    for merge in merges:
        joined = {newest(merge.into), *map(newest, merge.others)}
        for one in tuple(joined):
            joined |= groups.get(one, set())
        for one in joined:
            groups[one] = joined
    taken = {newest(other) for merge in merges for other in merge.others}
    kept = {one: min(group - taken or group) for one, group in groups.items()}
    return kept, {one: tuple(m for m in merges if newest(m.into) in group) for one, group in groups.items()}


def _problem(decision: Decision, message: str, hint: str) -> Problem:
    return Problem(Location(decision.made.path, decision.made.line), "contradiction", message, hint)
