"""A library that notes what is looked up in it: a page is made again only when something that it was made of changed.

Code that makes pages declares nothing: whatever it reads is noted, and what it never read cannot change what it made.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, ItemsView, Iterator, KeysView, Mapping, ValuesView
from datetime import date
from types import MethodType
from typing import Any, cast

from kb.knowledge.staleness import A_WHILE, LONG
from kb.runbook.library import FixStory, Library, Made
from kb.runbook.page import content_key

#: The note of whoever looked at all there is.
ALL = "*"
SESSIONS, _SIGNATURES = "knowledge.sessions", "knowledge.signatures"
#: What is made of one record each.
_OF_RECORDS = frozenset({SESSIONS, "records", "kept"})
#: What is made of one signature each.
_OF_SIGNATURES = frozenset({_SIGNATURES, "lines"})
_NO_NOTE = frozenset({"knowledge"})


class Watch:
    """Notes what is read through `library`, and says by a digest of each note whether that has changed.

    `digests` are those of the sessions by id, over their record and all that is derived from it.
    """

    def __init__(self, library: Library, digests: Mapping[str, str]) -> None:
        self.notes: set[str] = set()
        #: What pages are made with instead of the library itself.
        self.library = cast(Library, _Watched(library, "", self.notes))
        self.names: Collection[str] = _Watching(library.knowledge.sessions, SESSIONS, self.notes)
        self.noted = library.noted
        self._under = library
        self._sessions = digests
        self._known: dict[str, str] = {}

    def digest(self, note: str) -> str:
        """A digest of what was read when `note` was taken, as it is now."""
        found = self._known.get(note)
        if found is None:
            found = self._known[note] = self._digest(note)
        return found

    def digest_of(self, notes: Collection[str]) -> str:
        """One digest for several notes."""
        whole = "\0".join([self._known.get(note) or self.digest(note) for note in sorted(notes)])
        return hashlib.sha256(whole.encode()).hexdigest()[:20]

    def _digest(self, note: str) -> str:
        if note == ALL:
            aliases = sorted(self._under.knowledge.aliases.items())
            return _short(*sorted(self._sessions.items()), *aliases)
        name, _, key = note.partition("|")
        if name == "today":
            return _age(self._under, key)
        value: Any = self._under
        for part in name.removesuffix("?").split("."):
            value = getattr(value, part)
        if name.endswith("?"):
            return str(int(key in value))
        if name in _OF_RECORDS:
            return self._sessions.get(key, "") if key in self._under.knowledge.sessions else ""
        if name in _OF_SIGNATURES:
            known = self._under.knowledge.signatures.get(key)
            # What is known of a signature depends on no other sessions than those that it occurs in.
            return _short(*(self._sessions.get(one, "") for one in known.sessions)) if known else ""
        if name == "fixes" and key in value:
            return self._fix(value[key])
        return _short(value.get(key) if "|" in note else value)

    def _fix(self, story: FixStory) -> str:
        """What is said of a fix depends on the sessions that made it and on what is known of what it was tried on."""
        against = (f"{one} {self.digest(f'{_SIGNATURES}|{one}')}" for one, _ in story.against)
        return _short(*(self._sessions.get(session, "") for session, _ in story.made), *against)


def _short(*content: object) -> str:
    return content_key(*content)[:20]


def _age(library: Library, last: str) -> str:
    """What a page may say of the age of evidence: it grows every day, but what is said of it hardly ever changes."""
    today = library.today(last)
    try:
        days = (today - date.fromisoformat(last[:10])).days if today else 0
    except ValueError:
        days = 0
    return f"{bool(today)} {days > A_WHILE} {days > LONG} {days // 365}"


class _Watched:
    """Stands for a value with mappings in its attributes; its methods run on this stand-in."""

    def __init__(self, under: object, name: str, notes: set[str]) -> None:
        self._under, self._name, self._notes = under, name, notes
        self._shared: dict[str, tuple[object, set[str]]] = {}

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._under, name)
        if callable(value):
            method = getattr(type(self._under), name)
            found: Any = MethodType(method, self)
        elif isinstance(value, Mapping) and name != "versions":
            found = _Watching(value, self._name + name, self._notes)
        elif name in _NO_NOTE:
            found = _Watched(value, f"{self._name}{name}.", self._notes)
        else:
            self._notes.add(self._name + name)
            return value
        # What stands for it notes all itself, and is found without asking here again.
        self.__dict__[name] = found
        return found

    def shared(self, key: str, make: Callable[[], Made]) -> Made:
        """What `make` makes, kept with its notes for the second who asks for it: there are two at most."""
        found = self._shared.pop(key, None)
        if found is None:
            before = self._notes.copy()
            self._notes.clear()
            found = self._shared[key] = make(), self._notes.copy()
            self._notes |= before
        made, notes = found
        self._notes |= notes
        return cast(Made, made)

    def today(self, last: str) -> date | None:
        """The day of the newest session, for whoever asks how old something of the day `last` is."""
        self._notes.add(f"today|{last}")
        return cast(Library, self._under).today(last)


class _Watching(Mapping[str, Any]):
    """A mapping that notes which of its keys are looked up."""

    __slots__ = ("_name", "_notes", "_under")

    def __init__(self, under: Mapping[str, Any], name: str, notes: set[str]) -> None:
        self._under, self._name, self._notes = under, name, notes

    def __getitem__(self, key: str) -> Any:
        self._notes.add(f"{self._name}|{key}")
        return self._under[key]

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key."""
        self._notes.add(f"{self._name}|{key}")
        return self._under.get(key, default)

    def __contains__(self, key: object) -> bool:
        self._notes.add(f"{self._name}?|{key}")
        return key in self._under

    def __iter__(self) -> Iterator[str]:
        self._notes.add(ALL)
        return iter(self._under)

    def __len__(self) -> int:
        self._notes.add(ALL)
        return len(self._under)

    def keys(self) -> KeysView[str]:
        """All keys."""
        self._notes.add(ALL)
        return self._under.keys()

    def values(self) -> ValuesView[Any]:
        """All values."""
        self._notes.add(ALL)
        return self._under.values()

    def items(self) -> ItemsView[str, Any]:
        """All keys with their values."""
        self._notes.add(ALL)
        return self._under.items()
