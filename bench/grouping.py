"""Which failures meet and which stay apart: both errors on the pairs of real outputs, and what a change does to them.

    python bench/grouping.py                          the errors
    python bench/grouping.py --against REVISION       and what changed since a revision of this repository
    python bench/grouping.py --save FILE              keep how the outputs are grouped now
    python bench/grouping.py --against FILE           and what changed since that was kept

The outputs are those of tests/signature/pairs, the golden logs, and, with `--cases FOLDER`, labelled cases (folders
with `input.log`; the number at the end of a name tells runs of one failure apart). A revision is taken out aside, and
its own code signs the same outputs.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))

from pairs import groups, known_wrong  # noqa: E402

_RUN = re.compile(r"-\d+$")
_SHOWN = 5


class State(NamedTuple):
    """How outputs are grouped: of each output its signature's parts, joined, by its name ("" where nothing failed)."""

    parts: Mapping[str, str]


class Errors(NamedTuple):
    """Pairs and how many are wrong: split (should meet), merged (should not)."""

    meet: int
    split: tuple[str, ...]
    apart: int
    merged: tuple[str, ...]


def outputs(cases: Path | None) -> Iterator[tuple[str, str]]:
    """Every output with its name."""
    for group in groups():
        for number, text in enumerate(group.texts, 1):
            yield f"{group.name} #{number}", text
    for log in sorted((ROOT / "tests" / "failures" / "golden").glob("*/input.log")):
        yield f"golden: {log.parent.name}", log.read_bytes().decode("utf-8", "replace")
    for log in sorted(cases.glob("*/*/input.log")) if cases else ():
        yield f"case: {log.parent.parent.name}/{log.parent.name}", log.read_bytes().decode("utf-8", "replace")


def signed(cases: Path | None) -> State:
    """How the code that Python finds groups the outputs."""
    from kb.failures.find import find_failures
    from kb.signature.sign import sign

    parts: dict[str, str] = {}
    for name, text in outputs(cases):
        found = find_failures(text)
        parts[name] = " | ".join(sign(found.failures[found.primary]).parts) if found.primary is not None else ""
    return State(parts)


def errors(state: State) -> Errors:
    """Both errors on the pairs, and on labelled cases, whose runs must meet and whose kinds must stay apart."""
    split: list[str] = []
    merged: list[str] = []
    meet = apart = 0
    for group in groups():
        found = [state.parts[f"{group.name} #{number}"] for number in range(1, len(group.texts) + 1)]
        if group.kind == "merge":
            meet += group.pairs
            split += [group.name for other in found[1:] if other != found[0] or not other]
        else:
            pairs = list(combinations(found, 2))
            apart += len(pairs)
            merged += [group.name for one, other in pairs if one == other]
    kinds: dict[str, list[str]] = {}
    for name, parts in state.parts.items():
        if name.startswith("case: ") and _RUN.search(name):
            kinds.setdefault(_RUN.sub("", name), []).append(parts)
    for name, found in kinds.items():
        meet += len(found) - 1
        split += [name for other in found[1:] if other != found[0]]
    for (one, first), (other, second) in combinations(kinds.items(), 2):
        apart += 1
        merged += [f"{one} and {other}"] if set(first) & set(second) - {""} else []
    return Errors(meet, tuple(split), apart, tuple(merged))


def told(found: Errors) -> Iterator[str]:
    """The errors as a page."""
    known = known_wrong()
    for what, names, total in (
        ("do not meet, but must", found.split, found.meet),
        ("meet, but must not", found.merged, found.apart),
    ):
        yield f"{len(names)} of {total} pairs {what} ({len(names) / total:.2%})"
        for name in dict.fromkeys(names):
            yield f"  {name}" + (f"\n    known: {known[name]}" if name in known else "")


def changes(before: State, now: State) -> Iterator[str]:
    """What of the groups of outputs became one, and what of them became several."""
    shared = [name for name in now.parts if name in before.parts]
    renamed = sum(before.parts[name] != now.parts[name] for name in shared)
    yield f"{renamed} of {len(shared)} outputs have another identity than before"
    for what, old, new in (("one group now", before, now), ("several groups now", now, before)):
        pieces: dict[str, dict[str, list[str]]] = {}
        for name in shared:
            if old.parts[name] and new.parts[name]:
                pieces.setdefault(new.parts[name], {}).setdefault(old.parts[name], []).append(name)
        found = [one for one in pieces.items() if len(one[1]) > 1]
        yield f"{len(found)} groups: {what}" if what.startswith("several") else f"{len(found)} {what} that were several"
        for parts, of in found:
            yield f"  {parts[:150]}"
            for piece, names in list(of.items())[:_SHOWN]:
                yield f"    {len(names)}x {piece[:120]} ({names[0]})"
    lost = [name for name in shared if before.parts[name] and not now.parts[name]]
    seen = [name for name in shared if now.parts[name] and not before.parts[name]]
    yield f"{len(lost)} show no failure any more, {len(seen)} show one now"
    yield from (f"  {name}" for name in [*lost[:_SHOWN], *seen[:_SHOWN]])


def state_of(against: str, cases: Path | None) -> State:
    """The state that was kept in a file, or that the code of a revision gives."""
    if Path(against).is_file():
        return State(json.loads(Path(against).read_text("utf-8")))
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        archive = subprocess.run(
            ["git", "archive", "--format=tar", against, "kb"], cwd=ROOT, check=True, stdout=subprocess.PIPE
        )
        tree.mkdir()
        subprocess.run(["tar", "x", "-C", tree], input=archive.stdout, check=True)
        kept = Path(folder) / "state.json"
        command = [sys.executable, str(Path(__file__).resolve()), "--save", str(kept), "--quiet"]
        command += ["--cases", str(cases)] if cases else []
        subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": str(tree)}, check=True)
        return State(json.loads(kept.read_text("utf-8")))


def main() -> int:
    """Print the errors and the changes; exit status 1 when a pair is wrong that is not listed as known."""
    parser = argparse.ArgumentParser(description="Which failures meet and which stay apart.")
    parser.add_argument("--against", metavar="REVISION|FILE", help="say what changed since then")
    parser.add_argument("--save", type=Path, metavar="FILE", help="keep how the outputs are grouped now")
    parser.add_argument("--cases", type=Path, metavar="FOLDER", help="labelled cases, too")
    parser.add_argument("--quiet", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    now = signed(options.cases.resolve() if options.cases else None)
    if options.save:
        options.save.write_text(json.dumps(now.parts, indent=0, ensure_ascii=False), "utf-8")
    if options.quiet:
        return 0
    found = errors(now)
    print("\n".join(told(found)))
    if options.against:
        print(f"\nAgainst {options.against}:")
        print("\n".join(changes(state_of(options.against, options.cases), now)))
    return 1 if {*found.split, *found.merged} - set(known_wrong()) else 0


if __name__ == "__main__":
    sys.exit(main())
