"""The one box of the site, in Chromium: what a first answer costs, and how fast a log is answered.

    python bench/box.py --signatures 1000 10000 --rules 100000

Knowledge bases are made as scale_index.py makes them; only the data files are written, beside the box of an otherwise
empty site, and served with gzip. Each query is asked in a fresh browser context: nothing is in its cache. What a first
answer costs is counted by the server, so that it holds what the worker loads, too. Ranks are counted only of queries
that can mean one signature only, see box_queries.py. The peer is MiniSearch with the same texts in one index, as small
sites have it; it is left out where npm did not install it (npm install minisearch in .tools).

A log is handed to the page's worker and waited for. Cold: the worker is started, and loads the data that the log needs
from this machine. Warm: the worker runs, and those data are in its memory.
"""

from __future__ import annotations

import argparse
import gzip
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from box_queries import asked_of, rate
from playwright.sync_api import Browser, Page, sync_playwright
from scale_base import session_facts
from scale_failures import Site, failure, sites

from kb.home import Home
from kb.knowledge.gather import gather
from kb.knowledge.model import Knowledge, SessionFacts, SignatureKnowledge
from kb.publish.build import DATA, assemble
from kb.publish.output import replacing
from kb.publish.theme import make_theme
from kb.runbook.data.files import data_files
from kb.runbook.data.rules import rule_files
from kb.runbook.data.search.documents import documents
from kb.runbook.library import make_library

ROOT = Path(__file__).resolve().parents[1]
MINISEARCH = ROOT / ".tools" / "node_modules" / "minisearch" / "dist" / "umd" / "index.js"
CHROMIUM = "/usr/bin/chromium"
PLANTED = 28
LOG_SIZE = 2**20
RUNS = 30

_TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}

#: Milliseconds until a first answer stands in the page (something found, or that nothing was as it is typed), and until
#: all does; and by the clock of the machine when the first did.
_ASK = """async (text) => {
    const box = document.querySelector("#kb-paste");
    const area = box.querySelector("textarea");
    const said = () => box.querySelector(".kb-stat").textContent;
    const found = () => [...box.querySelectorAll(".kb-card-title, .kb-hit-title")];
    const shown = () => found().length || /as it is typed|nothing left|could not/.test(said());
    const done = () => /nothing left|could not/.test(said()) && !box.ariaBusy;
    const seen = new Promise((resolve) => {
        new MutationObserver((_, watching) => {
            if (!shown()) return;
            watching.disconnect();
            resolve([performance.now(), Date.now()]);
        }).observe(box, { subtree: true, childList: true, characterData: true });
    });
    const start = performance.now();
    area.value = text;
    area.dispatchEvent(new Event("input", { bubbles: true }));
    const [first, at] = await seen;
    while (!done()) await new Promise((resolve) => setTimeout(resolve, 5));
    const links = found().map((one) => one.getAttribute("href"));
    return { first: first - start, at, all: performance.now() - start, links };
}"""

_LOG = """async ([text, runs]) => {
    const times = [];
    let found = 0;
    for (let i = 0; i <= runs; i++) {
        const start = performance.now();
        found = (await kbFinder(text)).found.length;
        times.push(performance.now() - start);
    }
    return { cold: times[0], warm: times.slice(1), found };
}"""

_PEER = """async ([entries, asked]) => {
    const search = new MiniSearch({ fields: ["title", "text"], storeFields: ["title"], idField: "url" });
    search.addAll(entries);
    const index = JSON.stringify(search);
    const packed = new Blob([index]).stream().pipeThrough(new CompressionStream("gzip"));
    const bytes = (await new Response(packed).arrayBuffer()).byteLength;
    const start = performance.now();
    const loaded = MiniSearch.loadJSON(index, { fields: ["title", "text"], storeFields: ["title"], idField: "url" });
    const load = performance.now() - start;
    const options = { prefix: true, fuzzy: 0.2, boost: { title: 2 } };
    const each = asked.map((text) => {
        const begun = performance.now();
        const links = loaded.search(text, options).slice(0, 20).map((one) => one.id);
        return { links, took: performance.now() - begun };
    });
    return { bytes, load, each };
}"""


class Base(NamedTuple):
    """A site with nothing but the box and its data, and the sites whose signatures it knows."""

    folder: Path
    known: Mapping[str, Site]
    entries: Sequence[Mapping[str, str]]


def facts_of(every: Sequence[Site], known: dict[str, Site]) -> Iterator[SessionFacts]:
    """Sessions of three failures each."""
    random_ = random.Random(7)
    for number, at in enumerate(range(0, len(every), 3)):
        yield session_facts(every[at : at + 3], number, random_, known)


def make_base(folder: Path, count: int) -> Base:
    """A site of `count` signatures."""
    known: dict[str, Site] = {}
    library = make_library(gather(facts_of(sites(count), known)), {})
    site = empty_site(folder)
    for name, text in data_files(library):
        write(site, name, text or "")
    entries = [{"url": one.url, "title": one.title, "text": one.text} for one in documents(library)]
    return Base(site, known, entries)


def make_rules(folder: Path, count: int) -> Base:
    """A site that knows only the rules of `count` signatures: enough for logs."""
    random_ = random.Random(7)
    known: dict[str, Site] = {}
    signatures: dict[str, SignatureKnowledge] = {}
    for at, one in enumerate(sites(count)):
        facts = session_facts([one], at, random_)
        seen = facts.occurrences[0]
        id_ = seen.signature.id
        known.setdefault(id_, one)
        signatures[id_] = SignatureKnowledge(
            seen.signature, "root", False, ((facts.id, seen),), (), (), (), (facts.id,), facts.started, facts.ended, {}
        )
    site = empty_site(folder)
    for name, text in rule_files(make_library(Knowledge({}, signatures), {})):
        write(site, name, text)
    return Base(site, known, ())


def empty_site(folder: Path) -> Path:
    """The hand-written pages, and no knowledge."""
    (folder / "sessions").mkdir(parents=True)
    (folder / "kb.toml").write_text('name = "bench"\n')
    home = Home(folder)
    with replacing(home.public) as output:
        assemble(home, Knowledge({}, {}), {}, make_theme(home), output)
    return home.public


def write(site: Path, name: str, text: str) -> None:
    """Write a data file."""
    path = site / DATA / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


@contextmanager
def served(folder: Path, sent: list[tuple[float, int]] | None = None) -> Iterator[str]:
    """Serve a folder as a web server on the network does: with gzip. `sent` gets when, and how many bytes of data."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = folder / self.path.split("?")[0].lstrip("/")
            path = path / "index.html" if path.is_dir() else path
            body = gzip.compress(path.read_bytes(), 6) if path.is_file() else b""
            if sent is not None and DATA in self.path:
                sent.append((time.time(), len(body)))
            self.send_response(200 if path.is_file() else 404)
            self.send_header("Content-Type", _TYPES.get(path.suffix, "application/octet-stream"))
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@contextmanager
def fresh(browser: Browser, address: str) -> Iterator[Page]:
    """The home page in a browser that has never seen it."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(address, wait_until="load")
    yield page
    context.close()


def ask(browser: Browser, base: Base, count: int) -> None:
    """Print what each kind of query costs, and how often its answer is first and among the first ten."""
    random_ = random.Random(7)
    asked = asked_of(base.known, base.entries, random_.sample(sorted(base.known), count), random_)
    peers = peer(browser, base, [one.text for each in asked.values() for one in each])
    print(
        "| how it is asked | first answer | largest | until shown | all | of one signature | first | first ten "
        "| peer: first | first ten |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    place = 0
    sent: list[tuple[float, int]] = []
    with served(base.folder, sent) as address:
        for how, each in asked.items():
            told, sizes, sums = [], [], []
            for one in each:
                with fresh(browser, address) as page:
                    sent.clear()
                    said = page.evaluate(_ASK, one.text)
                told.append(said)
                sizes.append(sum(size for at, size in sent if at <= said["at"] / 1000) / 1000)
                sums.append(sum(size for _, size in sent) / 1000)
            links = [[link.split("/", 3)[-1] for link in said["links"]] for said in told]
            theirs = rate(peers[place : place + len(each)], each) if peers else ("", "")
            place += len(each)
            print(
                f"| {how} | {statistics.median(sizes):.0f} KB | {max(sizes):.0f} KB "
                f"| {statistics.median(said['first'] for said in told):.0f} ms "
                f"| {statistics.median(sums):.0f} KB, {statistics.median(said['all'] for said in told):.0f} ms "
                f"| {sum(one.unique for one in each)} of {len(each)} "
                f"| {' | '.join((*rate(links, each), *theirs))} |",
                flush=True,
            )


def peer(browser: Browser, base: Base, asked: Sequence[str]) -> list[list[str]]:
    """What MiniSearch finds, after a line on what it costs; nothing where it is not installed."""
    if not MINISEARCH.is_file():
        print("minisearch is not installed\n")
        return []
    page = browser.new_page()
    page.add_script_tag(content=MINISEARCH.read_text("utf-8"))
    said = page.evaluate(_PEER, [list(base.entries), list(asked)])
    took = [one["took"] for one in said["each"]]
    print(
        f"MiniSearch: {said['bytes'] / 1000:.0f} KB in one index, {said['load']:.0f} ms to load it, "
        f"a query {statistics.median(took):.1f} ms, at most {max(took):.0f} ms\n"
    )
    page.close()
    return [one["links"] for one in said["each"]]


def log(browser: Browser, base: Base, rules: int) -> None:
    """Print how long a log of 1 MB with some known failures takes."""
    random_ = random.Random(11)
    planted = [failure(base.known[id_], random_) for id_ in random_.sample(sorted(base.known), PLANTED)]
    lines = [f"{one.type}: {one.message}".split("\n")[0] for one in planted]
    words = " ".join(lines).replace("'", "").split()
    while sum(map(len, lines)) < LOG_SIZE:
        said = (
            " ".join(random_.choices(words, k=9))
            if random_.random() < 0.2
            else f"step {len(lines)} took 0.{len(lines)} s"
        )
        lines.append(f"2026-03-01 08:00:01,{random_.randrange(999):03} INFO [engine] {said}")
    random_.shuffle(lines)
    with served(base.folder) as address, fresh(browser, address) as page:
        told = page.evaluate(_LOG, ["\n".join(lines), RUNS])
    print(
        f"| {rules:,} | {told['cold']:.0f} ms | {statistics.median(told['warm']):.0f} ms "
        f"| {min(told['warm']):.0f} ms | {told['found']} |"
    )


def main(sizes: Sequence[int], rules: Sequence[int], count: int) -> None:
    """Print the tables."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        bases = {size: make_base(Path(name) / f"base{size}", size) for size in sizes}
        for base in bases.values():
            print(f"\n#### {len(base.known):,} signatures, {len(base.entries):,} pages to be found\n")
            ask(browser, base, count)
        more = {size: make_rules(Path(name) / f"rules{size}", size) for size in rules}
        print("\n| rules | a log of 1 MB, cold | warm, median | warm, least | known failures found |")
        print("| --- | --- | --- | --- | --- |")
        for size, base in {**bases, **more}.items():
            log(browser, base, size)
        browser.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measure the box of the site in Chromium.")
    parser.add_argument("--signatures", type=int, nargs="*", default=[1000, 10000])
    parser.add_argument("--rules", type=int, nargs="*", default=[100000], help="bases of rules only")
    parser.add_argument("--queries", type=int, default=8, help="of each kind")
    options = parser.parse_args()
    main(options.signatures, options.rules, options.queries)
