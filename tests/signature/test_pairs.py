"""Real outputs that must get one signature, and real outputs that must not: no pair is wrong but the listed ones."""

from __future__ import annotations

from itertools import combinations

import pytest
from pairs import Group, groups, known_wrong

from kb.failures.find import find_failures
from kb.signature.sign import sign

GROUPS = groups()
WRONG = known_wrong()
FEWEST = 300


def identity(text: str) -> tuple[str, ...] | None:
    """The parts of the primary failure's signature."""
    found = find_failures(text)
    return sign(found.failures[found.primary]).parts if found.primary is not None else None


def wrong(group: Group) -> list[tuple[object, object]]:
    """The pairs of a group that are not as they must be."""
    found = [identity(text) for text in group.texts]
    if group.kind == "merge":
        return [(found[0], other) for other in found[1:] if other != found[0] or other is None]
    return [(one, other) for one, other in combinations(found, 2) if one == other]


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_what_is_one_failure_meets_and_what_is_not_stays_apart(group: Group) -> None:
    found = wrong(group)
    if group.name in WRONG:
        assert found, f"{group.name} is right now: take it off known-wrong.txt"
    else:
        assert not found


@pytest.mark.parametrize("kind", ["merge", "apart"])
def test_there_are_enough_pairs(kind: str) -> None:
    assert sum(group.pairs for group in GROUPS if group.kind == kind) >= FEWEST


def test_names_are_unique_and_the_list_of_wrong_ones_names_groups_and_is_short() -> None:
    names = [group.name for group in GROUPS]
    assert len(names) == len(set(names))
    assert set(WRONG) <= set(names)
    assert len(WRONG) <= len(names) // 20
    assert all(WRONG.values())
