"""The index with very many signatures: how long it takes to build and to ask, how large it is, how well it answers.

    python bench/scale_index.py 1000 10000 100000            # 100,000: a quarter of an hour, 1 GB of disk
    python bench/scale_index.py --write 1000 10000 100000    # puts the tables into bench/README.md
    python bench/scale_index.py --keep FOLDER 100000         # leaves the base there, and uses one that is there

The sessions are made in memory, as `kb index` has them once it has read the records. A whole build is timed by the
clock on the wall, too, because several processes work on it; other times are CPU times inside the process, p50 and p99
over single questions.
"""

from __future__ import annotations

import argparse
import pickle
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from generate import sessions as records
from result_table import Row, Table, digits, markdown
from scale_base import Base, make_base
from scale_failures import failure
from scale_similar import Answers, ask, curve, percentile, share

from kb.index.build import build_index
from kb.index.schema import made_by
from kb.index.store import Store, open_store
from kb.signature.sign import sign
from kb.triage.find import search
from kb.triage.matching import matches
from kb.triage.similar import THRESHOLD
from kb.triage.versions import Versions

README = Path(__file__).with_name("README.md")
_BEGIN, _END = "<!-- scale: begin -->", "<!-- scale: end -->"
_ASKED = 1000
_CHANGES = 12


class Measured(NamedTuple):
    """One base: cells of the table of costs, and the answers with and without frames."""

    name: str
    cells: tuple[str, ...]
    framed: Answers
    bare: Answers


def measure(count: int, folder: Path) -> Measured:
    """Build a base of `count` signatures in `folder`, or take the one that is there, and ask it."""
    kept = folder / f"base-{made_by()[:12]}.pickle"
    if kept.is_file():
        base: Base = pickle.loads(kept.read_bytes())
    else:
        shutil.rmtree(folder, ignore_errors=True)
        base = make_base(folder, count)
        kept.write_bytes(pickle.dumps(base))
    build_index(base.home)  # takes over the times of the files
    unchanged = _times(3, lambda: build_index(base.home))
    changed = _times(_CHANGES, _change(base))
    store = open_store(base.home)
    framed, bare = (ask(store, base.ids, _ASKED, frames=frames) for frames in (True, False))
    exact, certain, text = _exact(store, base), _certain(store, base), _text(store, base)
    size = base.home.index.stat().st_size
    cells = (
        f"{len(base.ids):,}", f"{base.sessions:,}", f"{base.spent.wall:.0f} / {base.spent.cpu:.0f} s",
        f"{1000 * base.spent.cpu / base.sessions:.2f} ms", f"{unchanged[1]:.0f} ms",
        f"{changed[len(changed) // 2]:.0f} / {changed[-1]:.0f} ms", _both(exact, 3), _both(certain, 2),
        _both(framed.times, 1), _both(text, 1), f"{size / 2**20:.0f} MiB", f"{size / len(base.ids) / 1024:.1f} KiB",
        f"{_memory():.0f} MiB",
    )  # fmt: skip
    return Measured(f"{len(base.ids):,} signatures", cells, framed, bare)


def _change(base: Base) -> Callable[[], object]:
    """Write another session record and index it: the next one each time."""
    new = records(_CHANGES, _CHANGES, seed=5)

    def change() -> None:
        id_, text = next(new)
        (base.home.sessions / f"{id_}.md").write_text(text)
        built = build_index(base.home)
        assert built.changed == 1, built

    return change


def _exact(store: Store, base: Base) -> list[float]:
    keys = random.Random(3).sample(list(base.ids), min(_ASKED, len(base.ids)))
    return _times_of(keys, store.lookup_id)


def _certain(store: Store, base: Base) -> list[float]:
    """All that triage asks to call a failure known: id, template and patterns."""
    random_ = random.Random(4)
    picked = random_.sample(list(base.ids.values()), min(_ASKED, len(base.ids)))
    asked = [(found, sign(found)) for found in (failure(site, random_) for site in picked)]
    none = Versions([], {})
    return _times_of(asked, lambda one: matches(store, *one, [one[0].text], suggest=False, versions=none))


def _text(store: Store, base: Base) -> list[float]:
    """One to three words in a row of a message, as people type them."""
    random_ = random.Random(5)
    queries = []
    while len(queries) < 300:
        words = random_.choice(list(base.ids.values())).message.replace("\0", " ").split()
        at = random_.randrange(len(words))
        queries.append(" ".join(words[at : at + random_.randrange(1, 4)]))
    return _times_of(queries, lambda query: search(store, query))


def _times_of(asked: Sequence[object], answer: Callable[..., object]) -> list[float]:
    for one in asked[:20]:
        answer(one)  # what is loaded and compiled when it is first used is not what is asked here
    left = iter(asked)
    return _times(len(asked), lambda: answer(next(left)))


def _times(runs: int, act: Callable[[], object]) -> list[float]:
    """The CPU milliseconds of each run, ascending."""
    times = []
    for _ in range(runs):
        begun = time.process_time()
        act()
        times.append(1000 * (time.process_time() - begun))
    return sorted(times)


def _both(ordered: Sequence[float], places: int) -> str:
    return f"{percentile(ordered, 0.5):.{places}f} / {percentile(ordered, 0.99):.{places}f} ms"


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


COLUMNS = (
    "signatures", "sessions", "whole build (wall / CPU)", "its CPU per session", "nothing changed",
    "one session more (p50 / max)",
    "exact, by id", "id, template and patterns", "similar", "text", "file", "per signature", "memory",
)  # fmt: skip


def tables(measured: Sequence[Measured]) -> Iterator[str]:
    """The tables of all bases."""
    yield "#### Costs"
    yield ""
    yield "| signatures | " + " | ".join(one.cells[0] for one in measured) + " |"
    yield "| --- |" + " --- |" * len(measured)
    for at, column in enumerate(COLUMNS[1:], 1):
        yield f"| {column} | " + " | ".join(one.cells[at] for one in measured) + " |"
    yield ""
    rows = []
    for one in measured:
        for what, answers in (("with frames", one.framed), ("message only", one.bare)):
            cells = (*(digits(share(answers.held, name)) for name in ("first", "among")),)
            cells = (*cells, digits(share(answers.held, "known")), digits(share(answers.strange, "known")))
            rows.append(Row(f"{one.name}, {what}", cells))
    yield from markdown(
        Table(
            "Similar signatures, perturbed failures and strangers",
            f"{_ASKED} failures of the base (all of a smaller one), perturbed, and up to {_ASKED} strangers.",
            "right first, right among five: of the failures of the base; the last two: called known.",
            ("right first", "right among five", "known, of the base", "known, strangers"),
            tuple(rows),
        )
    )
    last = measured[-1]
    framed, bare = curve(last.framed), curve(last.bare)
    yield f"#### Accepting by score alone, {last.name}"
    yield ""
    yield f"Suggestions are shown from {THRESHOLD} on; none of them makes a failure known."
    yield ""
    yield "| threshold | with frames: true | with frames: false | message only: true | message only: false |"
    yield "| --- | --- | --- | --- | --- |"
    for (limit, *first), (_, *second) in zip(framed, bare, strict=True):
        cells = " | ".join(map(digits, (*first, *second)))
        yield f"| {f'**{limit:.2f}**' if limit == THRESHOLD else f'{limit:.2f}'} | {cells} |"


def main() -> None:
    """Measure every size in a process of its own, so that memory is that of one base."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("sizes", type=int, nargs="+")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        (size,) = options.sizes
        folder = options.keep / f"base-{size}" if options.keep else Path(tempfile.mkdtemp()) / "base"
        options.one.write_bytes(pickle.dumps(measure(size, folder)))
        return
    measured = []
    for size in options.sizes:
        with tempfile.NamedTemporaryFile() as answer:
            keep = ["--keep", str(options.keep)] if options.keep else []
            subprocess.run([sys.executable, __file__, "--one", answer.name, *keep, str(size)], check=True)
            measured.append(pickle.loads(Path(answer.name).read_bytes()))
    text = "\n".join(tables(measured))
    print(text)
    if options.write:
        before, _, rest = README.read_text("utf-8").partition(_BEGIN)
        README.write_text(f"{before}{_BEGIN}\n\n{text}\n{_END}{rest.partition(_END)[2]}", "utf-8")


if __name__ == "__main__":
    main()
