"""What the browser is told of messages that any program can print: whose they were, and when they are no match."""

from __future__ import annotations

import re
from typing import NamedTuple

from kb.failures.lines import clean
from kb.index.alike import frame_words
from kb.index.card import card_frames
from kb.knowledge.model import SignatureKnowledge
from kb.runbook.visible import plain
from kb.signature.frames import program_frames
from kb.triage.origin import anyones, bare, programs, says_more

#: So many programs are told of, so many messages of so many sessions, and so much of each; frames are looked for in the
#: newest occurrences.
_PROGRAMS, _MESSAGES, _SESSIONS, _LONGEST, _OCCURRENCES, _PLACES = 8, 5, 5, 300, 10, 12
#: What differs from run to run of a line that is the system's words alone; as site/docs/assets/kb/whose.js has it.
_VALUE = re.compile(r"\w*\d\w*")


class Whose(NamedTuple):
    """`named` are the programs of the sessions (0 where the message itself says enough).

    `apart` is 0, or `[whether anything says which program it was, places of the program's own frames, lines as they
    were printed where the message is nothing but the system's words (else 0), messages of the sessions that name a port
    or a file ...]`. By it the page decides as kb/triage/matching.py does for whole failures.
    """

    named: list[str] | int
    apart: list[object] | int


def whose(known: SignatureKnowledge) -> Whose:
    """What the browser is told of `known`."""
    signature = known.signature
    if not anyones(signature.type, signature.template):
        return Whose(0, 0)
    named = [plain(name) for name in programs(name for fix in known.fixes for name in fix.components)]
    newest = [one.failure for _, one in known.occurrences]
    tells = bool(named) or any(card_frames(newest))
    lines: list[str] | int = 0
    if bare(signature.type, signature.template, signature.pattern):
        printed = (plain(clean(one.text))[-_LONGEST:] for one in newest[:_OCCURRENCES])
        lines = list(dict.fromkeys(_VALUE.sub("0", line) for line in printed))[:_MESSAGES]
    if signature.signed or not (tells or lines):
        return Whose(named[:_PROGRAMS], 0)
    kept = set(card_frames(newest))
    own = (one for each in newest[:_OCCURRENCES] for one in frame_words(program_frames(each)))
    places = dict.fromkeys(one for one in own if one in kept)
    sessions = set(known.sessions[:_SESSIONS])
    said = (one.failure.message for session, one in known.occurrences if session in sessions)
    first = dict.fromkeys(plain(message.split("\n", 1)[0])[:_LONGEST] for message in said if says_more(message))
    return Whose(named[:_PROGRAMS], [int(tells), list(places)[:_PLACES], lines, *list(first)[:_MESSAGES]])
