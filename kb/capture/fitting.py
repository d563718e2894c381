"""Making what a program printed fit into a record: the beginning and the end stay, what lies between is counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kb.capture.entry import Entry
from kb.record.model import Console, Fix, Log, Step

#: The longest body that a step brings into a record, in characters.
LONGEST = 32_000
#: A body takes at most this share of the room that is left, so that later ones find some too.
_SHARE = 4
#: The shortest that a body is cut to.
_SHORTEST = 1_000
_LEFT_OUT = "The patch is too large for the record and was left out."


def shortened(entry: Entry, room: int) -> Iterator[Entry]:
    """`entry` for a record that has `room` bytes left, and then with shorter and shorter bodies."""
    limit = max(_SHORTEST, min(LONGEST, room // _SHARE))
    while limit >= _SHORTEST:
        yield replace(entry, steps=tuple(cut_step(step, limit) for step in entry.steps))
        limit //= 4


def cut_middle(text: str, limit: int) -> str:
    """`text` in about `limit` characters: whole lines from its beginning and twice as many from its end."""
    if len(text) <= limit:
        return text
    lines = text.split("\n")
    head, tail = [], []
    room = limit // 3
    for line in lines:
        if len(line) + 1 > room:
            break
        head.append(line)
        room -= len(line) + 1
    room = limit - limit // 3
    for line in reversed(lines[len(head) :]):
        if len(line) + 1 > room:
            break
        tail.append(line)
        room -= len(line) + 1
    left_out = len(lines) - len(head) - len(tail)
    if not head and not tail:
        half = limit // 2
        return f"{text[:half]}[... {len(text) - 2 * half} characters left out ...]{text[-half:]}"
    return "\n".join([*head, f"[... {left_out} lines left out ...]", *reversed(tail)])


def cut_step(step: Step, limit: int) -> Step:
    """`step` with its bodies cut to about `limit` characters each."""
    if isinstance(step, Console | Log):
        return step.model_copy(update={"body": cut_middle(step.body, limit)})
    if isinstance(step, Fix):
        # A patch with a hole is none: it is left out whole, and the words say so.
        blocks = tuple(block for block in step.blocks if len(block.body) <= limit)
        lost = len(step.blocks) - len(blocks)
        said = (
            f"{step.prose}\n\nThe patch is too large for the record and was left out.".strip() if lost else step.prose
        )
        return step.model_copy(update={"blocks": blocks, "prose": said})
    return step
