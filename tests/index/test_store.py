"""Looking things up in the index."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from bases import base, record

from kb.home import Home
from kb.index.build import build_index
from kb.index.card import dump_card, load_card, make_cards
from kb.index.pieces import anchor_words, camel_parts, cut_tokens, parts_column
from kb.index.postings import pack, unpack
from kb.index.store import Store, open_store

LIST = "IndexError: list index out of range"
CONFIG = "AttributeError: 'KimiK25Config' object has no attribute 'image_token_index'"
DISK = "OSError: [Errno 28] No space left on device: '/srv/cache/block-17'"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """Three sessions, two of which share a failure."""
    made = base(tmp_path)
    record(made, "s1", CONFIG, day=1, fix="read-it-defensively")
    record(made, "s2", DISK, day=2, fix="clear-the-cache")
    record(made, "s3", DISK.replace("17", "99"), day=3, fix="clear-the-cache")
    build_index(made)
    return made


@pytest.fixture
def store(home: Home) -> Store:
    """The open index of these."""
    return open_store(home)


def id_of(store: Store, type_: str) -> str:
    """The id of the signature of this exception type."""
    return next(key for key, one in store.knowledge().signatures.items() if one.signature.type == type_)


def test_a_signature_is_found_by_its_id(store: Store) -> None:
    card = store.lookup_id(id_of(store, "OSError"))
    assert card is not None
    assert card.seen == 2
    assert [(fix.slug, fix.fixed) for fix in card.fixes] == [("clear-the-cache", 2)]
    assert store.lookup_id("kb1-aaaaaaaaaa") is None


def test_a_signature_is_found_by_its_template(store: Store) -> None:
    card = store.lookup_id(id_of(store, "OSError"))
    assert card is not None
    assert store.lookup_template("OSError", card.template) == (card,)
    assert store.lookup_template("IOError", card.template) == ()


@pytest.mark.parametrize(
    ("line", "type_"),
    [
        ("AttributeError: 'OtherConfig' object has no attribute 'image_token_index'", "AttributeError"),
        ("x INFO y AttributeError: 'OtherConfig' object has no attribute 'image_token_index'.", "AttributeError"),
        ("OSError: [Errno 28] No space left on device: '/elsewhere/block-3'", "OSError"),
        ("OSError: [Errno 13] Permission denied", None),
        ("", None),
        ("AttributeError " * 5000, None),
    ],
)
def test_a_signature_is_found_by_a_line_that_its_pattern_matches(store: Store, line: str, type_: str | None) -> None:
    assert [card.type for card in store.lookup_pattern(line)] == ([type_] if type_ else [])


def test_every_signature_is_found_by_its_own_line(store: Store) -> None:
    for key, known in store.knowledge().signatures.items():
        text = known.occurrences[0][1].failure.text
        assert key in [card.id for card in store.lookup_pattern(text)]


def test_candidates_share_rare_words(store: Store) -> None:
    best = store.candidates(["attribute", "image_token_index", "device"])
    assert [one.type for one in best] == ["AttributeError", "OSError"]
    assert store.candidates(["nothing", "like", "it"]) == ()
    assert store.candidates([]) == ()


def test_what_is_known_of_one_signature_is_what_all_knowledge_says(store: Store) -> None:
    for key, known in store.knowledge().signatures.items():
        assert store.signature(key) == known
    assert store.signature("kb1-aaaaaaaaaa") is None


def test_a_session_is_found_by_its_id(store: Store) -> None:
    facts = store.session("s2")
    assert facts is not None
    assert facts.path == "sessions/s2.md"
    assert store.session("s9") is None


def test_names_are_completed(store: Store) -> None:
    assert store.names("cl") == (("fix", "clear-the-cache"),)
    assert [name for _, name in store.names("s")] == ["s1", "s2", "s3"]


def test_an_index_is_stale_when_the_records_differ(home: Home, store: Store) -> None:
    assert not store.stale()
    path = home.sessions / "s1.md"
    os.utime(path, (1, 1))
    assert not store.stale(), "the file was only touched"
    path.write_text(path.read_text().replace("Pad", "pad"))
    assert store.stale()
    build_index(home)
    assert not open_store(home).stale()
    record(home, "s4")
    assert open_store(home).stale()
    (home.sessions / "s4.md").unlink()
    (home.sessions / "s3.md").unlink()
    assert open_store(home).stale()


def test_a_card_survives_being_written(store: Store) -> None:
    knowledge = store.knowledge()
    for known in knowledge.signatures.values():
        (card,) = make_cards(known, knowledge)
        assert load_card(card.id, card.type, card.template, card.anchor, dump_card(card)) == card


def test_only_words_bounded_on_both_sides_lead_to_an_anchor() -> None:
    assert anchor_words("has no attribute 'image") == ("no", "attribute")
    assert anchor_words("single") == ()


def test_camel_case_is_cut_where_people_cut_it() -> None:
    assert camel_parts("KimiK25Config") == ["kimi", "k25", "config"]
    assert camel_parts("HTTPServerError image_token_index") == ["http", "server", "error", "image", "token", "index"]
    assert parts_column("a KimiK25Config in plain words") == "Kimi K25 Config"
    assert parts_column("x_HTTPServer9Error HTTP aB Ab 9a aB") == "HTTP Server9 Error a B"
    assert cut_tokens("[core.py:1029] std::bad_alloc -B5") == ["core", "py", "1029", "std", "bad", "alloc", "B5"]


def test_numbers_survive_packing() -> None:
    assert unpack(4, pack([65539, 65537, 70000])) == [65537, 65539, 70000]
