"""Old ids lead to what their signatures are called under a newer version of the rules, without the old index, too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from bases import base, record

from kb.cli.main import run
from kb.home import Home
from kb.index.build import build_index
from kb.index.store import open_store
from kb.record.former_ids import read_former, write_former
from kb.signature import algorithm
from kb.signature.algorithm import KB1, Algorithm
from kb.signature.frames import own_names
from kb.signature.rules import Draft
from kb.triage import find

#: What fails in the sessions: (message, function).
KEPT, LIKE, ALIKE, WIDE = "the pool is empty", "queue 'a' is closed", "queue 'b' is closed", "no shard is left"
SESSIONS = [
    ("pool", KEPT, "take"), ("like", LIKE, "put"), ("alike", ALIKE, "put"), ("load", WIDE, "load"),
    ("load2", WIDE, "load"), ("save", WIDE, "save"),
]  # fmt: skip


def one_queue(draft: Draft) -> Draft:
    """Version 2 takes all closed queues for one failure."""
    return draft._replace(said="a queue is closed") if draft.said.startswith("queue ") else draft


def where_shards_lack(draft: Draft) -> Draft:
    """Version 2 tells failures without a shard apart by the function."""
    return draft._replace(functions=own_names(draft.failure)[:1]) if draft.said == WIDE else draft


KB2 = Algorithm("kb2", (*KB1.rules, one_queue, where_shards_lack))


@contextmanager
def signing_with(version: Algorithm) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(algorithm, "CURRENT", version)
        yield


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = base(tmp_path / "kb")
    for name, message, function in SESSIONS:
        record(made, name, f"RuntimeError: {message}", function=function)
    return made


def ids(home: Home) -> dict[str, str]:
    """The id of the signature of each session."""
    with open_store(home) as store:
        facts = (store.session(name) for name, _, _ in SESSIONS)
        return {one.id: one.occurrences[0].signature.id for one in facts if one}


def show(home: Home, name: str, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    """What `kb show` prints on standard output and on standard error."""
    with pytest.raises(SystemExit) as ended:
        run(["--kb", str(home.root), "show", name])
    assert ended.value.code == 0
    page, said = capsys.readouterr()
    return page, said


def moved(home: Home) -> tuple[dict[str, str], dict[str, str]]:
    """The ids before and after the rules became those of version 2."""
    build_index(home)
    old = ids(home)
    with signing_with(KB2):
        built = build_index(home)
        assert built.noted == ("decisions/former-ids-kb1.txt",)
        assert built.former == len(set(old.values()))
        return old, ids(home)


def test_every_old_id_leads_to_the_new_one(home: Home) -> None:
    old, new = moved(home)
    assert all(one.startswith("kb2-") for one in new.values())
    with signing_with(KB2), open_store(home) as store:
        for session, before in old.items():
            card = store.lookup_id(before)
            assert card is not None
            assert session == "save" or card.id == new[session]


def test_ids_that_became_one_lead_to_it(home: Home) -> None:
    old, new = moved(home)
    assert old["like"] != old["alike"]
    assert new["like"] == new["alike"]
    with signing_with(KB2), open_store(home) as store:
        assert store.became(old["like"]) == store.became(old["alike"]) == (new["like"],)


def test_an_id_that_became_several_leads_to_the_most_frequent_and_names_the_others(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = moved(home)
    assert old["load"] == old["save"]
    assert new["load"] != new["save"]
    with signing_with(KB2), open_store(home) as store:
        assert store.became(old["load"]) == (new["load"], new["save"])
    with signing_with(KB2):
        _, said = show(home, old["load"], capsys)
    told = " ".join(said.split())
    assert f"{old['load']} has become several signatures: {new['load']}, shown here, and {new['save']}" in told


def test_old_ids_outlive_the_index(home: Home) -> None:
    old, new = moved(home)
    home.index.unlink()
    with signing_with(KB2):
        assert build_index(home).former == 0
        with open_store(home) as store:
            assert store.current(old["pool"]) == new["pool"]


def test_a_clone_that_never_had_the_old_index_knows_old_ids_from_the_files(home: Home, tmp_path: Path) -> None:
    old, new = moved(home)
    clone = base(tmp_path / "clone")
    record(clone, "pool", f"RuntimeError: {KEPT}", function="take")
    clone.decisions.mkdir()
    (clone.decisions / "former-ids-kb1.txt").write_bytes((home.decisions / "former-ids-kb1.txt").read_bytes())
    with signing_with(KB2):
        build_index(clone)
        with open_store(clone) as store:
            assert store.current(old["pool"]) == new["pool"]


def test_search_show_and_the_site_take_old_ids(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = moved(home)
    with signing_with(KB2):
        with open_store(home) as store:
            assert find.search(store, old["pool"], 5).results[0].hit.id == new["pool"]
            assert store.knowledge().aliases[old["pool"]] == new["pool"]  # the site makes a page of each
        page, said = show(home, old["pool"], capsys)
        assert new["pool"] in page
        assert f"{old['pool']} goes by {new['pool']} now" in said


def test_a_decision_that_names_old_ids_holds(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    build_index(home)
    old = ids(home)
    with pytest.raises(SystemExit):
        run(["--kb", str(home.root), "sig", "merge", old["pool"], old["like"]])
    capsys.readouterr()
    with signing_with(KB2):
        build_index(home)
        new = ids(home)
        assert new["pool"] == new["like"] == new["alike"]


def test_the_way_back_leads_back(home: Home) -> None:
    old, new = moved(home)
    build_index(home)
    assert ids(home) == old
    with open_store(home) as store:
        assert store.current(new["pool"]) == old["pool"]


def test_lines_of_two_branches_may_both_be_kept(tmp_path: Path) -> None:
    (tmp_path / "former-ids-kb1.txt").write_text("kb1-aaaaaaaaaa kb2-bbbbbbbbbb\nkb1-aaaaaaaaaa kb2-cccccccccc\n")
    found, problems = read_former(tmp_path)
    assert found == {"kb1-aaaaaaaaaa": ("kb2-bbbbbbbbbb", "kb2-cccccccccc")}
    assert not problems


def test_what_is_no_line_of_ids_is_named_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "former-ids-kb1.txt").write_text("# x\nkb1-aaaaaaaaaa kb2-bbbbbbbbbb\n<<<<<<< main\n")
    problem = read_former(tmp_path)[1][0]
    assert (problem.location.path, problem.location.line) == ("former-ids-kb1.txt", 3)


def test_writing_twice_changes_nothing(tmp_path: Path) -> None:
    found = {"kb1-aaaaaaaaaa": ("kb2-bbbbbbbbbb",)}
    assert len(write_former(tmp_path, found)) == 1
    assert write_former(tmp_path, found) == ()
    assert read_former(tmp_path)[0] == found
