"""The rules by which the page finds known signatures in a pasted log, sharded by one rare word of each.

The browser hashes every word of the log once, looks the hashes up, and loads only the shards that may hold a rule for
it; the rule's pattern is then tried on the lines that hold its word.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from kb.knowledge.model import SignatureKnowledge
from kb.runbook.data.line_rules import LineRule, line_rule
from kb.runbook.data.scripts import data_script, packed, word_hash
from kb.runbook.library import Library, best_fix, by_frequency, fix_title, was_primary
from kb.runbook.phrases import day, helped, tries
from kb.runbook.urls import signature_url
from kb.runbook.visible import plain
from kb.signature.rule import CONTEXT_LINES

#: How many rules one shard holds on average.
PER_SHARD = 40

Row = list[object]


def rule_files(library: Library) -> Iterator[tuple[str, str]]:
    """The files of rules: a name relative to the data folder, and the script's text.

    A row is `[word hash, url, title, role, pattern, contexts, whether those may stand after the line, anchor, best fix,
    helped, tries, sessions, last seen, whether an attempt ended in it]`; one without a certain word stands in the shard
    `any`, which is always loaded. `near` is how far from its line a context may stand.
    """
    each = (one for known in by_frequency(library.knowledge) for one in known.as_signed())
    ruled = [(known, rule) for known in each if (rule := line_rule(known))]
    frequency = Counter(word for _, rule in ruled for word in set(rule.words))
    shards = 1
    while shards * PER_SHARD < len(ruled):
        shards *= 2
    rows: dict[int, list[Row]] = defaultdict(list)
    anywhere: list[Row] = []
    hashes: list[int] = []
    for known, rule in ruled:
        if not rule.words:
            anywhere.append(_row(library, known, rule, 0))
            continue
        chosen = word_hash(min(rule.words, key=lambda word: (frequency[word], -len(word), word)))
        hashes.append(chosen)
        rows[chosen % shards].append(_row(library, known, rule, chosen))
    index = {"shards": shards, "rules": len(ruled), "near": CONTEXT_LINES, "words": packed(hashes)}
    yield "rules.js", data_script("rules", index)
    yield "rules/any.js", data_script("rules/any", anywhere)
    for number in range(shards):
        yield f"rules/{number}.js", data_script(f"rules/{number}", rows.get(number, []))


def _row(library: Library, known: SignatureKnowledge, rule: LineRule, word: int) -> Row:
    signature = known.signature
    best = best_fix(known)
    return [
        word,
        signature_url(signature.id),
        plain(signature.title),
        known.role,
        rule.pattern,
        list(rule.contexts),
        int(rule.below),
        rule.anchor,
        plain(fix_title(library, best)) if best else "",
        helped(best) if best else 0,
        tries(best) if best else 0,
        len(known.sessions),
        day(known.last_seen),
        int(was_primary(known)),
    ]
