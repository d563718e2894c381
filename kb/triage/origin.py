"""Whether what is known of a failure comes from the reader's program, where the message does not tell.

Errors that the operating system words (a port in use, a refused connection) are the same in every program, while their
causes are not. Where the sessions say which program it was, and nothing shows that this is the one, such a message is
no match: it is a failure that another program met as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from kb.failures.lines import clean
from kb.failures.model import Failure
from kb.failures.tables import Choice
from kb.index.alike import frame_words
from kb.index.card import Card
from kb.signature.frames import program_frames

ANYONE = Path(__file__).with_name("anyone.txt")
PLATFORMS = Path(__file__).with_name("platforms.txt")

#: Lines of a log in which components are looked for: its head, and the failure's own report.
_HEAD = 2000
_REPORT = 500
_TOLD = 3
#: What a shell says names the program.
_NOT_THERE = re.compile(r"not found\b|not recognized")
_WORD = re.compile(r"[a-z0-9]")
_NAME = re.compile(r"\w[-._:/\\]\w|\d{2,}")


@cache
def _wordings() -> list[tuple[int, str]]:
    """The expressions of the table, with the numbers of their lines."""
    lines = enumerate(ANYONE.read_text("utf-8").splitlines(), 1)
    return [(number, line) for number, line in lines if line.strip() and not line.startswith("#")]


@cache
def anyone() -> Choice:
    """The messages that any program can print."""
    return Choice(ANYONE, _wordings())


@cache
def _of_the_system() -> re.Pattern[str]:
    """Whatever of the table stands anywhere in a message."""
    return re.compile("|".join(f"(?:{one})" for _, one in _wordings()))


@cache
def platforms() -> frozenset[str]:
    """Components that say nothing of which program it is."""
    lines = PLATFORMS.read_text("utf-8").splitlines()
    return frozenset(name for line in lines if not line.startswith("#") for name in line.split())


def anyones(type_: str, template: str) -> bool:
    """Whether any program can print this message."""
    return anyone().search(f"{type_}: {template}".lower()) is not None


def says_more(message: str) -> bool:
    """Whether a message names anything beside what the system says: a port, a file, a program that is not there."""
    lower = message.lower()
    if _NOT_THERE.search(lower):
        return True
    return _NAME.search(_beside(lower)) is not None


def says_less(card: Card, failure: Failure) -> bool:
    """Whether all that is known of `card` is what the system says, and `failure` says more: who met it, or on what.

    The pattern of such a card matches every line that ends in these words.
    """
    if not bare(card.type, card.template, card.pattern):
        return False
    named = f"{failure.type}: " if failure.type in failure.text else ""
    return _WORD.search(_beside(f"{named}{failure.message}".lower())) is not None


def bare(type_: str, template: str, pattern: str) -> bool:
    """Whether a signature says nothing but what the system says."""
    own = template if not pattern.startswith(type_) else f"{type_}: {template}"
    return anyones("", own) and not _WORD.search(_beside(own.lower()))


def _beside(lower: str) -> str:
    """What a message (in lower case) holds beside what the system says."""
    return _of_the_system().sub(" ", lower)


def caution(card: Card, failure: Failure, lines: Sequence[str]) -> str:
    """What to beware of when `card` matches, in words; "" when the program is the same, or the message says enough.

    `lines` are the raw lines of the log.
    """
    if not anyones(card.type, card.template):
        return ""
    if set(frame_words(program_frames(failure))) & set(card.frames):
        return ""
    named = programs(name for fix in card.fixes for name in fix.components)
    if named and _names(lines, failure, named):
        return ""
    said = "any program can print this message, and nothing shows that this is the program of the sessions"
    return f"{said} ({', '.join(named[:_TOLD])})" if named else said


def tells_program(card: Card) -> bool:
    """Whether anything that is known of `card` says which program its sessions are about."""
    return bool(card.frames or programs(name for fix in card.fixes for name in fix.components))


def programs(components: Iterable[str]) -> tuple[str, ...]:
    """Those of `components` that say which program it is, each once."""
    return tuple(dict.fromkeys(name for name in components if name.lower() not in platforms()))


def _names(lines: Sequence[str], failure: Failure, components: Sequence[str]) -> bool:
    """Whether the log names one of these components."""
    report = lines[max(failure.first_line - 1, 0) : failure.last_line][-_REPORT:]
    said = "\n".join(clean(line) for line in (*lines[:_HEAD], *report)).lower()
    spelled = (re.escape(name.lower()).replace(r"\-", "[-_]").replace("_", "[-_]") for name in components)
    return re.search(r"(?<![a-z0-9])(?:" + "|".join(spelled) + r")(?![a-z0-9])", said) is not None
