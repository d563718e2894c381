"""Signatures that a hurried reader could take for one another: of one type, with templates that share rare words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from kb.knowledge.model import SignatureKnowledge

#: How many look-alikes a signature has at most, and the share of common words from which two templates look alike.
MOST, SHARE = 4, 0.3

#: A word in more templates of one type than this tells nothing apart; leaving it out keeps the work linear.
COMMON = 40


def lookalikes(signatures: Mapping[str, SignatureKnowledge]) -> dict[str, tuple[str, ...]]:
    """The ids of the signatures that look like each one, the most alike first; none for a signature that stands alone.

    Two templates are as alike as the share of their words that both have (Jaccard).
    """
    words = {name: frozenset(known.signature.template.split()) for name, known in signatures.items()}
    holders: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name, known in signatures.items():
        for word in words[name]:
            holders[known.signature.type, word].append(name)
    out: dict[str, tuple[str, ...]] = {}
    for name, known in signatures.items():
        shared: Counter[str] = Counter()
        for word in words[name]:
            others = holders[known.signature.type, word]
            if len(others) <= COMMON:
                shared.update(others)
        del shared[name]
        scored = [(-len(words[name] & words[other]) / len(words[name] | words[other]), other) for other in shared]
        found = tuple(other for score, other in sorted(scored) if -score >= SHARE)[:MOST]
        if found:
            out[name] = found
    return out
