"""The sources of the hand-written site: the files that ship with kb, and over them those of the knowledge base."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from kb.home import Home
from kb.shipped import shipped

CONFIG = "mkdocs.yml"

#: The name under which the shipped configuration stays reachable for one that inherits from it.
SHIPPED_CONFIG = "kb-mkdocs.yml"


def source_folders(home: Home) -> tuple[Path, ...]:
    """The shipped `site/` and, where it is another folder and exists, the knowledge base's own."""
    own = home.root / "site"
    ours = shipped("site")
    return (ours, own) if own.is_dir() and own.resolve() != ours.resolve() else (ours,)


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") or part == "__pycache__" for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden:
            yield path


def fingerprint(home: Home) -> str:
    """A hash of every source file and of what `kb.toml` adds to them."""
    digest = hashlib.sha256(repr((home.name, home.site_url, home.repository)).encode())
    for folder in source_folders(home):
        for path in _files(folder):
            digest.update(f"{path.relative_to(folder).as_posix()}\0".encode())
            digest.update(path.read_bytes())
            digest.update(b"\0")
    return digest.hexdigest()


def gather_sources(home: Home, target: Path) -> Path:
    """Copy the sources into the empty folder `target`, the knowledge base's own over the shipped ones.

    Out: the configuration file in `target`.
    """
    for folder in source_folders(home):
        for path in _files(folder):
            copy = target / path.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    shutil.copyfile(shipped("site") / CONFIG, target / SHIPPED_CONFIG)
    return target / CONFIG
