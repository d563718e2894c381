"""The search box: filters, other spellings, certainty, what to try, and its JSON."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import jsonschema
import pytest
from bases import base, record
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.errors import UsageError
from kb.index.build import build_index
from kb.index.store import Store, open_store
from kb.index.vocabulary import edits
from kb.triage.find import Answer, Result, search
from kb.triage.find_json import answer_json, schema_text, search_schema

TODAY = date(2026, 1, 31)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Three failures: one with another component, one whose fix was never tried."""
    home = base(tmp_path_factory.mktemp("base"))
    record(
        home,
        "config",
        "AttributeError: 'Qwen2VLConfig' object has no attribute 'image_token_index'",
        day=3,
        fix="name-it",
    )
    record(home, "gateway", "RuntimeError: the upstream_pool is exhausted", day=20, fix="wider-pool")
    path = home.sessions / "gateway.md"
    path.write_text(path.read_text().replace("vllm: 0.15.20", "flash-attn: 2.7.1").replace("[server]", "[network]"))
    record(home, "untried", "OSError: cannot open libcudart.so.12 for the loader", day=28, fix="link-it")
    path = home.sessions / "untried.md"
    path.write_text(path.read_text().split("## Attempt 2")[0].replace("resolution: fixed", "resolution: abandoned"))
    build_index(home)
    with open_store(home) as opened:
        yield opened


def ask(store: Store, text: str, *filters: str) -> Answer:
    """The answer, as of the end of that month."""
    return search(store, text, filters=filters, today=TODAY)


def titles(answer: Answer) -> list[str]:
    """The titles of the signatures found."""
    return [one.hit.title for one in answer.results if one.hit.kind == "signature"]


def first(answer: Answer) -> Result:
    """The first result."""
    assert answer.results, answer.hints
    return answer.results[0]


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ("component:flash-attn", "upstream_pool"),
        ("component:flash_attn", "upstream_pool"),
        ("component:flash-attn=2.7", "upstream_pool"),
        ("component:vllm=0.15.3", "image_token_index"),
        ("tag:network", "upstream_pool"),
        ("has:fix tag:server", "image_token_index"),
        ("-has:fix", "libcudart"),
        ("resolution:abandoned", "libcudart"),
        ("since:2026-01-15 component:flash-attn", "upstream_pool"),
        ("since:5d", "libcudart"),
        ("component:flash-attn pool", "upstream_pool"),
    ],
)
def test_a_filter_leaves_what_it_asks_for(store: Store, query: str, word: str) -> None:
    found = titles(ask(store, query))
    assert len(found) == 1
    assert word in found[0]


@pytest.mark.parametrize(
    "query", ["component:flash-attn=3", "since:1d", "tag:network -component:flash-attn", "kind:fix zebra"]
)
def test_a_filter_that_nothing_meets_leaves_nothing(store: Store, query: str) -> None:
    answer = ask(store, query)
    assert answer.results == ()
    assert answer.hints


@pytest.mark.parametrize(
    "query",
    [
        "RuntimeError: the upstream_pool is exhausted",
        "RuntimeError:the upstream_pool",
        "http://upstream_pool:8080 exhausted",
        "error:pool upstream_pool",
        '"component:vllm" upstream_pool',
        "kind:Pod upstream_pool",
        "since:yesterday upstream_pool",
    ],
)
def test_text_with_colons_is_no_filter(store: Store, query: str) -> None:
    answer = ask(store, query)
    assert answer.filters == ()
    assert "upstream_pool" in first(answer).hit.title


def test_several_pasted_lines_have_no_filters(store: Store) -> None:
    assert ask(store, "component:vllm\nupstream_pool").filters == ()


def test_a_filter_read_otherwise_is_said_to_be(store: Store) -> None:
    assert "component:vlm read as component:vllm" in ask(store, "component:vlm image").hints
    assert any("did you mean component:?" in hint for hint in ask(store, "compnent:vllm image").hints)
    assert any("there are flashattn, vllm" in hint for hint in ask(store, "component:zebra image").hints)
    assert any("kind: takes signature" in hint for hint in ask(store, "kind:bug image").hints)


def test_what_is_given_as_a_filter_and_is_none_is_refused(store: Store) -> None:
    for wrong in ("component:zebra", "since:soon", "kind:bug", "colour:red", "vllm"):
        with pytest.raises(UsageError):
            ask(store, "image", wrong)
    assert titles(ask(store, "", "component:flash-attn")) == titles(ask(store, "component:flash-attn"))


@pytest.mark.parametrize(
    "query",
    ["image_token_indx", "imgae_token_index", "Qwen2VLCofig", "qwen2vlconfg", "age_token_ind", "en2VLCon", "TokenIndx"],
)
def test_mistyped_and_partial_identifiers_are_found_and_the_reading_is_told(store: Store, query: str) -> None:
    hit = first(ask(store, query)).hit
    assert "image_token_index" in hit.title
    assert " read as " in hit.why


def test_a_pasted_traceback_is_its_signature_whatever_stands_around_it(store: Store) -> None:
    pasted = (
        "2026-05-05 10:00:00 INFO ready\n"
        "Traceback (most recent call last):\n"
        '  File "/other/serve.py", line 99, in load\n'
        "    read()\n"
        "RuntimeError: the upstream_pool is exhausted\n"
    )
    result = first(ask(store, pasted))
    assert result.hit.level == "exact"
    assert result.fix is not None
    assert result.fix.slug == "wider-pool"


def test_a_quoted_phrase_stays_together(store: Store) -> None:
    assert titles(ask(store, '"has no attribute"'))
    assert not any(hit.hit.level == "words" for hit in ask(store, '"attribute has no"').results)


def test_nothing_found_says_what_to_try(store: Store) -> None:
    assert "try fewer of them" in ask(store, "zebra giraffe").hints[0]
    assert "without component:flash-attn there is kb1-" in ask(store, "component:flash-attn image_token_index").hints[0]
    assert "filter" in ask(store, "  ?!  ").hints[0]


@pytest.mark.parametrize("typed", ["imagetokenindex", "tokenindex", "imagetoken index"])
def test_words_that_are_typed_without_anything_between_them_are_told_apart(store: Store, typed: str) -> None:
    result = first(ask(store, typed))
    assert "image_token_index" in result.hit.title
    assert result.hit.level == "spelling"
    assert " read as " in result.hit.why


def test_words_that_no_record_holds_are_not_blamed_on_the_filters(store: Store) -> None:
    (hint,) = ask(store, "kind:session has:fix nothinglikethis").hints
    assert hint.startswith("no record holds these words, with or without kind:session has:fix")


def test_an_empty_knowledge_base_says_that_it_is_empty(tmp_path: Path) -> None:
    home = base(tmp_path)
    build_index(home)
    assert ask(open_store(home), "anything").hints == ("the knowledge base holds no session yet",)


@pytest.mark.parametrize(
    "query", ["component:vllm image_token_indx", "RuntimeError: the upstream_pool is exhausted", "zebra"]
)
def test_the_json_is_what_the_schema_says(store: Store, query: str) -> None:
    row = answer_json(ask(store, query))
    jsonschema.validate(row, search_schema())
    assert row["schema"] == "kb-search/1"


def test_the_committed_schema_is_current() -> None:
    published = Path(__file__).resolve().parents[2] / "site" / "schemas" / "search.schema.json"
    assert published.read_text("utf-8") == schema_text(), "write it anew: kb schema search"


@given(
    text=st.text(max_size=60) | st.from_regex(r"-?(component|tag|kind|has|since|foo):\S{0,9}( \w+)?", fullmatch=True)
)
@settings(max_examples=150, deadline=None)
def test_any_text_is_answered(store: Store, text: str) -> None:
    jsonschema.validate(answer_json(ask(store, text)), search_schema())


@given(one=st.text("abc", max_size=6), other=st.text("abc", max_size=6))
def test_edits_are_a_distance(one: str, other: str) -> None:
    assert edits(one, other) == edits(other, one)
    assert (edits(one, other) == 0) == (one == other)
    assert abs(len(one) - len(other)) <= edits(one, other) <= max(len(one), len(other))


def test_swapped_letters_are_one_mistake() -> None:
    assert edits("verfiy", "verify") == 1
    assert edits("indx", "index") == 1


def test_output_that_could_not_be_read_is_found_by_its_words(tmp_path: Path) -> None:
    home = base(tmp_path)
    path = record(home, "tar", "the archive smells of gzip but is none")
    text = path.read_text()
    begin, end = text.index("Traceback"), text.index("the archive")
    path.write_text(text[:begin] + text[end:])
    build_index(home)
    hit = first(ask(open_store(home), "smells of gzip")).hit
    assert (hit.kind, "exit status 1" in hit.title) == ("signature", True)
