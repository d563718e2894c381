"""Rules for the tests of exporters: random literals, every kind of gap, and errors as real programs print them."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import NamedTuple

from kb.rules.model import Piece, Remedy, TriageRule
from kb.rules.portable import render
from kb.rules.samples import near_miss
from kb.signature.gaps import GAPS

#: What stands for a gap in a hit.
VALUES = {
    "number": "8.0.1", "numbers": "3, -4, 5", "size": "7.3 GiB", "hex": "0x7fA0", "hex-dashes": "1b4e28ba-2fa1", "word": "a/b:c",
    "words": "10:11:12 Nov", "url": "https://x.example/p?q=1", "path": "/srv/a b"[:6], "value": "'some \"value\"'", "name": "Qwen2VL_Config",
    "quote": "‘", "quoted": "two words", "rest": "any <thing> at all", "large-number": "1,234.5e-07", "large-size": "1,234.5 MiB",
    "quoted-path": "/srv/My Data/",
}  # fmt: skip

LATER = ("quoted", "large-number", "large-size", "quoted-path")

REAL: tuple[tuple[str, ...], ...] = (
    ("AttributeError: '", "@name", "Config' object has no attribute 'image_token_index'"),
    ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate ", "@size", ". GPU "),
    ("RuntimeError: mat1 and mat2 shapes cannot be multiplied (", "@number", "x3 and 4x"),
    ("error[E0308]: mismatched types in `main::<T>`"),
    ("panic: runtime error: index out of range [", "@number", "] with length "),
    ("java.lang.IllegalStateException: {} is not a valid state for <", "@word", "> | retry=$5^2"),
    ("ld: cannot find -lcudart: No such file or directory"),
    ("connect to 10.0.0.1 port 5432 \\ failed: Connection refused"),
    ("FATAL:  password authentication failed for user ", "@value", " at 100%"),
    ("npm ERR! code ERESOLVE ~ could not resolve #1 & @scope/pkg"),
)  # fmt: skip

#: What people or a hostile log may put into titles, fixes, components and tags.
HOSTILE = (
    "two\nlines\r\n# and a comment", "quotes \" ' ` and \\", "{{ .Labels }} {{ unclosed", "$1 ${x} $$ $(id) %d %{x} 100%",
    "]]> <![CDATA[ <b>&amp;", "*/ // # -- ; /* (group)", "- : ? [a] {b} !x &y *z | >", "\u202ertl\u202c \x00\x1b[31m\x07", "x" * 3000,
    "", "null", "../x", "a/b", "日本語", "' OR 1=1; --", "{" * 7, "ends in a backslash\\", "1e345678",
)  # fmt: skip

_PRINTABLE = "".join(map(chr, range(32, 127)))


class Case(NamedTuple):
    """A rule, a line that it must match, and one that it must not."""

    rule: TriageRule
    hit: str
    miss: str


def corpus(literals: int = 150, seed: int = 20261129) -> tuple[Case, ...]:
    """The same cases every time: `literals` random ones, each kind of gap, and those of `REAL`."""
    chance = random.Random(seed)
    cases = [_case(index, (_literal(chance, index),)) for index in range(literals)]
    # What came later stands last, so that the golden rules keep their numbers.
    for gap in (gap for gap in GAPS if gap not in LATER):
        cases.append(_case(len(cases), (f"gap of kind {gap} begins<", f"@{gap}", ">and this ends it")))
    for parts in REAL:
        cases.append(_case(len(cases), (parts,) if isinstance(parts, str) else parts))
    for gap in LATER:
        cases.append(_case(len(cases), (f"gap of kind {gap} begins<", f"@{gap}", ">and this ends it")))
    return tuple(cases)


def _literal(chance: random.Random, index: int) -> str:
    """Printable characters of all kinds in random order; some with a TAB or beyond ASCII, after a run that is plain."""
    text = "".join(chance.choice(_PRINTABLE) for _ in range(chance.randint(8, 30)))
    if index % 10 == 7:
        text += "\tq"
    if index % 10 == 3:
        text += "→é"
    return f"L{index} {text} unmistakable end {index}".strip()


def _case(index: int, parts: tuple[str, ...]) -> Case:
    pieces = tuple(Piece(GAPS[p[1:]].regex, True) if p.startswith("@") and p[1:] in GAPS else Piece(p) for p in parts)
    pieces = tuple(one for piece in pieces for one in _ascii(piece))
    hit = "".join(VALUES[p[1:]] if p.startswith("@") and p[1:] in GAPS else p for p in parts)
    literals = [piece.text for piece in pieces if not piece.open]
    rule = TriageRule(
        id=f"kb1-{_base32(index)}",
        title=f'Made failure {index}: {{{{braces}}}} <b>&amp; "quotes" `ticks` %d $x',
        type="MadeError",
        message="made",
        role="root",
        severity="error",
        component="vllm" if index % 2 else "torch",
        components=("vllm",),
        tags=("made",),
        pieces=pieces,
        pattern=render(pieces),
        anchor=max((run.strip() for text in literals for run in text.split("\t")), key=len),
        url=f"https://kb.example/s/kb1-{_base32(index)}/",
        remedy=Remedy("raise-the-limit", "Raise the limit to {{ 5 }} % & <more>.", "config", "worked in 5 of 6 tries"),
        sessions=1 + index % 3,
        first_seen="2026-01-02T00:00:00Z",
        last_seen="2026-11-29T00:00:00Z",
        examples=(hit,),
    )
    if index < 150 and index % 2:
        rule = _hostile(rule, HOSTILE[index // 2 % len(HOSTILE)])
    return Case(rule, hit, near_miss(rule))


def _hostile(rule: TriageRule, text: str) -> TriageRule:
    """`rule` with `text` wherever people's own words go."""
    return replace(
        rule, title=text, component=text, components=(text,), tags=(text,), remedy=Remedy("slug", text, text, text)
    )


def _ascii(piece: Piece) -> list[Piece]:
    """A literal beyond ASCII as the signature has it: its runs are gaps."""
    if piece.open or piece.text.isascii():
        return [piece]
    out: list[Piece] = []
    for char in piece.text:
        is_open = not char.isascii()
        if out and out[-1].open == is_open:
            out[-1] = out[-1] if is_open else Piece(out[-1].text + char)
        else:
            out.append(Piece("[^ -~]+" if is_open else char, is_open))
    return out


def _base32(number: int) -> str:
    letters = "abcdefghijklmnopqrstuvwxyz234567"
    out = ""
    for _ in range(10):
        out = letters[number % 32] + out
        number //= 32
    return out
