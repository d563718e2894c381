"""Decisions are applied when the index is built, and two clones that worked apart agree once Git has merged them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from bases import base, dump, record

from kb.home import Home, read_home
from kb.index.build import build_index
from kb.index.files import listing
from kb.index.store import Store, open_store
from kb.record.decision import Decision, Made, Merge, Rename, Split
from kb.record.decision_file import decision_files, decision_name, decision_text
from kb.signature.part import part_id
from kb.triage.find import search
from kb.triage.report import triage

INDEX = "IndexError: list index out of range"
KEY = "KeyError: 'the configuration'"
LOG = 'Traceback (most recent call last):\n  File "/srv/app/serve.py", line 9, in load\n    read()\n{}\n'


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A knowledge base with two failures, whose records were written some time ago."""
    made = base(tmp_path / "kb")
    for path in (record(made, "s1", INDEX), record(made, "s2", KEY, day=2)):
        os.utime(path, (10**9, 10**9))
    return made


def decide(home: Home, decision: Decision) -> Path:
    """Write the file of a decision."""
    decision = decision._replace(made=Made(date="2026-11-29"))
    home.decisions.mkdir(exist_ok=True)
    path = home.decisions / decision_name(decision)
    path.write_text(decision_text(decision))
    return path


def indexed(home: Home) -> Store:
    """The index of `home`, built now."""
    build_index(home)
    return open_store(home)


def id_of(store: Store, type_: str) -> str:
    """The signature of a failure of this type."""
    return next(key for key, one in store.knowledge().signatures.items() if one.signature.type == type_)


def test_a_merge_is_seen_everywhere_and_undone_by_removing_its_file(home: Home) -> None:
    store = indexed(home)
    index, key = id_of(store, "IndexError"), id_of(store, "KeyError")
    path = decide(home, Merge(index, (key,)))
    assert store.stale()
    store = indexed(home)
    assert not store.stale()
    assert list(store.knowledge().signatures) == [index]
    assert store.knowledge().aliases == {key: index}
    for name in (index, key):
        card, known = store.lookup_id(name), store.signature(name)
        assert card is not None
        assert known is not None
        assert (card.id, known.signature.id, card.seen) == (index, index, 2)
    assert ("signature", key) in store.names("kb1-")
    assert search(store, key).results[0].hit.id == index
    assert [card.id for card in store.lookup_pattern(KEY)] == [index]
    assert store.count() == 1
    path.unlink()
    assert set(indexed(home).knowledge().signatures) == {index, key}


def test_triage_finds_what_was_merged_by_either_failure(home: Home) -> None:
    store = indexed(home)
    index, key = id_of(store, "IndexError"), id_of(store, "KeyError")
    decide(home, Merge(index, (key,)))
    store = indexed(home)
    for error in (INDEX, KEY):
        report = triage(LOG.format(error).encode(), "x.log", store)
        (match,) = report.failures[0].matches
        assert (report.verdict, match.id, match.level) == ("known", index, "exact")
        assert report.failures[0].signature.id == index
    assert f"the rules sign it as {key}" in match.why[0]


def test_a_merged_signature_is_suggested_once(home: Home) -> None:
    first = "RuntimeError: the scheduler of the spool could not reserve any folder for the worker"
    other = "RuntimeError: the scheduler of the spool could not reserve any room for the worker"
    record(home, "s3", first, day=3)
    record(home, "s4", other, day=4)
    store = indexed(home)
    ids = [key for key, one in store.knowledge().signatures.items() if one.signature.type == "RuntimeError"]
    decide(home, Merge(ids[0], (ids[1],)))
    log = LOG.format("RuntimeError: the scheduler of the spool could not reserve any disk for the worker")
    matches = triage(log.encode(), "x.log", indexed(home)).failures[0].matches
    assert (matches[0].id, matches[0].level) == (ids[0], "similar")
    assert len({match.id for match in matches}) == len(matches)


def test_triage_tells_a_part_from_the_rest(home: Home) -> None:
    full, other = (f"OSError: [Errno 28] No space left on device: '/{where}/part.txt'" for where in ("spool", "cache"))
    record(home, "s3", full, day=3, fix="empty-the-spool")
    record(home, "s4", other, day=4, fix="empty-the-cache")
    whole = id_of(indexed(home), "OSError")
    decide(home, Split(whole, "message", "/spool/"))
    store = indexed(home)
    part = part_id(whole, "message", "/spool/")
    for error, name, slug in ((full, part, "empty-the-spool"), (other, whole, "empty-the-cache")):
        (match,) = triage(LOG.format(error).encode(), "x.log", store).failures[0].matches
        assert (match.id, match.level) == (name, "exact")
        assert [one.slug for one in match.fixes] == [slug]


def test_a_name_is_the_title_everywhere(home: Home) -> None:
    index = id_of(indexed(home), "IndexError")
    decide(home, Rename(index, "The list is too short"))
    store = indexed(home)
    card = store.lookup_id(index)
    assert card is not None
    assert card.title == "The list is too short"
    assert search(store, "list is too short").results[0].hit.id == index


def test_only_the_sessions_that_a_decision_concerns_are_read_again(home: Home) -> None:
    index = id_of(indexed(home), "IndexError")
    path = decide(home, Rename(index, "One"))
    assert build_index(home).changed == 1
    assert build_index(home).changed == 0
    path.unlink()
    built = build_index(home)
    assert (built.changed, built.removed) == (1, 0)


def test_an_incremental_build_gives_what_a_whole_one_gives(home: Home) -> None:
    store = indexed(home)
    index, key = id_of(store, "IndexError"), id_of(store, "KeyError")
    decide(home, Merge(index, (key,)))
    build_index(home)
    record(home, "s5", KEY, day=5, fix="other")
    decide(home, Rename(index, "One"))
    build_index(home)
    first = dump(home)
    home.index.unlink()
    build_index(home)
    assert dump(home) == first


def test_the_problems_of_decisions_are_problems_of_the_build(home: Home) -> None:
    store = indexed(home)
    index, key = id_of(store, "IndexError"), id_of(store, "KeyError")
    decide(home, Merge(index, (key,)))
    decide(home, Merge(key, (index,)))
    (home.decisions / "bad.yaml").write_text("kb: 1\n")
    for _ in range(2):
        codes = sorted(problem.code for problem in build_index(home).problems)
        assert codes == ["contradiction", "contradiction", "decision"]
    assert list(open_store(home).knowledge().signatures) == [min(index, key)]


def test_the_same_files_are_decisions_as_for_the_reader(home: Home) -> None:
    home.decisions.mkdir()
    for name in ("a.yaml", ".hidden.yaml", "b.yml", "README.md"):
        (home.decisions / name).write_text("x")
    (home.decisions / "folder.yaml").mkdir()
    names = [path.relative_to(home.root).as_posix() for path in decision_files(home)]
    assert [path for path in listing(home) if path.startswith("decisions/")] == names == ["decisions/a.yaml"]


def git(folder: Path, *arguments: str) -> str:
    """What git says; a failure is an error."""
    own = ("-c", "user.name=x", "-c", "user.email=x@example.invalid", "-c", "commit.gpgsign=false")
    ran = subprocess.run(["git", *own, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return ran.stdout.strip()


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_two_clones_that_worked_apart_agree_after_a_merge(home: Home, tmp_path: Path) -> None:
    store = indexed(home)
    index, key = id_of(store, "IndexError"), id_of(store, "KeyError")
    (home.root / ".gitignore").write_text(".kb/\n")
    git(home.root, "init", "-q", "-b", "main")
    git(home.root, "add", ".")
    git(home.root, "commit", "-q", "-m", "begin")
    git(tmp_path, "clone", "-q", "kb", "other")
    other = read_home(tmp_path / "other")

    # On one side two are one and there is a title; on the other there are a third failure, which is that one too, and
    # another title. Each side has sessions of its own.
    decide(home, Merge(index, (key,)))
    decide(home, Rename(index, "The list is too short"))
    record(home, "s5", INDEX, day=5, fix="here")
    record(other, "s6", KEY, day=6, fix="there")
    record(other, "s7", "OSError: the disk of the build machine is full", day=7)
    disk = id_of(indexed(other), "OSError")
    decide(other, Merge(key, (disk,)))
    decide(other, Rename(index, "An index out of range"))
    for one in (home, other):
        build_index(one)
        git(one.root, "add", ".")
        git(one.root, "commit", "-q", "-m", "work")
    git(home.root, "pull", "-q", "--no-rebase", "--no-edit", "../other", "main")
    git(other.root, "pull", "-q", "--no-rebase", "--no-edit", "../kb", "main")
    assert git(home.root, "rev-parse", "HEAD^{tree}") == git(other.root, "rev-parse", "HEAD^{tree}")

    problems = [build_index(one).problems for one in (home, other)]
    assert [[problem.code for problem in each] for each in problems] == [["contradiction"]] * 2
    assert dump(home) == dump(other)
    known = open_store(home).knowledge().signatures
    assert list(known) == [index]
    assert sorted(known[index].sessions) == ["s1", "s2", "s5", "s6", "s7"]
    fresh = base(tmp_path / "fresh")
    for folder in ("sessions", "decisions"):
        shutil.copytree(home.root / folder, fresh.root / folder, dirs_exist_ok=True)
    build_index(fresh)
    assert dump(fresh) == dump(home)
