"""What triage and search need to know of a signature, small enough to be read in a fraction of a millisecond."""

import json
from collections.abc import Iterable, Mapping
from itertools import islice
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from kb.failures.model import Failure, Role
from kb.index.alike import Alike, frame_words
from kb.index.squeeze import OF_CARDS, squeeze, unsqueeze

if TYPE_CHECKING:
    # Reading a card must not load what making one needs: triage reads, and its start-up counts.
    from kb.knowledge.model import Knowledge, RankedFix, SignatureKnowledge, Strength
    from kb.signature.model import Signature

_SESSIONS = 20
_CAUSES = 10
_OCCURRENCES = 10
_PLACES = 24
_VERSIONS = 5
#: As json.dumps does, which makes an encoder for each call.
_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
_DECODE = json.JSONDecoder().decode

_NOTHING: Mapping[str, tuple[str, ...]] = MappingProxyType({})


class CardFix(NamedTuple):
    """A fix with its evidence over all sessions, without its texts; `versions` are those of the sessions."""

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
    ended_by: tuple[str, ...] = ()
    ended_after: int = 0
    strength: "Strength" = ""
    together: tuple[str, ...] = ()
    last: str = ""
    versions: Mapping[str, tuple[str, ...]] = _NOTHING
    came_back: str = ""

    @property
    def components(self) -> tuple[str, ...]:
        """Those of the sessions that it was made in."""
        return tuple(self.versions)


_OF_FIX = attrgetter(*CardFix._fields)


class NextSignature(NamedTuple):
    """What came after a fix was made: the signature with its title (filled in when read), and in how many sessions."""

    id: str
    after: str
    title: str
    sessions: int


class Card(NamedTuple):
    """A known signature. `fixes` are ranked but hold no texts; `frames` are the places of its newest occurrences.

    Of one that sessions know as a symptom, `causes` are the ids of what their attempts ended in, the most frequent
    first. `signed` is the id that the rules gave to failures of this type and template, where people decided that they
    go by another one; `merged` tells that this card is not the signature's first.
    """

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
    frames: tuple[str, ...]
    fixes: tuple[CardFix, ...] = ()
    next: tuple[NextSignature, ...] = ()
    causes: tuple[str, ...] = ()
    signed: str = ""
    merged: bool = False
    attempt_seconds: float = 0
    attempts_timed: int = 0

    @property
    def key(self) -> str:
        """What the card is filed by in the index."""
        return f"{self.id}/{self.signed}" if self.merged else self.id


def make_cards(known: "SignatureKnowledge", knowledge: "Knowledge") -> list[Card]:
    """The card of `known`, and for each signature that was merged into it another one, by which it is known, too.

    The causes of a symptom are looked up in its sessions, as `knowledge` has them. Titles of what came next are left
    out: they may change with sessions that say nothing of this signature.
    """
    whole = _card(known, knowledge)
    return [whole, *(_by_merged(whole, known, signature) for signature in known.merged)]


def _by_merged(whole: Card, known: "SignatureKnowledge", signature: "Signature") -> Card:
    return whole._replace(
        type=signature.type,
        template=signature.template,
        pattern=signature.pattern,
        context=signature.context,
        anchor=signature.anchor,
        frames=_frames(known, signature.signed),
        signed=signature.signed,
        merged=True,
    )


def _card(known: "SignatureKnowledge", knowledge: "Knowledge") -> Card:
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
        frames=_frames(known, signature.signed),
        fixes=tuple(map(_card_fix, known.fixes)),
        next=tuple(NextSignature(chain.after, chain.fix, "", len(chain.sessions)) for chain in known.next),
        causes=_causes(known, knowledge) if known.role != "root" else (),
        signed=signature.signed,
        attempt_seconds=known.attempt_seconds or 0,
        attempts_timed=known.attempts_timed,
    )


def _card_fix(fix: "RankedFix") -> CardFix:
    versions = {name: each[:_VERSIONS] for name, each in fix.versions.items()}
    return CardFix._make(_OF_FIX(fix))._replace(sessions=fix.sessions[:_SESSIONS], versions=versions)


def _causes(known: "SignatureKnowledge", knowledge: "Knowledge") -> tuple[str, ...]:
    """The failures that the attempts with this symptom ended in, the most frequent first."""
    counts: dict[str, int] = {}
    for session, attempt in {(session, one.attempt): None for session, one in known.occurrences}:
        for other in knowledge.sessions[session].occurrences:
            if other.attempt == attempt and other.primary and other.signature.id != known.signature.id:
                counts[other.signature.id] = counts.get(other.signature.id, 0) + 1
    return tuple(sorted(counts, key=lambda key: (-counts[key], key))[:_CAUSES])


def dump_card(card: Card, common: bytes = OF_CARDS) -> bytes:
    """What has no column of its own, as JSON, compressed by what cards have in `common`."""
    return squeeze(say_card(card), common=common, beside=_beside(card.type, card.template, card.anchor))


def say_card(card: Card) -> str:
    """What has no column of its own, as JSON."""
    fixes = [(*fix[:-2], dict(fix.versions), fix.came_back) for fix in card.fixes]
    following = [(one.id, one.after, one.sessions) for one in card.next]
    row = (
        *(card.pattern, card.title, " ".join(card.frames), card.context, fixes, following),
        *(card.role, card.seen, card.last_seen, card.sessions, card.causes),
        *(card.signed, card.merged, card.attempt_seconds, card.attempts_timed),
    )
    return _ENCODE(row)


def load_card(id_: str, type_: str, template: str, anchor: str, said: bytes, *, common: bytes = OF_CARDS) -> Card:
    """The card that has these columns, and of which `dump_card` said the rest."""
    row = _loaded(type_, template, anchor, said, common)
    pattern, title, frames, context, fixes, following, role, seen, last_seen, sessions, causes, *rest = row
    return Card(
        id_.partition("/")[0],
        title,
        type_,
        template,
        pattern,
        context,
        anchor,
        role,
        seen,
        last_seen,
        tuple(sessions),
        tuple(frames.split()),
        tuple(map(_load_fix, fixes)),
        tuple(NextSignature(key, after, "", sessions) for key, after, sessions in following),
        tuple(causes),
        *rest,
    )


def pattern_of(type_: str, template: str, anchor: str, said: bytes, *, common: bytes = OF_CARDS) -> str:
    """The pattern of the card that has these columns."""
    return str(_loaded(type_, template, anchor, said, common)[0])


def alike_of(id_: str, type_: str, template: str, anchor: str, said: bytes, *, common: bytes = OF_CARDS) -> Alike:
    """What it is compared by."""
    return Alike(id_, type_, template, tuple(_loaded(type_, template, anchor, said, common)[2].split()))


def _loaded(type_: str, template: str, anchor: str, said: bytes, common: bytes) -> list[Any]:
    row: list[Any] = _DECODE(unsqueeze(said, common=common, beside=_beside(type_, template, anchor)))
    return row


def _beside(type_: str, template: str, anchor: str) -> bytes:
    return f"{anchor}\n{type_}: {template}".encode("utf-8", "replace")


def _load_fix(row: list[Any]) -> CardFix:
    *plain, sessions, ended_by, ended_after, strength, together, last, versions, came_back = row
    named = {name: tuple(each) for name, each in versions.items()}
    said = (*plain, tuple(sessions), tuple(ended_by), ended_after, strength, tuple(together), last, named, came_back)
    return CardFix._make(said)


def _frames(known: "SignatureKnowledge", signed: str) -> tuple[str, ...]:
    """The places of its newest occurrences, those of the newest first, where the rules gave this id ("": its own)."""
    return card_frames(one.failure for _, one in known.occurrences if one.signature.signed == signed)


def card_frames(failures: Iterable[Failure]) -> tuple[str, ...]:
    """The places of the first of these failures, each once; those of a failure the innermost first."""
    newest = [frame_words(reversed(failure.frames)) for failure in islice(failures, _OCCURRENCES)]
    return tuple(dict.fromkeys(place for places in newest for place in places))[:_PLACES]
