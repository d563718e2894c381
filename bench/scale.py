"""How kb grows: indexing, an index that is up to date, and the site, with N sessions.

    python bench/scale.py --sessions 100 1000 10000

Each is given as CPU time, wall time and memory, and as a multiple of a peer measured in the same run: reading all
records with PyYAML's and markdown-it's parsers alone (for the index), and `mkdocs build` of the same records as they
are, as plain pages (for the site; left out above PLAIN sessions: it takes minutes). Sizes are those of kb's pages.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from generate import make
from measure import Cost, cost

KB = Path(sys.executable).with_name("kb")
MKDOCS = Path(sys.executable).with_name("mkdocs")
#: So many records are built as plain pages at most.
PLAIN = 2000
#: Folders of the site whose pages are written by hand.
WRITTEN = ("guide",)

_PARSE = """
import pathlib, sys, yaml
from markdown_it import MarkdownIt
from mdit_py_plugins.front_matter import front_matter_plugin
markdown = MarkdownIt("commonmark").use(front_matter_plugin)
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.md")):
    text = path.read_text()
    yaml.safe_load(text.split("---")[1])
    markdown.parse(text)
"""


def main(sessions: int, folder: Path) -> None:
    """Print one line a task."""
    base = folder / "base"
    make(base, sessions, sessions)
    size = sum(path.stat().st_size for path in (base / "sessions").iterdir()) / 2**20
    print(f"{sessions} sessions, {size:.1f} MiB")
    parsed = cost([sys.executable, "-c", _PARSE, base / "sessions"])
    indexed = cost([KB, "index"], base)
    again = cost([KB, "index"], base)
    built = cost([KB, "site", "build"], base)
    rebuilt = cost([KB, "site", "build"], base)
    with sorted((base / "sessions").iterdir())[sessions // 2].open("a") as record:
        record.write("\nIt came back once more.\n")
    changed = cost([KB, "site", "build"], base)
    sizes = _sizes(base / "public")
    pages = _plain(base / "sessions", folder / "plain") if sessions <= PLAIN else None
    print(f"{'task':<38} {'CPU':>9} {'wall':>9} {'memory':>10}  ratio")
    _line("parse all records (peer)", parsed)
    _line("kb index, from nothing", indexed, parsed)
    _line("kb index, nothing changed", again, parsed)
    if pages:
        _line("mkdocs build, records as pages (peer)", pages)
    _line("kb site build, from nothing", built, pages)
    _line("kb site build, nothing changed", rebuilt, pages)
    _line("kb site build, one session changed", changed, pages)
    print(f"{len(sizes):,} pages, median {statistics.median(sizes) / 1000:.1f} KB, largest {max(sizes) / 1000:.1f} KB")


def _sizes(site: Path) -> list[int]:
    """The size of each page of kb in bytes."""
    pages = (page for page in site.rglob("*.html") if page.relative_to(site).parts[0] not in WRITTEN)
    return [page.stat().st_size for page in pages]


def _plain(records: Path, folder: Path) -> Cost:
    """What the same records cost as pages of MkDocs; they are moved there."""
    folder.mkdir()
    (folder / "mkdocs.yml").write_text("site_name: plain\ntheme: {name: material, font: false}\n")
    records.rename(folder / "docs")
    (folder / "docs" / "index.md").write_text("# plain\n")
    return cost([MKDOCS, "build", "--quiet"], folder)


def _line(task: str, spent: Cost, peer: Cost | None = None) -> None:
    ratio = f"{spent.cpu / peer.cpu:.2f}x of the peer's CPU" if peer else ""
    print(f"{task:<38} {spent.cpu:>7.2f} s {spent.wall:>7.2f} s {spent.memory:>6.0f} MiB  {ratio}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measure kb with many sessions.")
    parser.add_argument("--sessions", type=int, nargs="+", default=[1000])
    options = parser.parse_args()
    for number in options.sessions:
        with tempfile.TemporaryDirectory() as name:
            main(number, Path(name))
