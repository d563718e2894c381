"""One session record to its facts: the slow half of a build, loaded only when a record changed."""

from __future__ import annotations

from kb.errors import Problem
from kb.knowledge.derive import derive
from kb.knowledge.identity import Identity
from kb.knowledge.model import SessionFacts
from kb.record.folder import read_bytes


def read_facts(data: bytes, path: str, identity: Identity) -> tuple[SessionFacts | None, tuple[Problem, ...]]:
    """What the record `data`, the content of the file `path`, teaches (None: nothing readable), and its problems."""
    session, problems = read_bytes(data, path)
    return (derive(session, path, identity) if session else None), problems
