"""The rules by which the page finds known signatures in a pasted log, sharded by one rare word of each.

The browser hashes every word of the log once, looks the hashes up, and loads only the shards that may hold a rule for
it; the rule's pattern is then tried on the lines that hold its word.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from kb.knowledge.model import SignatureKnowledge
from kb.runbook.data.scripts import data_script, packed, word_hash
from kb.runbook.library import Library, best_fix, by_frequency, fix_title, was_primary
from kb.runbook.phrases import day, helped, tries
from kb.runbook.urls import signature_url
from kb.runbook.visible import plain

#: How many rules one shard holds on average.
PER_SHARD = 40

_WORD = re.compile(r"[A-Za-z0-9_]{3,}")

Row = list[object]


def rule_files(library: Library) -> Iterator[tuple[str, str]]:
    """The files of rules: a name relative to the data folder, and the script's text.

    A row is `[word hash, url, title, role, pattern, context, anchor, best fix, helped, tries, sessions, last seen,
    whether an attempt ended in it]`; one without a certain word stands in the shard `any`, which is always loaded.
    """
    ruled = [known for known in by_frequency(library.knowledge) if known.signature.pattern]
    frequency = Counter(word for known in ruled for word in set(certain_words(known.signature.anchor)))
    shards = 1
    while shards * PER_SHARD < len(ruled):
        shards *= 2
    rows: dict[int, list[Row]] = defaultdict(list)
    anywhere: list[Row] = []
    hashes: list[int] = []
    for known in ruled:
        words = certain_words(known.signature.anchor)
        if not words:
            anywhere.append(_row(library, known, 0))
            continue
        chosen = word_hash(min(words, key=lambda word: (frequency[word], -len(word), word)))
        hashes.append(chosen)
        rows[chosen % shards].append(_row(library, known, chosen))
    yield "rules.js", data_script("rules", {"shards": shards, "rules": len(ruled), "words": packed(hashes)})
    yield "rules/any.js", data_script("rules/any", anywhere)
    for number in range(shards):
        yield f"rules/{number}.js", data_script(f"rules/{number}", rows.get(number, []))


def certain_words(anchor: str) -> tuple[str, ...]:
    """The words that stand whole in every line that holds `anchor`: those that do not touch its ends."""
    return tuple(match[0] for match in _WORD.finditer(anchor) if match.start() > 0 and match.end() < len(anchor))


def _row(library: Library, known: SignatureKnowledge, word: int) -> Row:
    signature = known.signature
    best = best_fix(known)
    return [
        word,
        signature_url(signature.id),
        plain(signature.title),
        known.role,
        signature.pattern,
        signature.context,
        signature.anchor,
        plain(fix_title(library, best)) if best else "",
        helped(best) if best else 0,
        tries(best) if best else 0,
        len(known.sessions),
        day(known.last_seen),
        int(was_primary(known)),
    ]
