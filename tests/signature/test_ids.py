"""The ids of a version never change. Never edit the files in `ids/`: what alters an id is another version."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from kb.failures.find import find_failures
from kb.signature import algorithm
from kb.signature.sign import sign

KB1 = Path(__file__).with_name("ids") / "kb1.txt"


def entries(path: Path) -> list[tuple[str, str]]:
    """(id, output) of every entry."""
    _, *parts = ("\n" + path.read_text("utf-8")).split("\n§ ")
    found = []
    for part in parts:
        head, _, text = part.partition("\n")
        found.append((head.split(" ", 1)[0], text.strip("\n").replace("␛", "\x1b").replace("␍", "\r") + "\n"))
    return found


ENTRIES = entries(KB1)


@pytest.mark.parametrize(("expected", "text"), ENTRIES, ids=[one for one, _ in ENTRIES])
def test_an_id_of_this_version_never_changes(expected: str, text: str) -> None:
    found = find_failures(text)
    assert found.primary is not None
    assert sign(found.failures[found.primary]).id == expected


def test_the_file_of_ids_is_the_one_that_was_written_when_the_version_was_made() -> None:
    """A change of this hash means that the file was edited: make another version instead (kb/signature/algorithm.py)."""
    assert len(ENTRIES) >= 200
    assert hashlib.sha256(KB1.read_bytes()).hexdigest()[:16] == "8ac2653612210790"
    assert algorithm.CURRENT.version == "kb1"
