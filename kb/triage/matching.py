"""What the index knows of one failure, and how sure that is."""

from __future__ import annotations

from collections.abc import Container, Sequence

from kb.failures.lines import clean
from kb.failures.model import Failure
from kb.index.card import Card
from kb.index.newest import newest_versions
from kb.index.store import LONGEST_LINE, Store, holds
from kb.signature.model import Signature
from kb.signature.private import without_private
from kb.signature.rule import frames_follow, near
from kb.triage.fixes import known_fixes
from kb.triage.model import SAME_SIGNATURE, Cause, KnownFix, Level, Match, Next
from kb.triage.origin import caution, says_less, says_more, tells_program
from kb.triage.versions import Versions

#: Sessions whose evidence is read to tell whether a message that any program can print is from the same one.
_SESSIONS = 5


def matches(
    store: Store,
    failure: Failure,
    signature: Signature,
    lines: Sequence[str],
    *,
    suggest: bool,
    versions: Versions,
) -> tuple[Match, ...]:
    """The known signatures that this failure is; with `suggest`, those it resembles when it is none of them.

    `lines` are the raw lines of the log, `versions` those that fixes are judged by. What any program can print is known
    only where it may be the same program: what another one met is a suggestion.
    """
    known: dict[str, tuple[Card, Level, list[str]]] = {}
    exact = store.lookup_id(signature.id)
    if exact is not None:
        known[exact.id] = (exact, "exact", [_why_exact(signature)])
    for card in _same_template(store, failure, signature, lines):
        known.setdefault(card.id, (card, "template", []))[2].append("the same type and message but for variable parts")
    for card in _by_pattern(store, failure, signature, lines, known):
        known[card.id] = (card, "template", ["its own pattern matches this line"])
    careful = {key: caution(card, failure, lines) for key, (card, _, _) in known.items()}
    others: list[Card] = []
    if not signature.signed:  # else people decided what this failure is
        others = [
            card
            for key, (card, _, _) in known.items()
            if careful[key] and (_elsewhere(store, card, failure) or _says_less(card, failure, signature))
        ]
    certain = [
        _match(store, card, level, 1.0 if level == "exact" else 0.9, why, versions, careful[card.id])
        for card, level, why in known.values()
        if card not in others
    ]
    if certain or not suggest:
        return tuple(certain)
    return tuple(
        _match(store, card, "similar", score, [why], versions, caution(card, failure, lines))
        for card, score, why in _suggested(store, failure, signature, others)
    )


def _elsewhere(store: Store, card: Card, failure: Failure) -> bool:
    """Whether the sessions say which program they are about, and none of them has this message with the same values.

    The same port or path is a sign, too, where nothing in the log shows that the program is the same.
    """
    if not tells_program(card):
        return False
    if not says_more(failure.message):
        return True
    seen = (one for key in card.sessions[:_SESSIONS] if (facts := store.session(key)) for one in facts.occurrences)
    messages = {one.failure.message for one in seen if one.signature.id == card.id}
    return failure.message not in messages


def _says_less(card: Card, failure: Failure, signature: Signature) -> bool:
    """Whether the card's pattern matched only because the failure's line holds what the system says, among others."""
    same = (card.type, card.template) == (signature.type, signature.template)
    return not same and says_less(card, failure)


def _suggested(
    store: Store, failure: Failure, signature: Signature, others: Sequence[Card]
) -> list[tuple[Card, float, str]]:
    """What the failure resembles, those `others` first that another program met, by score, with the reason."""
    from kb.triage.similar import SHOWN, THRESHOLD, similar  # what is known needs no ranking, and start-up counts

    found = {card.id: (card, score, why) for card, score, why in similar(store, failure, signature)}
    same = [found.pop(card.id, (card, THRESHOLD, _why_same(card, failure))) for card in others]
    return [*same, *found.values()][:SHOWN]


def _why_same(card: Card, failure: Failure) -> str:
    return "what the system says is the same" if says_less(card, failure) else "the message is the same"


def _why_exact(signature: Signature) -> str:
    if not signature.signed:
        return SAME_SIGNATURE
    return f"the rules sign it as {signature.signed}, which people decided is this one"


def _decided_otherwise(card: Card, signature: Signature) -> bool:
    """Whether people told the card from just such failures, or merged or split it so that this failure is not it."""
    signed = signature.signed or signature.id
    return card.id != signature.id and signed in (card.id, card.signed)


def _same_template(store: Store, failure: Failure, signature: Signature, lines: Sequence[str]) -> list[Card]:
    """Signatures with the same type and template, where that says enough to be sure: else their frames must agree."""
    if not signature.template:
        return []
    cards = store.lookup_template(signature.type, signature.template)
    return [
        card
        for card in cards
        if card.pattern and not _decided_otherwise(card, signature) and _context_holds(card, failure, lines)
    ]


def _by_pattern(
    store: Store, failure: Failure, signature: Signature, lines: Sequence[str], known: Container[str]
) -> list[Card]:
    """Signatures, none `known`, whose own pattern matches the failure's line, as printed or as type and message.

    Those that sessions only know as symptoms are left out: what they wrap may be anything.
    """
    first = failure.message.split("\n", 1)[0]
    printed = (clean(failure.text), f"{failure.type}: {first}" if failure.type else first)
    # A value that holds a space is wider than the gap that stands for it once it was redacted.
    texts = dict.fromkeys((*printed, *map(without_private, printed)))
    found = {card.id: card for text in texts for card in store.lookup_pattern(text, known) if not _quoted(card, text)}
    return [
        card
        for card in found.values()
        if card.role == "root"
        and not _decided_otherwise(card, signature)
        and _same_type(card, failure)
        and _context_holds(card, failure, lines)
    ]


def _same_type(card: Card, failure: Failure) -> bool:
    """Whether both are of one type, or one of them has none of its own: an exception that quotes another is not it."""
    if failure.kind not in ("exception", "test") or not card.pattern.startswith(card.type):
        return True
    return failure.type.rsplit(".", 1)[-1] == card.type


def _quoted(card: Card, text: str) -> bool:
    """Whether `text` only quotes what the card's pattern matches: a test that expects it, a rule that looks for it."""
    at: list[int] = []
    holds(card.pattern, text[:LONGEST_LINE], at=at)
    return bool(at) and text[at[0] - 1 : at[0]] in ("'", '"', "`", "“", "‘")


def _context_holds(card: Card, failure: Failure, lines: Sequence[str]) -> bool:
    if not card.context:
        return True
    around = near(lines, failure.line - 1, below=frames_follow(failure.kind, failure.language))
    return any(holds(card.context, clean(line[: 2 * LONGEST_LINE])[:LONGEST_LINE]) for line in around)


def _fixes(store: Store, card: Card, versions: Versions) -> tuple[KnownFix, ...]:
    newest = newest_versions(store.db, (name for fix in card.fixes for name in fix.versions))
    return known_fixes(card.fixes, versions.for_fixes(card.fixes), newest)


def _match(
    store: Store, card: Card, level: Level, score: float, why: list[str], versions: Versions, careful: str
) -> Match:
    seen = f"seen in {card.seen} session" + ("" if card.seen == 1 else "s")
    return Match(
        id=card.id,
        title=card.title,
        level=level,
        score=score,
        why=(*why, *([careful] if careful else []), f"{seen}, last on {card.last_seen[:10]}"),
        fixes=_fixes(store, card, versions),
        next=tuple(Next(one.id, one.after, one.title) for one in card.next),
        causes=tuple(
            Cause(cause.id, cause.title, _fixes(store, cause, versions))
            for cause in map(store.lookup_id, card.causes)
            if cause is not None
        ),
        caution=careful,
        attempt_seconds=card.attempt_seconds,
        attempts_timed=card.attempts_timed,
    )
