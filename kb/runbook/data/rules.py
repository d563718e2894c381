"""The rules by which the page finds known signatures in a pasted log, sharded by what is rare in each.

Every rule hangs on a key: two words that stand next to each other in each line that it matches, or one. The browser
hashes the words of the log once, looks the hashes up, and loads only the shards that may hold a rule for it; a rule is
then tried on the lines that hold its key.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from kb.failures.model import Role
from kb.knowledge.model import SignatureKnowledge
from kb.runbook.data.scripts import data_script, key_hash, packed
from kb.runbook.data.whose import whose
from kb.runbook.library import Library, best_fix, by_frequency, fix_title, was_primary
from kb.runbook.lines.line_rules import LineRule, line_rules
from kb.runbook.lines.parts import NAMES, as_row
from kb.runbook.phrases import day, helped, tries
from kb.runbook.urls import signature_url
from kb.runbook.visible import plain

#: How many rules one shard holds on average.
PER_SHARD = 40
#: A hash has so many bits more than are needed to count the rules: of so many words (a power of two) that no rule hangs
#: on, one loads a shard for nothing.
_SPARE_BITS = 11

#: What attempts ended in where a signature stood beside it: the most frequent.
_BESIDE = 8

Row = list[object]
Ends = Mapping[tuple[str, int], str]


class Ruled(NamedTuple):
    """What the browser is told of a signature, but for where it is filed: a rule, and the rest of its row."""

    rule: LineRule
    told: Row


def rule_files(library: Library) -> Iterator[tuple[str, str]]:
    """The files of rules: a name relative to the data folder, and the script's text.

    A row is `[key, url, title, role, parts, what must stand near, best fix, helped, tries, sessions, last seen, whether
    an attempt ended in it, what makes it surer, the addresses of what attempts ended in where it stood beside it, the
    rule's rank, the programs of its sessions where any program can print it (else 0), and what tells theirs from others
    (else 0), see whose.py]`; one without a key stands in the
    shard `any`, which is always loaded. Of parts, texts are literals, and numbers are gaps: `gaps` names them. What
    stands near is `[lines before, lines after, parts]`.
    """
    ends = _ends(library)
    each = (one for known in by_frequency(library.knowledge) for one in known.as_signed())
    yield from sharded(ruled for known in each for ruled in ruled_signature(library, known, ends))


def _ends(library: Library) -> Ends:
    """The signature that each attempt ended in, by session and number."""
    return {
        (name, one.attempt): one.signature.id
        for name, facts in library.knowledge.sessions.items()
        for one in facts.occurrences
        if one.primary
    }


def ruled_signature(library: Library, known: SignatureKnowledge, ends: Ends) -> Iterator[Ruled]:
    """The rules of one signature: they depend on nothing but the sessions that it occurs in."""
    rules = line_rules(known) if known.merged else library.lines[known.signature.id]
    if not rules:
        return
    signature, best = known.signature, best_fix(known)
    head: Row = [signature_url(signature.id), plain(signature.title), _role(known)]
    tail: Row = [
        plain(fix_title(library, best)) if best else "",
        helped(best) if best else 0,
        tries(best) if best else 0,
        len(known.sessions),
        day(known.last_seen),
        int(was_primary(known)),
    ]
    beside = Counter(ends.get((name, one.attempt), "") for name, one in known.occurrences if not one.primary)
    others = sorted((key for key in beside if key not in ("", signature.id)), key=lambda key: (-beside[key], key))
    under = [signature_url(key) for key in others[:_BESIDE]]
    named, apart = whose(known)
    for rule in rules:
        near, better = (
            [[one.before, one.after, as_row(one.parts)] for one in some] for some in (rule.near, rule.better)
        )
        yield Ruled(rule, [*head, as_row(rule.parts), near, *tail, better, under, rule.rank, named, apart])


def _role(known: SignatureKnowledge) -> Role:
    """The role by which it is told: what was only ever a symptom is one, also where nothing better was found."""
    roles = Counter(one.role for _, one in known.occurrences)
    return known.role if known.role != "root" or roles["root"] or not roles else roles.most_common(1)[0][0]


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
        "gaps": NAMES,
        "bits": bits,
        "keys": packed(hashes, bits),
    }
    yield "rules.js", data_script("rules", index)
    yield "rules/any.js", data_script("rules/any", anywhere)
    for number in range(shards):
        yield f"rules/{number}.js", data_script(f"rules/{number}", filed.get(number, []))
