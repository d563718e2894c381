"""One session record to its facts: the slow half of a build, loaded only when a record changed."""

from __future__ import annotations

from functools import cache

from kb.capture.redaction.policy import Policy
from kb.capture.redaction.redactor import Redactor
from kb.capture.redaction.stored import secrets_in
from kb.errors import Problem
from kb.knowledge.derive import derive
from kb.knowledge.identity import Identity
from kb.knowledge.model import SessionFacts
from kb.record.folder import read_bytes


def read_facts(
    data: bytes, path: str, identity: Identity, *, secrets: bool = True
) -> tuple[SessionFacts | None, tuple[Problem, ...]]:
    """What the record `data`, the content of the file `path`, teaches (None: nothing readable), and its problems.

    With `secrets`, a line that holds a secret is one of them: whoever reads the index or the site would read it.
    """
    session, problems = read_bytes(data, path)
    if secrets:
        problems = (*problems, *secrets_in(data.decode("utf-8", "surrogateescape"), path, _redactor()))
    return (derive(session, path, identity) if session else None), problems


def without_secrets(data: bytes, path: str) -> tuple[bytes, tuple[Problem, ...]]:
    """The content `data` of the file `path` with every secret taken out, and a problem for each line that held one."""
    text = data.decode("utf-8", "surrogateescape")
    problems = tuple(secrets_in(text, path, _redactor()))
    return (_redactor().text(text).encode("utf-8", "surrogateescape") if problems else data), problems


@cache
def _redactor() -> Redactor:
    return Redactor(Policy.SECRETS)
