"""Search finds error text as people paste it."""

from __future__ import annotations

from pathlib import Path

import pytest
from bases import base, record
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.index.build import build_index
from kb.index.docs import Docs
from kb.index.search import Hit
from kb.index.store import Store, open_store
from kb.triage import find

#: session -> the error that it is about; every one must be found by the queries below.
ERRORS = {
    "config": "AttributeError: 'KimiK25Config' object has no attribute 'image_token_index'",
    "cuda": "torch.AcceleratorError: CUDA error: an illegal memory access was encountered",
    "memory": "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79 GiB",
    "alloc": "RuntimeError: worker died: terminate called after throwing an instance of 'std::bad_alloc'",
    "code": "RuntimeError: Worker failed to start: process ended with exit code -9 (killed)",
    "option": "ValueError: --enable-expert-parallel needs a mixture of experts, this model has none",
    "socket": "RuntimeError: NCCL_SOCKET_IFNAME names no interface: eth7",
    "attention": "KeyError: 'attention_v2'",
    "static": "RuntimeError: allReduceStaticBuffers are too small for this batch",
    "core": "RuntimeError: Engine core proc died, see [core.py:1029] for its state",
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """An index of these errors among others that share their words."""
    home = base(tmp_path_factory.mktemp("base"))
    for day, (name, error) in enumerate(ERRORS.items(), 1):
        line = 166 if name == "core" else 900 + day
        file = "multiproc_executor.py" if name == "core" else f"{name}_model.py"
        record(home, name, error, day=day, fix=f"repair-{name}", file=file, line=line, function=f"load_{name}")
    noise = ["object", "memory", "token", "config", "process", "model", "core", "expert", "code", "error"]
    for number, first in enumerate(noise):
        for second in noise[:number]:
            error = f"ValueError: the {first} has no {second} for this call, attribute access was refused"
            record(home, f"noise-{first}-{second}", error, day=20, fix=f"set-{first}-{second}")
    build_index(home)
    return open_store(home)


def search(store: Store, text: str, limit: int = 20) -> tuple[Hit, ...]:
    """The hits alone."""
    return tuple(result.hit for result in find.search(store, text, limit).results)


def best(store: Store, query: str) -> Hit:
    """The first hit."""
    hits = search(store, query)
    assert hits, f"nothing found for {query!r}"
    return hits[0]


def session_of(store: Store, hit: Hit) -> str:
    """The session that a signature was seen in."""
    known = store.signature(hit.id)
    assert known is not None
    return known.sessions[0]


@pytest.mark.parametrize(
    ("query", "session"),
    [
        ("AttributeError: 'KimiK25Config' object has no attribute 'image_token_index'", "config"),
        ("AttributeError: 'OtherConfig' object has no attribute 'image_token_index'", "config"),
        ("image_token_index", "config"),
        ("'image_token_index'", "config"),
        ("token_index", "config"),
        ("image token index", "config"),
        ("TokenIndex", "config"),
        ("imageTokenIndex", "config"),
        ("KimiK25Config", "config"),
        ("kimik25config", "config"),
        ("K25", "config"),
        ("image_tok", "config"),
        ("mage_token_ind", "config"),
        ("CUDA error: an illegal memory access", "cuda"),
        ("cuda error an illegal memory acc", "cuda"),
        ("illegal access memory", "cuda"),
        ("OutOfMemoryError", "memory"),
        ("torch.OutOfMemoryError", "memory"),
        (
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 7.12 GiB. GPU 3 has a total capacity of 22 GiB",
            "memory",
        ),
        ("std::bad_alloc", "alloc"),
        ("'std::bad_alloc'", "alloc"),
        ("bad_alloc", "alloc"),
        ("exit code -9", "code"),
        ("--enable-expert-parallel", "option"),
        ("enable-expert", "option"),
        ("expert_parallel", "option"),
        ("SOCKET_IFNAME", "socket"),
        ("attention_v2", "attention"),
        ("allReduceStaticBuffers", "static"),
        ("allReduce static buffers", "static"),
        ("StaticBuffers", "static"),
        ("core.py:1029", "core"),
        ("[core.py:1029]", "core"),
        ("multiproc_executor.py line 166", "core"),
        ("multiproc_executor.py", "core"),
        ("multiproc_exec", "core"),
        ('File "multiproc_executor.py", line 166', "core"),
        ('see [core.py:1029] ~ ^state* ("died', "core"),
        ("load_core", "core"),
    ],
)
def test_the_signature_that_is_meant_comes_first(store: Store, query: str, session: str) -> None:
    hit = best(store, query)
    assert hit.kind == "signature"
    assert session_of(store, hit) == session


def test_pasted_traceback_lines_with_other_numbers_are_found(store: Store) -> None:
    pasted = (
        '  File "/home/me/venv/multiproc_executor.py", line 171, in load_core\n'
        "    read()\n"
        "RuntimeError: Engine core proc died, see [core.py:1033] for its state"
    )
    hit = best(store, pasted)
    assert session_of(store, hit) == "core"
    assert hit.level == "exact"


def test_a_line_with_the_prefix_of_another_process_is_found(store: Store) -> None:
    pasted = "\x1b[31m(Worker_TP3 pid=77) ERROR 01-02 03:04:05 [x.py:7]\x1b[0m AttributeError: 'FooConfig' object has no attribute 'image_token_index'"
    assert session_of(store, best(store, pasted)) == "config"


def test_the_frames_alone_are_found(store: Store) -> None:
    pasted = '  File "/elsewhere/multiproc_executor.py", line 4, in load_core\n    read()'
    hit = best(store, pasted)
    assert session_of(store, hit) == "core"
    assert "not" in hit.why


def test_names_come_first(store: Store) -> None:
    key = best(store, "std::bad_alloc").id
    assert best(store, key) == search(store, f"`{key}`")[0]
    assert best(store, key).id == key
    assert best(store, key[:8]).id == key
    assert (best(store, "repair-core").kind, best(store, "repair-core").id) == ("fix", "repair-core")
    assert (best(store, "socket").kind, best(store, "socket").id) == ("session", "socket")


def test_proven_fixes_come_before_open_ones_and_signatures_before_the_rest(tmp_path: Path) -> None:
    home = base(tmp_path)
    record(home, "open", "ValueError: the widget is bent", fix="bend-back")
    path = home.sessions / "open.md"
    path.write_text(path.read_text().split("## Attempt 2")[0])
    record(home, "done", "ValueError: the widget is lost", fix="find-it", prose="Look for the widget.")
    build_index(home)
    hits = search(open_store(home), "widget")
    assert [hit.kind for hit in hits] == ["signature", "signature", "fix", "session"]
    assert "lost" in hits[0].title


def test_the_snippet_is_the_line_that_answers(store: Store) -> None:
    assert "bad_alloc" in best(store, "std::bad_alloc").snippet
    assert len(best(store, "std::bad_alloc").snippet) <= 210


def test_what_is_not_there_is_not_found(store: Store) -> None:
    assert search(store, "zebra giraffe") == ()
    assert search(store, "") == ()
    assert search(store, " \n\t") == ()


def test_the_limit_holds(store: Store) -> None:
    assert len(search(store, "ValueError", 3)) == 3


def test_no_punctuation_is_a_syntax_error(store: Store) -> None:
    for query in (
        '"',
        "'",
        "(",
        ")",
        "*",
        "^",
        "~",
        ":",
        "-",
        "+",
        "a AND",
        "NOT",
        "OR OR",
        "NEAR(a b)",
        "text:",
        "a^2",
        "{}",
        "\\",
        "%",
        "_",
    ):
        search(store, query)


@given(query=st.text(max_size=80))
@settings(max_examples=200, deadline=None)
def test_any_text_is_a_query(store: Store, query: str) -> None:
    search(store, query)


def test_where_nothing_holds_most_of_a_query_the_nearest_are_offered_and_said_to_be(store: Store) -> None:
    hits = search(store, "NCCL_SOCKET_IFNAME whatsoever elsewhere nowhere nobody never zebra giraffe")
    assert hits
    assert all(hit.near and hit.why.startswith("holds some of it, not ") for hit in hits)
    assert not best(store, ERRORS["socket"]).near


@pytest.mark.parametrize("query", ["a.b.c.d", "q'); z; x", "q w e r"])
def test_single_letters_find_nothing_in_texts_that_hold_letters(store: Store, query: str) -> None:
    assert search(store, query) == ()


def test_a_query_finds_what_holds_its_words_and_not_its_letters(store: Store) -> None:
    hits = search(store, "x'); DROP MEMORY")
    assert hits
    assert all("memory" in (hit.title + hit.snippet).lower() for hit in hits)


def test_a_component_that_the_failure_names_comes_before_one_that_its_machine_only_had(tmp_path: Path) -> None:
    home = base(tmp_path)
    record(home, "s1", "RuntimeError: vllm cannot read the weights", day=1, fix="read-them")
    for day in range(2, 6):
        record(home, f"s{day}", f"ValueError: the price {'x' * day}y is wrong", day=day, fix=f"mend-{'x' * day}")
    build_index(home)
    with open_store(home) as store:
        first, *others = search(store, "component:vllm kind:signature")
        assert (first.title, first.why) == (
            "RuntimeError: vllm cannot read the weights",
            "its failure names what the filters ask for",
        )
        assert len(others) == 4


def test_the_time_of_day_in_a_pasted_line_is_not_asked_for(tmp_path: Path) -> None:
    home = base(tmp_path)
    prose = "Around it:\n\n    ERROR 2026-01-05 10:15:42,113 [worker.py] the queue of the scheduler ran dry"
    record(home, "dry", "KeyError: 'queue'", fix="fill-the-queue", prose=prose)
    record(home, "clock", "KeyError: 'clock'", fix="wind-the-clock", prose="It was 08:01:07 and nothing ran.")
    build_index(home)
    with open_store(home) as index:
        for line in (
            "ERROR 2026-03-01 08:01:07,004 [worker.py] the queue of the scheduler ran dry",
            "ERROR 03-01 08:01:07 [worker.py] the queue of the scheduler ran dry",
            "ERROR [worker.py] the queue of the scheduler ran dry",
        ):
            hits = search(index, line)
            assert {hit.id for hit in hits} == {"dry", "fill-the-queue"}
            assert {hit.level for hit in hits} == {"text"}
        assert "10:15:42,113" in search(index, "scheduler ran dry")[0].snippet


def test_a_record_cannot_say_of_itself_what_filters_ask_for(tmp_path: Path) -> None:
    home = base(tmp_path)
    record(
        home,
        "false",
        "KeyError: 'queue'",
        prose="\ue000tag0urgent \ue000component0zebra kbtag0urgent",
        title="\ue000tag0urgent",
    )
    build_index(home)
    with open_store(home) as index:
        docs = Docs(index.db)
        assert docs.has("has", "fix")
        assert not docs.has("tag", "urgent")
        assert not docs.has("component", "zebra")
        assert search(index, "\ue000component0zebra")
