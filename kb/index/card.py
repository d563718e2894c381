"""What triage and search need to know of a signature, small enough to be read in a fraction of a millisecond."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from kb.failures.model import Role
from kb.signature.words import words

if TYPE_CHECKING:
    # Reading a card must not load what making one needs: triage reads, and its start-up counts.
    from kb.knowledge.model import Knowledge, SignatureKnowledge

_FRAMES = 3
_SESSIONS = 20


class CardFix(NamedTuple):
    """A fix with its evidence over all sessions, without its texts."""

    slug: str
    title: str
    kind: str
    fixed: int
    progressed: int
    failed: int
    unverified: int
    lower_bound: float
    applies: str
    sessions: tuple[str, ...]


class NextSignature(NamedTuple):
    """What came after a fix was made: the signature with its title, and in how many sessions."""

    id: str
    after: str
    title: str
    sessions: int


class Card(NamedTuple):
    """A known signature. `fixes` are ranked but hold no texts; `words` are those it can be found by."""

    id: str
    title: str
    type: str
    template: str
    pattern: str
    context: str
    anchor: str
    role: Role
    seen: int
    last_seen: str
    sessions: tuple[str, ...]
    words: tuple[str, ...]
    fixes: tuple[CardFix, ...] = ()
    next: tuple[NextSignature, ...] = ()


def make_card(known: SignatureKnowledge, knowledge: Knowledge) -> Card:
    """The card of `known`; titles of what came next are looked up in `knowledge`."""
    signature = known.signature
    return Card(
        id=signature.id,
        title=signature.title,
        type=signature.type,
        template=signature.template,
        pattern=signature.pattern,
        context=signature.context,
        anchor=signature.anchor,
        role=known.role,
        seen=len(known.sessions),
        last_seen=known.last_seen,
        sessions=known.sessions[:_SESSIONS],
        words=_words(known),
        fixes=tuple(
            CardFix(
                fix.slug,
                fix.title,
                fix.kind,
                fix.fixed,
                fix.progressed,
                fix.failed,
                fix.unverified,
                fix.lower_bound,
                fix.applies,
                fix.sessions[:_SESSIONS],
            )
            for fix in known.fixes
        ),
        next=tuple(
            NextSignature(chain.after, chain.fix, _title(knowledge, chain.after), len(chain.sessions))
            for chain in known.next
        ),
    )


def similar_words(type_: str, template: str, functions: tuple[str, ...]) -> tuple[str, ...]:
    """The words by which similar failures find each other: type, template and the innermost functions."""
    return words(" ".join((type_, template, *functions[-_FRAMES:])))


def dump_card(card: Card) -> str:
    """The card as JSON, without the texts of its fixes."""
    row = card._asdict()
    row["fixes"] = [fix._asdict() for fix in card.fixes]
    row["next"] = [one._asdict() for one in card.next]
    return json.dumps(row, separators=(",", ":"))


def load_card(text: str) -> Card:
    """The card that `dump_card` wrote."""
    row = json.loads(text)
    row["sessions"], row["words"] = tuple(row["sessions"]), tuple(row["words"])
    row["fixes"] = tuple(CardFix(**{**fix, "sessions": tuple(fix["sessions"])}) for fix in row["fixes"])
    row["next"] = tuple(NextSignature(**one) for one in row["next"])
    return Card(**row)


def _words(known: SignatureKnowledge) -> tuple[str, ...]:
    frames = known.occurrences[0][1].failure.frames if known.occurrences else ()
    return similar_words(known.signature.type, known.signature.template, tuple(frame.function for frame in frames))


def _title(knowledge: Knowledge, signature_id: str) -> str:
    found = knowledge.signatures.get(signature_id)
    return found.signature.title if found else signature_id
