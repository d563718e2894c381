"""The data of the search: whatever a document holds is found by its grams, and a change makes few files anew."""

from __future__ import annotations

import random
import string
from dataclasses import replace

import pytest
from hostile_factory import EVIL, hostile_knowledge
from hypothesis import given
from hypothesis import strategies as st
from runbook_factory import KIMI, SERVER_LOG, small_knowledge

from kb.runbook.data.scripts import script_value
from kb.runbook.data.search.blocks import read_block
from kb.runbook.data.search.documents import Document, acronyms, documents
from kb.runbook.data.search.earlier import Nothing
from kb.runbook.data.search.files import search_files
from kb.runbook.data.search.grams import grams, part_grams, shard_of
from kb.runbook.data.search.listed import level, read_listed
from kb.runbook.data.search.postings import ALPHABET, pack, unpack
from kb.runbook.library import make_library


class Kept:
    """The files of a build, as the next one finds them."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files

    def there(self, name: str) -> bool:
        return name in self.files

    def same(self, name: str, text: str) -> bool:
        return self.files.get(name) == text

    def text(self, name: str) -> str | None:
        return self.files.get(name)


def made(every: list[Document], before: dict[str, str] | None = None) -> dict[str, str | None]:
    return dict(search_files(every, Nothing() if before is None else Kept(before)))


def afresh(every: list[Document]) -> dict[str, str]:
    return {name: text for name, text in made(every).items() if text is not None}


def blocks_of(files: dict[str, str]) -> dict[int, list[list[str]]]:
    return {int(name[8:-3]): read_block(text) for name, text in files.items() if name.startswith("search/b")}


def holding(files: dict[str, str], gram: str) -> dict[int, int]:
    """The blocks that hold a gram by its postings, each with whether a title does."""
    listed = read_listed(files["search.js"])
    assert listed
    shard = script_value(files[f"search/g{shard_of(gram, listed.shards)}.js"])
    assert isinstance(shard, dict)
    return {posting // 2: posting % 2 for posting in unpack(shard.get(gram, ""))}


def many(count: int, seed: int = 7) -> list[Document]:
    """Documents of words that nobody chose."""
    random_ = random.Random(seed)
    vocabulary = [
        "".join(random_.choices(string.ascii_letters + "_.-:é内存", k=random_.randrange(2, 9))) for _ in range(300)
    ]
    return [
        Document(
            f"home{n // 3}", "session", f"sessions/{n}/", f"Title {n}", " ".join(random_.choices(vocabulary, k=60))
        )
        for n in range(count)
    ]


@pytest.fixture(autouse=True)
def small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several blocks and shards also for few documents."""
    monkeypatch.setattr("kb.runbook.data.search.blocks.PER_BLOCK", 800)
    monkeypatch.setattr("kb.runbook.data.search.files.PER_SHARD", 500)


@given(st.sets(st.integers(0, 2**20)))
def test_postings_are_packed_without_loss(numbers: set[int]) -> None:
    text = pack(sorted(numbers))
    assert unpack(text) == sorted(numbers)
    assert set(text) <= set(ALPHABET)


def test_whatever_is_packed_needs_no_escaping() -> None:
    assert not set(ALPHABET) & set("\"\\<>&'\n") - {"'"}
    assert len(ALPHABET) == len(set(ALPHABET))


@given(st.text(max_size=40), st.data())
def test_a_text_holds_the_grams_of_every_piece_of_it(text: str, data: st.DataObject) -> None:
    low = text.lower()
    start = data.draw(st.integers(0, len(low)))
    end = data.draw(st.integers(start, len(low)))
    assert grams(low[start:end]) <= grams(low)


def test_two_characters_of_a_script_without_spaces_are_a_gram() -> None:
    assert "内存" in grams("加载时内存不足")
    assert not any(len(gram) == 2 for gram in grams("no such thing, Ünïcödé"))


@given(st.lists(st.text(st.sampled_from("ab _.İ内存\u3000 ")) | st.text(), max_size=3))
def test_the_grams_of_parts_are_those_of_each_as_a_whole(parts: list[str]) -> None:
    assert part_grams(parts) == set().union(*(grams(f" {part.lower()} ") for part in parts))


def test_the_block_of_every_document_is_found_by_each_of_its_grams() -> None:
    every = many(60)
    files = afresh(every)
    blocks = blocks_of(files)
    assert len(blocks) > 4
    assert sorted(row[1] for block in blocks.values() for row in block) == sorted(one.url for one in every)
    for number, block in blocks.items():
        for row in block[:2]:
            for gram in grams(row[3].lower()):
                assert number in holding(files, gram)
            for gram in grams(row[2].lower()):
                assert holding(files, gram)[number] == 1


def test_no_gram_leads_to_a_block_that_lacks_it() -> None:
    files = afresh(many(60))
    blocks = blocks_of(files)
    for name, text in files.items():
        if not name.startswith("search/g"):
            continue
        shard = script_value(text)
        assert isinstance(shard, dict)
        for gram, packed in shard.items():
            for posting in unpack(packed):
                rows = blocks[posting // 2]
                assert any(gram in f" {part} ".lower() for row in rows for part in row[2:5])
                assert any(gram in f" {row[2]} ".lower() for row in rows) == bool(posting % 2)


def test_the_list_says_which_grams_are_common() -> None:
    files = afresh(many(60))
    listed = read_listed(files["search.js"])
    assert listed
    assert listed.common["tit"] == min(listed.common.values())
    assert (listed.documents, listed.blocks) == (60, len(blocks_of(files)))
    counted = {gram: len(holding(files, gram)) for gram in list(listed.common)[:50]}
    assert all(level(gram, count, listed.blocks) == listed.common[gram] for gram, count in counted.items())


def _reworded(every: list[Document]) -> list[Document]:
    return [replace(one, text=one.text + " zzq newest") if n == 7 else one for n, one in enumerate(every)]


def _retitled(every: list[Document]) -> list[Document]:
    return [replace(one, title="Xylophone") if n == 7 else one for n, one in enumerate(every)]


def _one_less(every: list[Document]) -> list[Document]:
    return every[:5] + every[6:]


def _one_more(every: list[Document]) -> list[Document]:
    return [*every, Document("home-new", "session", "sessions/new/", "A new one", "qqj jjq never seen before")]


@pytest.mark.parametrize("change", [_reworded, _retitled, _one_less, _one_more], ids=lambda one: one.__name__[1:])
def test_a_change_makes_what_a_build_from_nothing_makes_and_few_files(change) -> None:  # type: ignore[no-untyped-def]
    every = many(120)
    before = afresh(every)
    now = made(change(every), before)
    whole = {name: before[name] if text is None else text for name, text in now.items()}
    assert whole == afresh(change(every))
    assert sum(text is not None for name, text in now.items() if name.startswith("search/b")) == 1
    assert sum(text is not None for text in now.values()) < len(now)


def test_nothing_is_made_again_when_nothing_changed() -> None:
    before = afresh(many(60))
    assert {name for name, text in made(many(60), before).items() if text not in (None, before["search.js"])} == set()


@pytest.mark.parametrize("lost", ["search.js", "search/b1.js", "search/g1.js"])
def test_what_was_lost_is_made_again(lost: str) -> None:
    every = many(60)
    before = afresh(every)
    del before[lost]
    now = made(_reworded(every), before)
    whole = {name: before[name] if text is None else text for name, text in now.items()}
    assert whole == afresh(_reworded(every))


def test_what_other_code_made_is_not_built_on() -> None:
    every = many(60)
    before = afresh(every)
    before["search.js"] = before["search.js"].replace('"made":"', '"made":"0')
    now = made(_reworded(every), before)
    assert all(text is not None for name, text in now.items() if name.startswith("search/g"))


def test_documents_hold_raw_lines_and_commands() -> None:
    every = {one.url: one for one in documents(make_library(*small_knowledge()))}
    signature = every[f"s/{KIMI.id}/"]
    assert SERVER_LOG.split("\n")[9] in signature.text
    assert (signature.fix, signature.helped, signature.tries) == ("Allow kimi k2 model type", 3, 3)
    assert "--enable-expert-parallel" in every["sessions/2026-02-22-vllm-eagle3-kimi-k2-5/"].text
    assert {one.kind for one in every.values()} == {"signature", "fix", "session", "component", "tag"}
    # What belongs together lies together: few blocks are loaded for it.
    assert signature.home == every["fixes/allow-kimi-k2-model-type/"].home


def test_a_failure_is_known_by_the_initials_of_its_name() -> None:
    assert acronyms("torch.OutOfMemoryError: in KimiK25Config") == "oom kkc"


def test_hostile_names_stay_on_one_visible_line() -> None:
    every = list(documents(make_library(*hostile_knowledge())))
    assert any("<script>window.hacked=1</script>" in one.title for one in every)
    assert "\u202e" in EVIL
    for one in every:
        assert not set("\t\n\u202e") & set(one.title + one.text)
