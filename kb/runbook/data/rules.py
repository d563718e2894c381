"""The rules by which the page finds known signatures in a pasted log, sharded by what is rare in each.

Every rule hangs on a key: two words that stand next to each other in each line that it matches, or one. The browser
hashes the words of the log once, looks the hashes up, and loads only the shards that may hold a rule for it; a rule is
then tried on the lines that hold its key.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kb.knowledge.model import SignatureKnowledge
from kb.runbook.data.line_rules import LineRule, line_rules
from kb.runbook.data.parts import NAMES, as_row
from kb.runbook.data.scripts import data_script, key_hash, packed
from kb.runbook.library import Library, best_fix, by_frequency, fix_title, was_primary
from kb.runbook.phrases import day, helped, tries
from kb.runbook.urls import signature_url
from kb.runbook.visible import plain
from kb.signature.rule import CONTEXT_LINES

#: How many rules one shard holds on average.
PER_SHARD = 40
#: A hash has so many bits more than are needed to count the rules: of so many words (a power of two) that no rule hangs
#: on, one loads a shard for nothing.
_SPARE_BITS = 11

Row = list[object]


class Ruled(NamedTuple):
    """What the browser is told of a signature, but for where it is filed: a rule, and the rest of its row."""

    rule: LineRule
    told: Row


def rule_files(library: Library) -> Iterator[tuple[str, str]]:
    """The files of rules: a name relative to the data folder, and the script's text.

    A row is `[key, url, title, role, parts, what must stand near, whether that may stand after the line, best fix,
    helped, tries, sessions, last seen, whether an attempt ended in it]`; one without a key stands in the shard `any`,
    which is always loaded. Of parts, texts are literals, and numbers are gaps: `gaps` names them. `near` is how far
    from its line a context may stand.
    """
    each = (one for known in by_frequency(library.knowledge) for one in known.as_signed())
    yield from sharded(ruled for known in each for ruled in ruled_signature(library, known))


def ruled_signature(library: Library, known: SignatureKnowledge) -> Iterator[Ruled]:
    """The rules of one signature: they depend on nothing but what is known of it."""
    rules = line_rules(known)
    if not rules:
        return
    signature, best = known.signature, best_fix(known)
    head: Row = [signature_url(signature.id), plain(signature.title), known.role]
    tail: Row = [
        plain(fix_title(library, best)) if best else "",
        helped(best) if best else 0,
        tries(best) if best else 0,
        len(known.sessions),
        day(known.last_seen),
        int(was_primary(known)),
    ]
    for rule in rules:
        yield Ruled(rule, [*head, as_row(rule.parts), [as_row(one) for one in rule.near], int(rule.below), *tail])


def sharded(ruled: Iterable[Ruled]) -> Iterator[tuple[str, str]]:
    """The files that hold these rules."""
    rows = [(tuple(one.rule.keys), one.told) for one in ruled]
    frequency = Counter(key for keys, _ in rows for key in keys)
    bits = min(32, max(16, len(rows).bit_length() + _SPARE_BITS))
    shards = 1
    while shards * PER_SHARD < len(rows):
        shards *= 2
    filed: dict[int, list[Row]] = defaultdict(list)
    anywhere: list[Row] = []
    hashes: set[int] = set()
    for keys, told in rows:
        if not keys:
            anywhere.append([0, *told])
            continue
        # How rare a key is counts by powers of two: one signature more hardly ever moves others to another shard.
        chosen = min(keys, key=lambda key: (frequency[key].bit_length(), " " not in key, -len(key), key))
        number = key_hash(chosen) >> (32 - bits)
        hashes.add(number)
        filed[number % shards].append([number, *told])
    index = {
        "shards": shards,
        "rules": len(rows),
        "near": CONTEXT_LINES,
        "gaps": NAMES,
        "bits": bits,
        "keys": packed(hashes, bits),
    }
    yield "rules.js", data_script("rules", index)
    yield "rules/any.js", data_script("rules/any", anywhere)
    for number in range(shards):
        yield f"rules/{number}.js", data_script(f"rules/{number}", filed.get(number, []))
