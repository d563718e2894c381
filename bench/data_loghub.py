"""LogHub-2k: lines of one template get one signature, lines of different templates different ones."""

from __future__ import annotations

import csv
from pathlib import Path

from agreement import Agreement, agreement, mean
from result_table import Row, Table, digits

from kb.failures.lines import clean
from kb.failures.prefixes import peel
from kb.signature.masking import mask, shown

FOLDER = "loghub-2k"

_GIVEN = (
    Row("content: digits replaced", (".607", ".559", ".836")),
    Row("content: hex, numbers, paths and quoted text masked", (".787", ".792", ".897")),
    Row("content: drain3 0.9.11 (clusters all lines)", (".901", ".866", ".997")),
    Row("raw: digits replaced", (".352", ".385", ".722")),
    Row("raw: hex, numbers, paths and quoted text masked", (".509", ".573", ".786")),
    Row("raw: drain3 0.9.11 (clusters all lines)", (".557", ".490", ".906")),
)


def measure(folder: Path) -> Table:
    """GA, FGA and pair F1, the mean over the systems, on the message alone and on the whole line."""
    content: list[Agreement] = []
    raw: list[Agreement] = []
    for path in sorted(folder.glob("*/*_structured.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        true = [row["EventId"] for row in rows]
        content.append(agreement([_template(row["Content"]) for row in rows], true))
        log = path.with_name(path.name.removesuffix("_structured.csv"))
        lines = log.read_text("utf-8", "replace").split("\n")[: len(rows)]
        raw.append(agreement([_template(peel(clean(line)).text) for line in lines], true))
    return Table(
        name="LogHub-2k",
        size=f"{len(content)} systems of 2,000 lines each.",
        protocol="The masked line is the group; mean over systems. Raw lines lose only the prefixes that kb knows; "
        "content is the message that the true format leaves.",
        columns=("GA", "FGA", "pair F1"),
        ours=(Row("kb, content", _cells(content)), Row("kb, raw", _cells(raw))),
        given=_GIVEN,
    )


def _template(text: str) -> str:
    return shown(mask(text.strip()).segments)


def _cells(found: list[Agreement]) -> tuple[str, ...]:
    return tuple(digits(mean([one[place] for one in found])) for place in (0, 1, 4))
