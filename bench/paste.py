"""How fast the site's box reads a log, in Chromium: its matcher on 1 MB and 5 MB, with very many known signatures.

    python bench/paste.py --signatures 10000 100000

The rules are written by the code that writes those of a site, for failures as scale.py has them. The log is all logs
of the tests' golden cases, again and again, with 28 of the failures printed anew between them, as far as kb signs them
alike. Beside it, in the same page, stands the plain way: every signature's longest literal looked for with
String.includes, and its regular expression tried where that stands. Bytes are those of the files, each gzipped.

Warm means that the scripts have run and the data of the shards that this log needs are in memory: a run whose time is
not told comes before. First is that run, without what a network would take. Times are those of the page's clock (the
median and the least) and the CPU time of the page's thread, which other work on the machine hardly changes.
"""

from __future__ import annotations

import argparse
import gzip
import random
import re
import shutil
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from scale_failures import Site, failure, sites

from kb.failures.model import Failure
from kb.knowledge.model import Knowledge, Occurrence, RankedFix, SignatureKnowledge
from kb.runbook.data.rules import Ruled, ruled_signature, sharded
from kb.runbook.library import make_library
from kb.signature.pattern import anchor, render
from kb.signature.sign import sign

ROOT = Path(__file__).parent.parent
SCRIPTS = ROOT / "site" / "docs" / "assets" / "kb"
PLANTED = 28
RUNS = 30

#: Finds, and remembers the files that it asked for.
FIND = """async ([text, runs]) => {
    const times = [];
    let result;
    for (let run = 0; run <= runs; run++) {
        const start = performance.now();
        result = await kbMatcher.find(text, loadData);
        times.push(performance.now() - start);
    }
    return { times, found: result.found.map((one) => one.url), steps: result.steps, complete: result.complete };
}"""
PLAIN = """([text, rules]) => {
    const start = performance.now();
    let found = 0;
    for (const [literal, pattern] of rules) if (text.includes(literal) && new RegExp(pattern).test(text)) found++;
    return [performance.now() - start, found];
}"""


def known_failure(number: int, site: Site, random_: random.Random) -> SignatureKnowledge:
    """A signature that one session met, with a fix that helped."""
    found = failure(site, random_)
    frames = [f'  File "{one.file}", line {one.line}, in {one.function}' for one in found.frames]
    excerpt = "\n".join(["Traceback (most recent call last):", *frames, found.text])
    seen = Occurrence(sign(found), found, 1, "root", True, excerpt, len(frames) + 1)
    fix = RankedFix(f"fix-{number}", f"Set option {number} first", "config", 1, 0, 0, 0, 0.2, "", ("s",), "2026-11-02")
    return SignatureKnowledge(
        seen.signature, "root", False, ((f"s{number}", seen),), (fix,), (), (), (f"s{number}",), "", "2026-11-02", {}
    )


def printed(found: Failure) -> Iterator[str]:
    """The traceback of a failure."""
    yield "Traceback (most recent call last):"
    for frame in found.frames:
        yield f'  File "{frame.file}", line {frame.line}, in {frame.function}'
    yield f"{found.type}: {found.message}"


def make_log(size: int, planted: Sequence[Failure], random_: random.Random) -> str:
    """So many characters of real logs with these failures between them."""
    real = [path.read_text("utf-8", "replace") for path in sorted((ROOT / "tests/failures/golden").rglob("*.log"))]
    lines: list[str] = []
    length = 0
    for number in range(10**6):
        more = real[number % len(real)].split("\n")
        lines += more
        length += sum(map(len, more)) + len(more)
        if length >= size:
            break
    for found in planted:
        at = random_.randrange(len(lines))
        lines[at:at] = printed(found)
    return "\n".join(lines)


def warm(page: Any, text: str) -> tuple[Any, str]:
    """The answer to a log that was asked before, and how long it takes, in words."""
    page.evaluate(FIND, [text, 0])
    clock = page.context.new_cdp_session(page)
    clock.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = busy(clock)
    answer = page.evaluate(FIND, [text, RUNS - 1])
    cpu = (busy(clock) - before) / RUNS
    times = answer["times"]
    return answer, f"{cpu:.0f} ms of CPU, {statistics.median(times):.0f} by the clock (least {min(times):.0f})"


def busy(clock: Any) -> float:
    """How long the page's thread has run its tasks, in milliseconds of CPU."""
    every = clock.send("Performance.getMetrics")["metrics"]
    return float(next(one["value"] for one in every if one["name"] == "TaskDuration")) * 1000


def measure(page: Any, count: int) -> None:
    """Print the figures for so many signatures."""
    random_ = random.Random(5)
    every = sites(count)
    known = [known_failure(number, site, random_) for number, site in enumerate(every)]
    library = make_library(Knowledge({}, {one.signature.id: one for one in known}), {})
    begun = time.process_time()
    ruled: list[Ruled] = [one for each in known for one in ruled_signature(library, each, {})]
    making = time.process_time() - begun
    files = dict(sharded(ruled))
    print(f"\n## {count:,} signatures, {len(ruled):,} rules")
    print(f"rules: {1000 * making / count:.3f} ms CPU a signature; files {time.process_time() - begun - making:.2f} s")
    sizes = {name: len(gzip.compress(text.encode())) for name, text in files.items()}
    shards = sorted(size for name, size in sizes.items() if name.startswith("rules/") and name != "rules/any.js")
    print(f"words {sizes['rules.js']:,} B, any {sizes['rules/any.js']:,} B, a shard {shards[len(shards) // 2]:,} B"
          f" (largest {shards[-1]:,}), gzipped")  # fmt: skip
    asked: list[str] = []

    def read(name: str) -> str:
        asked.append(name)
        return files[f"{name}.js"]

    page.expose_function(f"read{count}", read)
    page.evaluate(
        f"""() => {{
            const known = new Map();
            globalThis.kbData = (name, value) => known.set(name, value);
            globalThis.loadData = async (name) => {{
                if (!known.has(name)) (0, eval)(await globalThis.read{count}(name));
                return known.get(name);
            }};
        }}"""
    )
    places = random_.sample(range(count), 3 * PLANTED)
    again = {at: failure(every[at], random_) for at in places}
    planted = [found for at, found in again.items() if sign(found).id == known[at].signature.id][:PLANTED]
    wanted = {f"s/{sign(found).id}/" for found in planted}
    one = list(printed(planted[0]))[-1]
    page.evaluate(FIND, [one, 0])
    print(f"one line, first: {sum(sizes[f'{name}.js'] for name in asked):,} B in {len(asked)} files")
    for size in (1_000_000, 5_000_000):
        text = make_log(size, planted, random_)
        asked.clear()
        first = page.evaluate(FIND, [text, 0])["times"][0]
        loaded = sum(sizes[f"{name}.js"] for name in asked)
        answer, told = warm(page, text)
        got = set(answer["found"])
        print(
            f"{len(text) / 1e6:.1f} MB: warm {told}, first {first:.0f} ms, {loaded:,} B in {len(asked)} files; "
            f"{len(got & wanted)} of {len(wanted)} planted, {len(got - wanted)} others, {answer['steps']:,} steps"
        )
    hostile = "\n".join(f"{'a' * 1900}{one}{'.' * 1900}" for _ in range(250))
    answer, told = warm(page, hostile)
    print(f"1 MB of {one[:20]!r} between dots: warm {told}, {answer['steps']:,} steps")
    text = make_log(1_000_000, planted, random_)
    plain = [(anchor(k.signature.segments), render(k.signature.segments)) for k in known[:10_000]]
    took, found = page.evaluate(PLAIN, [text, [rule for rule in plain if rule[0]]])
    print(f"includes and RegExp, 1.0 MB, {len(plain):,} signatures: {took:.0f} ms, {found} found")


def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=re.split(r"\n\n", __doc__ or "")[0])
    parser.add_argument("--signatures", type=int, nargs="+", default=[10_000])
    arguments = parser.parse_args()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for count in arguments.signatures:
            page = browser.new_page()
            for name in re.findall(r'"([a-z-]+\.js)"', (SCRIPTS / "matcher-worker.js").read_text("utf-8")):
                page.add_script_tag(path=SCRIPTS / name)
            measure(page, count)
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
