"""ClusterFuzz's crash logs: the frames that identify the crash are in the signature, and stay when addresses move."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import NamedTuple

from result_table import Row, Table, share

from kb.failures.find import find_failures
from kb.failures.readers.native_frames import bare_name
from kb.signature.masking import mask, shown
from kb.signature.model import Signature
from kb.signature.sign import sign

FOLDER = "clusterfuzz-stacks"

_INNER = 20
#: ClusterFuzz cuts a state line after so many characters, the name of the file included.
_IN_FILE = re.compile(r"(?P<check>\S.*) in (?P<file>[\w.-]+)$")

_GIVEN = (
    Row("clusterfuzz 2.6.0, whose own data this is", (".926 (262/283)", "", "", ".878 (108/123)", ".996", "")),
    Row("first frames of `#n 0x… in f` (both halves)", ("", "", "", ".189", "", "")),
)


class Crash(NamedTuple):
    """A log with the state that ClusterFuzz's own tests expect: up to three lines."""

    file: str
    text: str
    state: tuple[str, ...]


def measure(folder: Path) -> Table:
    """State-line recall, exact state, stability under mutation, and different states under one signature."""
    crashes = read(folder)
    signed = {crash.file: _signature(crash.text) for crash in crashes}
    stated = [crash for crash in crashes if crash.state]
    lines = sum(len(crash.state) for crash in stated)
    held = sum(holds(signed[crash.file], line) for crash in stated for line in crash.state)
    bare = sum(names(signed[crash.file], line) for crash in stated for line in crash.state)
    recorded = sum(records(crash.text, line) for crash in stated for line in crash.state)
    exact = sum(_exact(signed[crash.file], crash.state) for crash in crashes)
    stable = sum(_id(_signature(mutated(crash.text))) == _id(signed[crash.file]) for crash in crashes)
    cells = (
        share(held, lines),
        share(bare, lines),
        share(recorded, lines),
        share(exact, len(crashes)),
        share(stable, len(crashes)),
        str(len(merged(crashes))),
    )
    return Table(
        name="ClusterFuzz stacks",
        size=f"{len(crashes)} crash logs with a stated crash state, {lines} state lines.",
        protocol="A state line counts when the primary's signature or variant holds it, as it is. Names only: without "
        "template arguments, which kb leaves out, and of a check (`x > 0 in a.cc`) the check and its file, numbers "
        "masked. In the failure: the same in the type, the message, the notes and the functions and files of the "
        f"innermost {_INNER} frames that the primary failure has, which a signature leaves out where the message says "
        "enough. Mutation replaces addresses, "
        "process ids and times by others of the same form. Merged: pairs of logs with one signature and different "
        "states.",
        columns=("state lines held", "names only", "in the failure", "state exact", "stable", "merged"),
        ours=(Row("kb, which knows no states", cells),),
        given=_GIVEN,
    )


def read(folder: Path) -> list[Crash]:
    """The logs whose state is asserted."""
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    return [
        Crash(
            one["file"],
            (folder / "logs" / one["file"]).read_text("utf-8", "replace"),
            tuple(line for line in one["state"].split("\n") if line.strip() and line != "NULL"),
        )
        for one in expected
        if one["state"] is not None
    ]


def holds(signature: Signature | None, line: str) -> bool:
    """Whether the signature names the line of a crash state."""
    if signature is None:
        return False
    return line in "\n".join((signature.type, signature.template, *signature.parts, signature.variant))


def names(signature: Signature | None, line: str) -> bool:
    """Whether the signature names the line without template arguments; of a check, the check and its file."""
    return all(holds(signature, part) or holds(signature, shown(mask(part).segments)) for part in _parts(line))


def records(text: str, line: str) -> bool:
    """Whether the primary failure names the line: in its words, or in its innermost frames."""
    found = find_failures(text)
    if found.primary is None:
        return False
    failure = found.failures[found.primary]
    inner = failure.frames[-_INNER:]
    said = "\n".join((failure.type, failure.message, *failure.notes, *(f"{f.function}\n{f.file}" for f in inner)))
    masked = shown(mask(said).segments)
    return all(part in said or shown(mask(part).segments) in masked for part in _parts(line))


def _parts(line: str) -> tuple[str, ...]:
    check = _IN_FILE.match(line)
    return (check["check"].removesuffix(" failed"), check["file"]) if check else (bare_name(line),)


def _exact(signature: Signature | None, state: tuple[str, ...]) -> bool:
    names = tuple(signature.variant.split(" < ")) if signature and signature.variant else ()
    return names == state


def merged(crashes: list[Crash]) -> list[tuple[str, str]]:
    """Pairs of logs that share a signature though their states differ; logs without a state are left out."""
    signed = [(crash, _id(_signature(crash.text))) for crash in crashes if crash.state]
    return [
        (one.file, other.file)
        for place, (one, mine) in enumerate(signed)
        for other, theirs in signed[:place]
        if mine and mine == theirs and one.state != other.state
    ]


def mutated(text: str) -> str:
    """`text` with other addresses, process ids and times of the same form; the same text gives the same result."""
    random_ = random.Random(7)
    swapped: dict[str, str] = {}

    def other(match: re.Match[str]) -> str:
        if match[0] not in swapped:
            swapped[match[0]] = _like(match[0], random_)
        return swapped[match[0]]

    return re.sub(r"\b0x[0-9a-fA-F]{5,16}\b|==\d+==|\b\d\d:\d\d:\d\d\b|\bpid \d+", other, text)


def _like(text: str, random_: random.Random) -> str:
    if text.startswith("0x"):
        return "0x" + "".join(random_.choice("123456789abcdef") for _ in text[2:])
    return re.sub(r"\d+", lambda match: "".join(random_.choice("12345") for _ in match[0]), text)


def _signature(text: str) -> Signature | None:
    found = find_failures(text)
    return None if found.primary is None else sign(found.failures[found.primary])


def _id(signature: Signature | None) -> str:
    return signature.id if signature else ""
