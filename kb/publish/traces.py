"""What each page was made of when it was last made: a page none of whose sources changed is not even looked at."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from kb.atomic import write_text
from kb.home import Home
from kb.shipped import code_of

FILE = "site-traces.json"
#: Code that decides what a page says of its sources. What makes the sources is part of their digests.
_DECIDING = ("knowledge", "signature", "rules", "runbook")


class Trace(NamedTuple):
    """A plan as it was carried out: a digest of all that was looked up, what that was, the pages that it made."""

    digest: str
    notes: tuple[str, ...]
    urls: tuple[str, ...]


class Traces:
    """The traces of the last build; those of this one are added as it goes."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._before, self._texts = _load(file) if file else ({}, {})
        self._now: dict[str, Trace] = {}
        self._texts_now: dict[str, tuple[str, str]] = {}

    def before(self, name: str) -> Trace | None:
        """How the plan of this name was last carried out."""
        return self._before.get(name)

    def keep(self, name: str, trace: Trace) -> None:
        """Note how a plan was carried out."""
        self._now[name] = trace

    def text(self, session_id: str, digest: str) -> str | None:
        """What was made of a session when this was its digest; None when nothing was."""
        made, text = self._texts.get(session_id, ("", ""))
        return text if made == digest else None

    def keep_text(self, session_id: str, digest: str, text: str) -> None:
        """Note what was made of a session."""
        self._texts_now[session_id] = (digest, text)

    def save(self) -> None:
        """Write them down for the next build, if possible: losing them costs time only."""
        if self._file is None or (self._now, self._texts_now) == (self._before, self._texts):
            return
        kept = {"code": code(), "plans": self._now, "texts": self._texts_now}
        text = json.dumps(kept, separators=(",", ":"), ensure_ascii=True)
        try:
            self._file.parent.mkdir(exist_ok=True)
            write_text(self._file, text)
        except OSError:
            return


def traces_of(home: Home) -> Traces:
    """The traces kept beside the index of `home`."""
    return Traces(home.index.parent / FILE)


def code() -> str:
    """A hash of the code and the tables that decide what pages say."""
    return code_of(*_DECIDING)[:20]


def _load(file: Path) -> tuple[Mapping[str, Trace], Mapping[str, tuple[str, str]]]:
    try:
        kept = json.loads(file.read_text("utf-8"))
        if kept["code"] != code():
            return {}, {}
        plans = {str(name): _trace(*row) for name, row in kept["plans"].items()}
        return plans, {str(name): (str(digest), str(text)) for name, (digest, text) in kept["texts"].items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}, {}


def _trace(digest: str, notes: Collection[str], urls: Collection[str]) -> Trace:
    return Trace(str(digest), tuple(notes), tuple(urls))
