"""The first screen of a signature's page: what failed, in words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from runbook_factory import KIMI, small_knowledge

from kb.knowledge.model import SignatureKnowledge
from kb.runbook.first_screen import summary, what_words


def known_as(language: str, kind: str) -> SignatureKnowledge:
    known = small_knowledge()[0].signatures[KIMI.id]
    each = tuple(
        (session, replace(seen, failure=seen.failure._replace(language=language, kind=kind, process="")))
        for session, seen in known.occurrences
    )
    return replace(known, occurrences=each)


@pytest.mark.parametrize(
    ("language", "kind", "words"),
    [
        ("python", "exception", "A Python exception."),
        ("javascript", "exception", "A JavaScript exception."),
        ("cmake", "error", "A CMake error."),
        ("cuda", "error", "A CUDA error."),
        ("npm", "error", "An npm error."),
        ("c++", "crash", "A C++ crash."),
        ("elm", "error", "An Elm error."),
        ("", "signal", "A death by a signal."),
    ],
)
def test_a_language_is_written_as_it_writes_itself(language: str, kind: str, words: str) -> None:
    assert what_words(known_as(language, kind)) == words  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "back", ["As before: the port is taken.", "The same again; nothing else.", "Now it is the cache."]
)
def test_what_goes_on_from_another_session_is_not_the_summary(back: str) -> None:
    whole = "The port is taken by a server that did not stop. More of it."
    assert summary([back, whole]) == "The port is taken by a server that did not stop."
    assert summary([back]) == back
    assert summary(["The same allocation fails again.", whole]) == "The same allocation fails again."
    assert summary([]) == ""
