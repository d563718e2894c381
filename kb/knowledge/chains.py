"""What comes after what: the failures that one meets next, fix by fix, as a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from kb.knowledge.model import Chain, RankedFix, SignatureKnowledge

Lookup = Callable[[str], SignatureKnowledge | None]
Direction = Literal["next", "previous"]

#: Signatures that one tree shows at most: more cannot be read.
MOST = 200


@dataclass(frozen=True, slots=True)
class ChainNode:
    """A signature in a tree of chains, with the fix that led here and in how many sessions ("" and 0 at the root).

    `ended_by` are the fixes after which nothing failed any more, each with in how many of how many tries. `again` tells
    that the signature stands elsewhere in the tree, where its further ways are; `cut` that there was no room for them.
    """

    id: str
    title: str
    fix: str
    sessions: tuple[str, ...]
    ended_by: tuple[tuple[str, int, int], ...]
    ways: tuple[ChainNode, ...]
    again: bool = False
    cut: bool = False


def chain_tree(lookup: Lookup, signature_id: str, direction: Direction) -> ChainNode:
    """The tree of what came `next` after a signature, or of what led to it (`previous`), the most frequent way first.

    Each signature is followed once, wherever it is nearest to the root, so that cycles end.
    """
    nearest, more = _nearest(lookup, signature_id, direction)
    return _node(lookup, signature_id, "", (), direction, nearest, frozenset(more))


def _nearest(lookup: Lookup, root: str, direction: Direction) -> tuple[dict[str, str], set[str]]:
    """For each signature that can be reached the one from which it is reached first; and those without room."""
    parent = {root: ""}
    waiting = [root]
    cut: set[str] = set()
    for here in waiting:
        for chain in _ways(lookup(here), direction):
            other = _end(chain, direction)
            if other in parent:
                continue
            if len(parent) >= MOST:
                cut.add(here)
                continue
            parent[other] = here
            waiting.append(other)
    return parent, cut


def _node(
    lookup: Lookup,
    key: str,
    fix: str,
    sessions: tuple[str, ...],
    direction: Direction,
    parent: dict[str, str],
    cut: frozenset[str],
) -> ChainNode:
    known = lookup(key)
    ways: list[ChainNode] = []
    followed: set[str] = set()
    for chain in _ways(known, direction):
        other = _end(chain, direction)
        if parent.get(other) == key and other not in followed:
            followed.add(other)
            ways.append(_node(lookup, other, chain.fix, chain.sessions, direction, parent, cut))
        elif other in parent:
            ways.append(ChainNode(other, _title(lookup(other), other), chain.fix, chain.sessions, (), (), again=True))
    ended = tuple(_ending(one) for one in known.fixes if one.fixed) if known and direction == "next" else ()
    return ChainNode(key, _title(known, key), fix, sessions, ended, tuple(ways), cut=key in cut)


def _ways(known: SignatureKnowledge | None, direction: Direction) -> tuple[Chain, ...]:
    if known is None:
        return ()
    return known.next if direction == "next" else known.previous


def _end(chain: Chain, direction: Direction) -> str:
    return chain.after if direction == "next" else chain.before


def _ending(fix: RankedFix) -> tuple[str, int, int]:
    return fix.slug, fix.fixed, fix.fixed + fix.progressed + fix.failed


def _title(known: SignatureKnowledge | None, key: str) -> str:
    return known.signature.title if known else key


def nodes_of(tree: ChainNode) -> Iterator[ChainNode]:
    """All nodes of a tree, each before its ways."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.ways))
