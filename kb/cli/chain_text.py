"""Chains as a tree of lines, and as a Mermaid flowchart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kb.cli.terminal import one_line, paint, wrap

if TYPE_CHECKING:
    from kb.knowledge.chains import ChainNode

#: What ends a label of Mermaid, or means something in it.
_SPECIAL = re.compile(r"[^\w .,:;/+=@-]")
_LABEL = 80


def tree_lines(onward: ChainNode, back: ChainNode) -> Iterator[str]:
    """The lines of `kb chain`: what comes next below the failure, and then what led to it."""
    yield from (
        paint(line, bold=True) for line in wrap(f"{onward.id}  {one_line(onward.title)}", indent="  ", first="")
    )
    if onward.ways or onward.ended_by:
        yield from _branches(onward, "", "by")
    else:
        yield "nothing is known to come after it, and no fix ended it"
    if back.ways:
        yield from ("", paint("What led to it", bold=True))
        yield from _branches(back, "", "left behind by")


def _branches(node: ChainNode, lead: str, how: str) -> Iterator[str]:
    ends = [f"fixed by {one_line(fix)} ({fixed} of {tries})" for fix, fixed, tries in node.ended_by]
    last = len(ends) + len(node.ways) + node.cut
    number = 0
    for text in ends:
        number += 1
        yield from _row(lead, text, last=number == last, colour="green")
    for way in node.ways:
        number += 1
        seen = f"{len(way.sessions)} session{'s' * (len(way.sessions) != 1)}"
        again = " (stands elsewhere in this tree)" if way.again else ""
        text = f"{how} {one_line(way.fix)} ({seen}): {way.id}  {one_line(way.title)}{again}"
        yield from _row(lead, text, last=number == last)
        yield from _branches(way, lead + ("   " if number == last else "│  "), how)
    if node.cut:
        yield from _row(lead, "and more, for which there is no room here", last=True)


def _row(lead: str, text: str, *, last: bool, colour: str = "") -> Iterator[str]:
    corner, below = ("└─ ", "   ") if last else ("├─ ", "│  ")
    for at, line in enumerate(wrap(text, indent=lead + below, first=lead + corner)):
        yield paint(line, colour) if at or colour else line


def mermaid_lines(onward: ChainNode, back: ChainNode) -> Iterator[str]:
    """A Mermaid flowchart of both trees; every text in it is made harmless."""
    names: dict[str, str] = {}
    edges: list[str] = []
    _edges(onward, names, edges, forward=True)
    _edges(back, names, edges, forward=False)
    yield "flowchart TD"
    for key, name in names.items():
        yield f"  {name}{key}"
    yield from dict.fromkeys(edges)


def _edges(node: ChainNode, names: dict[str, str], edges: list[str], *, forward: bool) -> None:
    """The edges of a tree in order; `names` maps the shape of each node, which holds its id, to its name."""
    waiting = [node]
    while waiting:
        here = waiting.pop(0)
        mine = _name(names, f'["{here.id}<br>{_label(here.title)}"]')
        for way in here.ways:
            other = _name(names, f'["{way.id}<br>{_label(way.title)}"]')
            start, end = (mine, other) if forward else (other, mine)
            edges.append(f'  {start} -- "{_label(way.fix)} ({len(way.sessions)})" --> {end}')
        waiting.extend(here.ways)
        if here.ended_by:
            fixed = _name(names, '(["fixed"])')
            edges.extend(
                f'  {mine} -- "{_label(fix)} ({done} of {tries})" --> {fixed}' for fix, done, tries in here.ended_by
            )


def _name(names: dict[str, str], shape: str) -> str:
    return names.setdefault(shape, f"n{len(names)}")


def _label(text: str) -> str:
    """`text` in a quoted label of Mermaid: what could end it or mean something there as a character code."""
    plain = one_line(text)
    plain = plain if len(plain) <= _LABEL else plain[: _LABEL - 1] + "…"
    return _SPECIAL.sub(lambda match: f"#{ord(match[0])};", plain)
