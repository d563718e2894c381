"""Whatever changed, a build on top of the last one makes, byte for byte, what a build from nothing makes.

The changes follow each other, as they do in the life of a knowledge base: each is made on top of all before it.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from site_factory import make_home

from kb.home import Home, read_home
from kb.index.build import build_index
from kb.index.store import open_store
from kb.knowledge.model import Knowledge
from kb.publish.build import build_site
from kb.publish.output import MANIFEST
from kb.publish.sources import SHIPPED_CONFIG
from kb.record.decision import Decision, Merge, Rename, Split
from kb.record.decision_file import decision_name, decision_text
from kb.shipped import shipped

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, checkout: Path) -> Path:
    """Some sessions of this repository, with a site built from them."""
    home = make_home(tmp_path_factory.mktemp("base"))
    (home.root / "kb.toml").touch()
    for path in sorted((checkout / "sessions").glob("*.md"))[:5]:
        shutil.copy(path, home.sessions)
    build_site(home, home.public)
    return home.root


def known(home: Home) -> Knowledge:
    build_index(home)
    with closing(open_store(home)) as store:
        return store.knowledge()


def decide(root: Path, decision: Decision) -> None:
    (root / "decisions").mkdir(exist_ok=True)
    (root / "decisions" / decision_name(decision)).write_text(decision_text(decision))


def roots(root: Path) -> list[str]:
    """The ids of signatures that attempts ended in, in an order of their own."""
    signatures = known(read_home(root)).signatures.values()
    return sorted(one.signature.id for one in signatures if any(seen.primary for _, seen in one.occurrences))


def sessions(root: Path) -> list[Path]:
    return sorted((root / "sessions").glob("2*.md"))


def merged(root: Path) -> None:
    one, other, *_ = roots(root)
    decide(root, Merge(one, (other,)))


def named(root: Path) -> None:
    decide(root, Rename(roots(root)[0], "Called by another name"))


def split(root: Path) -> None:
    two = next(one for one in known(read_home(root)).signatures.values() if len(one.occurrences) > 1)
    decide(
        root, Split(two.signature.id, "message", two.occurrences[0][1].failure.message.split("\n")[0][:40], "A part")
    )


def taken_back(root: Path) -> None:
    for path in (root / "decisions").glob("*merge*"):
        path.unlink()


def file_renamed(root: Path) -> None:
    path = sessions(root)[0]
    path.rename(path.with_name("2030-01-01-another-name.md"))


def session_given_another_id(root: Path) -> None:
    path = sessions(root)[1]
    path.write_text(re.sub(r"(?m)^id: .*$", "id: 2030-02-02-another-id", path.read_text(), count=1))
    path.rename(path.with_name("2030-02-02-another-id.md"))


def session_deleted(root: Path) -> None:
    sessions(root)[2].unlink()


def template_overridden(root: Path) -> None:
    (root / "templates" / "parts").mkdir(parents=True)
    text = (shipped("templates") / "parts" / "chain.html").read_text("utf-8")
    (root / "templates" / "parts" / "chain.html").write_text(f'<p class="ours">Ours</p>{text}')


def template_dropped(root: Path) -> None:
    shutil.rmtree(root / "templates")


def style_and_frame_overridden(root: Path) -> None:
    own = root / "site"
    (own / "docs" / "assets" / "kb").mkdir(parents=True)
    (own / "docs" / "assets" / "kb" / "kb.css").write_text(".kb-first { color: red }\n")
    (own / "overrides").mkdir()
    text = (shipped("site") / "overrides" / "main.html").read_text("utf-8")
    (own / "overrides" / "main.html").write_text(text + "\n{% block announce %}<p>Ours</p>{% endblock %}\n")


def config_and_pages_of_ones_own(root: Path) -> None:
    config = f"INHERIT: {SHIPPED_CONFIG}\nnav:\n  - Home: index.md\n  - Signatures: signatures/\n  - Ours: ours.md\n"
    (root / "site" / "mkdocs.yml").write_text(config)
    (root / "site" / "docs" / "ours.md").write_text("# Ours\n\nSomething of our own.\n")


def site_dropped(root: Path) -> None:
    shutil.rmtree(root / "site")


def settings(root: Path) -> None:
    lines = ("name = 'Another name'", "site_url = 'https://kb.example/a'", "repository = 'https://git.example/a/b'")
    (root / "kb.toml").write_text("\n".join(lines))


def secret_in_a_decision(root: Path) -> None:
    """Written by hand: `kb sig` would have taken it out."""
    id_ = roots(root)[-1]
    title = f"Cannot log in with {TOKEN}"
    (root / "decisions" / "2030-by-hand.yaml").write_text(
        f"kb: 1\n# {TOKEN}\nname: {id_}\ntitle: {title}\nwhy: {TOKEN}\n"
    )


CHANGES: tuple[Callable[[Path], None], ...] = (
    merged,
    named,
    split,
    file_renamed,
    session_given_another_id,
    taken_back,
    template_overridden,
    style_and_frame_overridden,
    config_and_pages_of_ones_own,
    session_deleted,
    template_dropped,
    settings,
    secret_in_a_decision,
    site_dropped,
)


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a site."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != MANIFEST
    }


@pytest.mark.parametrize("change", CHANGES, ids=lambda one: one.__name__)
def test_a_build_on_top_is_a_build_from_nothing(root: Path, tmp_path: Path, change: Callable[[Path], None]) -> None:
    before = contents(root / "public")
    change(root)
    home = read_home(root)
    build_site(home, home.public)
    shutil.copytree(root, tmp_path / "other", ignore=shutil.ignore_patterns(".kb", "public"))
    shutil.copytree(root / ".kb" / "site", tmp_path / "other" / ".kb" / "site")  # what MkDocs makes is no question here
    other = read_home(tmp_path / "other")
    build_site(other, other.public)
    made, wanted = contents(home.public), contents(other.public)
    assert {name for name in made.keys() | wanted.keys() if made.get(name) != wanted.get(name)} == set()
    assert made != before, "this change shows nowhere"


def test_a_secret_in_a_decision_reaches_no_file(root: Path) -> None:
    home = read_home(root)
    problems = [one for one in build_index(home).problems if one.code == "secret"]
    assert [(one.location.path, one.location.line) for one in problems] == [
        ("decisions/2030-by-hand.yaml", line) for line in (2, 4, 5)
    ]
    files = [*home.public.rglob("*"), *(root / ".kb").rglob("*")]
    assert [path for path in files if path.is_file() and TOKEN.encode() in path.read_bytes()] == []
    assert b"Cannot log in with &lt;secret:github" in b"".join(contents(home.public).values())
