"""elastic-recheck hits: messages of one bug, seen in many CI runs, get one signature."""

from __future__ import annotations

import json
from pathlib import Path

from agreement import agreement
from result_table import Row, Table, digits, share

from kb.failures.find import find_failures
from kb.failures.lines import clean
from kb.failures.prefixes import peel
from kb.signature.masking import mask, shown
from kb.signature.sign import sign

FOLDER = "elastic-recheck-hits"

#: Its query matches several kinds of syslog lines, so it names no single failure.
_MIXED = "1226337"
_GIVEN = (
    Row("uuid, hex and digits masked", ("1.000", ".282", ".440", "21", "")),
    Row("first line, masked", (".976", ".453", ".619", "14", "")),
    Row("drain3 0.9.11 (clusters all messages)", ("1.000", ".285", ".443", "20", "")),
)


def measure(folder: Path) -> Table:
    """Pair precision, recall and F1 of the signatures, and how many there are."""
    hits = json.loads((folder / "messages.json").read_text("utf-8"))
    hits = [hit for hit in hits if hit["bug"] != _MIXED]
    bugs = [hit["bug"] for hit in hits]
    signed = [signature(hit["message"]) for hit in hits]
    found = agreement([one or first_line(hit["message"]) for one, hit in zip(signed, hits, strict=True)], bugs)
    recognised = share(sum(one is not None for one in signed), len(hits))
    cells = (digits(found.precision), digits(found.recall), digits(found.f1), str(found.groups), recognised)
    return Table(
        name="elastic-recheck",
        size=f"{len(hits)} messages of {len(set(bugs))} bugs (without bug {_MIXED}).",
        protocol="The signature of the primary failure is the group; where kb sees no failure, the masked first line.",
        columns=("pair P", "pair R", "pair F1", "groups", "failure seen"),
        ours=(Row("kb", cells),),
        given=_GIVEN,
    )


def signature(text: str) -> str | None:
    """The id of the primary failure's signature, or None when kb sees no failure."""
    found = find_failures(text)
    return None if found.primary is None else sign(found.failures[found.primary]).id


def first_line(text: str) -> str:
    """The first line that is not blank, without the prefixes that kb knows, masked."""
    line = next((line for line in text.split("\n") if line.strip()), "")
    return shown(mask(peel(clean(line)).text.strip()).segments)
