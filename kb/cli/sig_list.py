"""The decisions about signatures, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kb.cli.terminal import one_line, paint, wrap

if TYPE_CHECKING:
    from kb.record.decision import Decision


def decision_rows(decisions: Sequence[Decision]) -> list[dict[str, Any]]:
    """What `kb sig list --json` prints: of each decision its kind, what it says, and its file."""
    from kb.record.decision import kind_of
    from kb.signature.part import part_id

    rows: list[dict[str, Any]] = []
    for one in decisions:
        said = one._asdict()
        made = said.pop("made")
        row: dict[str, Any] = {"kind": kind_of(one), **said}
        if row["kind"] == "split":
            row["part"] = part_id(said["signature"], said["by"], said["text"])
        if row["kind"] == "merge":
            row["others"] = list(said["others"])
        rows.append(row | {"date": made.date, "decided_by": made.by, "why": made.why, "file": made.path})
    return rows


def decision_lines(decisions: Sequence[Decision], titles: Mapping[str, str]) -> Iterator[str]:
    """The lines of `kb sig list`; `titles` are those of the signatures that are known."""
    if not decisions:
        yield "nothing is decided about any signature"
    for one in decisions:
        yield from wrap(_said(one), indent="    ", first="")
        for name in _names(one):
            if name in titles:
                yield from wrap(f"{name} is: {one_line(titles[name])}", indent="      ", first="    ", lines=2)
            else:
                yield f"    {name}: no session shows it"
        made = one.made
        reasons = ", ".join(filter(None, (made.date, made.by and f"by {made.by}", made.why)))
        yield from wrap(one_line(reasons), indent="    ") if reasons else ()
        yield paint(f"    {one_line(made.path)}", dim=True)


def _said(decision: Decision) -> str:
    from kb.record.decision import Merge, Split
    from kb.signature.part import part_id

    if isinstance(decision, Merge):
        return f"merge {', '.join(decision.others)} into {decision.into}"
    if isinstance(decision, Split):
        what = "whose message holds" if decision.by == "message" else "whose innermost function is"
        part = part_id(decision.signature, decision.by, decision.text)
        called = f", called {one_line(decision.title)!r}" if decision.title else ""
        return f"split {part} off {decision.signature}: those {what} {one_line(decision.text)!r}{called}"
    return f"name {decision.signature}: {one_line(decision.title)}"


def _names(decision: Decision) -> tuple[str, ...]:
    from kb.record.decision import Merge

    return (decision.into,) if isinstance(decision, Merge) else (decision.signature,)
