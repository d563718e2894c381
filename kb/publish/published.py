"""What of a knowledge base is published: all that is indexed, but for sessions whose record holds a secret.

A page cannot be taken back once somebody has read it, so such a session is left out whole, with all that is known from
it alone, until `kb redact` has taken the secret out of its record.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass

from kb.errors import Problem
from kb.home import Home
from kb.index.build import build_index
from kb.index.store import open_store
from kb.knowledge.model import Knowledge
from kb.publish.records import Records

#: The problem of a record in which a secret stands.
CODE = "secret"


@dataclass(frozen=True, slots=True)
class Published:
    """What is published of `home`, the index of which is up to date: the digests of its sessions (of all that is
    derived from a record, and of where it lies), the paths of their records below its root, the problems of all
    records, and what was left out."""

    home: Home
    digests: Mapping[str, str]
    files: Mapping[str, str]
    problems: tuple[Problem, ...]
    left_out: tuple[str, ...]

    def knowledge(self) -> Knowledge:
        """All that is known from the sessions that are published."""
        with closing(open_store(self.home)) as store:
            return store.knowledge(without=self.left_out)

    def records(self) -> Records:
        """Their records, read when asked for."""
        return Records(self.home, self.files)


def published(home: Home) -> Published:
    """Bring the index of `home` up to date, and say what of it is published."""
    problems = build_index(home).problems
    with closing(open_store(home)) as store:
        sources = store.sources()
    secret = {problem.location.path for problem in problems if problem.code == CODE}
    shown = {session: (path, digest) for session, (path, digest) in sources.items() if path not in secret}
    return Published(
        home=home,
        # A page names the file of its record.
        digests={session: f"{digest} {path}" for session, (path, digest) in shown.items()},
        files={session: path for session, (path, _) in shown.items()},
        problems=problems,
        left_out=tuple(session for session in sources if session not in shown),
    )
