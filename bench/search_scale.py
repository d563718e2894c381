"""How long a search takes among very many signatures: CPU milliseconds within the process, by how it is asked.

    python bench/search_scale.py --signatures 100000

The knowledge base is that of scale.py's look-ups. Queries are made of its failures: the line with other values, two
words and a common one, an identifier whole, in part and with a mistake, common words alone, a filter with a word.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from scale_base import make_base
from scale_failures import Site, perturbed
from scale_similar import percentile

from kb.index.store import Store, open_store
from kb.triage.find import search

_COMMON = ("error", "failed", "value", "file", "not", "found", "expected", "load", "config", "token", "python", "line")


def queries(asked: Sequence[Site], random_: random.Random) -> dict[str, list[str]]:
    """The queries by how they are asked."""
    made: dict[str, list[str]] = {}
    for site in asked:
        failure = perturbed(site, random_, asked, frames=False)
        line = f"{failure.type}: {failure.message}".split("\n")[0]
        words = re.findall(r"\w{3,}", line)
        name = max(words, key=len)
        at = random_.randrange(1, max(2, len(name) - 1))
        common = random_.sample(_COMMON, 4)
        for how, text in (
            ("a pasted line", line),
            ("two of its words and a common one", " ".join([*random_.sample(words, min(2, len(words))), common[0]])),
            ("an identifier", name),
            ("a part of an identifier", name[1:-1]),
            ("an identifier with a mistake", name[:at] + name[at + 1 :]),
            ("a common word", common[0]),
            ("four common words", " ".join(common)),
            ("three letters", name[:3]),
            ("a filter and a word", f"component:python has:fix {name}"),
        ):
            made.setdefault(how, []).append(text)
    return made


def main(signatures: int, count: int) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        base = make_base(Path(folder) / "base", signatures)
        size = base.home.index.stat().st_size / 2**20
        random_ = random.Random(7)
        known = list(base.ids.values())
        made = queries(random_.sample(known, min(count, len(known))), random_)
        print(f"{len(base.ids)} signatures, {base.sessions} sessions, index of {size:.0f} MiB\n")
        print("| how it is asked | p50 | p99 | longest |\n| --- | --- | --- | --- |")
        with open_store(base.home) as store:
            for how in made:  # loads what is loaded when it is first needed
                search(store, made[how].pop())
            everything = []
            for how, texts in made.items():
                times = sorted(_milliseconds(store, text) for text in texts)
                everything += times
                _row(how, times)
            _row("**all**", sorted(everything))


def _milliseconds(store: Store, text: str) -> float:
    begun = time.process_time()
    search(store, text)
    return 1000 * (time.process_time() - begun)


def _row(how: str, times: Sequence[float]) -> None:
    print(f"| {how} | {percentile(times, 0.5):.1f} ms | {percentile(times, 0.99):.1f} ms | {times[-1]:.1f} ms |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measure searches among many signatures.")
    parser.add_argument("--signatures", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=100, help="of each kind")
    options = parser.parse_args()
    main(options.signatures, options.queries)
