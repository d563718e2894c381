"""A site built of knowledge made by hand, without records or an index."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kb.home import Home
from kb.knowledge.model import Knowledge
from kb.publish.build import assemble
from kb.publish.output import replacing
from kb.publish.theme import make_theme
from kb.record.model import Session


def make_home(root: Path, name: str = "kb runbook") -> Home:
    """An empty knowledge base in `root`."""
    (root / "sessions").mkdir(parents=True, exist_ok=True)
    (root / "kb.toml").write_text(f'name = "{name}"\n', "utf-8")
    return Home(root, name=name)


def make_site(root: Path, knowledge: Knowledge, records: Mapping[str, Session]) -> Path:
    """The folder of a whole site of `knowledge`."""
    home = make_home(root)
    with replacing(home.public) as output:
        assemble(home, knowledge, records, make_theme(home), output)
    return home.public
