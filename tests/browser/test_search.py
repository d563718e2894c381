"""The search box of the theme with our program behind it: raw error text is found as it was copied."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from runbook_factory import (
    KIMI,
    MROPE,
    OOM,
    OOM_LOG,
    SERVER_LOG,
    facts_of,
    gather_small,
    kimi_facts,
    kimi_session,
    make_signature,
    oom_facts,
    seen,
)
from site_factory import make_site

from kb.runbook.data.scripts import script_value
from kb.runbook.data.search.blocks import block_name, block_script
from kb.runbook.data.search.documents import Document
from kb.runbook.data.search.files import files_of_blocks

SESSION = "vLLM with EAGLE-3 dies at start-up on Kimi-K2.5"
NCCL = make_signature(
    "A collective operation timed out", "[Gloo] attention_v2 ~ timed out after ", ("600", "number"), " ms ^"
)

QUERIES = [
    ("AttributeError: 'KimiK25Config' object has no attribute 'image_token_index'", KIMI.title),
    (SERVER_LOG.split("\n")[9], KIMI.title),
    (SERVER_LOG.split("\n")[9].replace("3105", "77").replace("16:02", "09:59"), KIMI.title),
    ("image_token_index", KIMI.title),
    ("token_index", KIMI.title),
    ("KimiK25Config", KIMI.title),
    ("kimik25config", KIMI.title),
    ("K25", KIMI.title),
    ("[core.py:1029]", None),
    ("core.py:1029", None),
    ("core.py", None),
    ("multiproc_executor.py", "Worker process died"),
    ("-B5", "Serve without drafter"),
    ("exit code -9", SESSION),
    ("--enable-expert-parallel", SESSION),
    ("std::bad_alloc", "Out of memory while the weights load"),
    ("OutOfMemoryError", OOM.title),
    ("torch.OutOfMemoryError", OOM.title),
    (OOM_LOG, OOM.title),
    ('  File "/opt/vllm/config/speculative.py", line 418, in check\n    media = config.image_token_index\nAttributeError', None),
    ("attention_v2 ~ timed out", NCCL.title),
    ("600 ms ^", NCCL.title),
    ("attention_v2", NCCL.title),
    ("M-RoPE", MROPE.title),
    (KIMI.id, KIMI.title),
    ("allow-kimi-k2-model-type", "Allow kimi k2 model type"),
    ("8x RTX PRO 6000", SESSION),
    ("speculative-decoding", None),
    ("'image_token_index'", KIMI.title),
    ("image_token_index'", KIMI.title),
    ("no attribute 'image_token_index'", KIMI.title),
    ("ATTRIBUTEERROR: 'KIMIK25CONFIG'", KIMI.title),
    ("config.image_token_index", None),
    ("(EngineCore_DP0 pid=3105)", None),
    ("CUDA out of memory. Tried to allocate", OOM.title),
    ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 7.25 GiB", OOM.title),
    ("OutOfMemory", OOM.title),
    ("~ timed out", NCCL.title),
    ("[Gloo] attention_v2 ~ timed out after 30 ms ^", NCCL.title),
    ("ms ^", NCCL.title),
    ("attribute 'a117_idx'", "Config 117 has no index"),
    ("a117_idx", "Config 117 has no index"),
    ("engine_117.py:117", "Config 117 has no index"),
    ("NotImplementedError: M-RoPE support is not implemented in SomeOtherModel", MROPE.title),
]  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sessions above among two hundred others that share their vocabulary."""
    kimi = kimi_session()
    oom, oom_known = oom_facts()
    records = {kimi.id: kimi, oom.id: oom}
    facts = [kimi_facts(kimi), oom_known]
    other = oom.model_copy(update={"id": "2025-01-01-many", "title": "Many others", "introduction": "", "attempts": ()})
    records[other.id] = other
    occurrences = [seen(NCCL, "[Gloo] attention_v2 ~ timed out after 600 ms ^\n", "timed out", 1, "root")]
    for n in range(200):
        signature = make_signature(
            f"Config {n} has no index",
            "AttributeError: '",
            ("Config", "name"),
            f"' object has no attribute 'a{n}_idx'",
        )
        log = (
            f"(Engine pid={n}) ERROR [engine_{n}.py:{n}] AttributeError: 'Conf{n}' object has no attribute 'a{n}_idx'\n"
        )
        occurrences.append(seen(signature, log, "AttributeError", 1, "root"))
    facts.append(facts_of(other, occurrences))
    return make_site(tmp_path_factory.mktemp("search"), gather_small(facts), records)


@pytest.mark.parametrize("disk", [False, True], ids=["served", "from disk"])
def test_every_kind_of_query_finds_what_it_should(visit, site: Path, disk: bool) -> None:  # type: ignore[no-untyped-def]
    with visit(site, disk=disk) as reader:
        reader.open()
        missed = {}
        for query, title in QUERIES:
            known = reader.paste(query)
            found = [*known, *reader.page.locator(".kb-hit-title").all_inner_texts()]
            if title is not None and title not in found[:1]:
                missed[query] = found[:3]
        assert missed == {}


def test_the_first_result_leads_to_its_page(visit, site: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(site) as reader:
        page = reader.open("sessions/2026-02-22-vllm-eagle3-kimi-k2-5/")
        page.keyboard.press("/")
        reader.search("image_token_index")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/s/{KIMI.id}/")


def test_hits_are_marked_and_say_what_they_are(visit, site: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(site) as reader:
        page = reader.open()
        reader.search("image_token_index")
        first = page.locator(".kb-hit").first
        assert first.locator(".kb-hit-title mark").inner_text() == "image_token_index"
        assert first.locator(".kb-hit-kind").inner_text() == "signature"
        assert "Allow kimi k2 model type" in first.inner_text()


def test_hand_written_pages_are_found_too(visit, site: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(site) as reader:
        reader.open()
        assert "What failed?" in reader.search("What failed?")


def test_a_failure_is_found_by_the_initials_of_its_name(visit, site: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(site) as reader:
        reader.open()
        for query in ("oom", "OOM"):
            # A guide and a session say it in so many words; the signature only has an OutOfMemoryError.
            assert OOM.title in reader.search(query)[:3]


def test_nothing_is_an_answer(visit, site: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(site) as reader:
        page = reader.open()
        assert reader.search("qqqzzzxxx") == []
        assert "nothing found" in page.locator(".kb-paste .kb-stat").inner_text()
        assert "Try fewer words" in page.locator(".kb-hits").inner_text()
        assert not page.get_by_role("heading", name="Most frequent").is_visible()


#: All rows, judged as the search judges them; and what the search gives, which loads but some.
SCANNED = """async (query) => {
    const index = await kbSearch.open(kb.load);
    const all = await Promise.all(Array.from({ length: index.blocks }, (_, i) => kbSearch.rowsOf(kb.load, i)));
    const answer = await kbSearch.find(query, kb.load);
    const urls = (hits) => hits.filter((hit) => hit.tier >= kbRank.TIER.words).map((hit) => hit.row.url);
    return [urls(kbRank.ranked(all.flat(), kbRank.ask(query, index.rarity))), urls(answer.hits), answer.more, answer.read.length];
}"""


def test_the_answer_is_that_of_a_scan_of_everything(visit, site: Path) -> None:  # type: ignore[no-untyped-def]
    knowledge_texts = [
        line
        for path in sorted((site / "assets/kb/data/search").glob("b*.js"))
        for line in re.findall(r'[^"\\]{12,}', path.read_text())
    ]
    random_ = random.Random(3)
    with visit(site) as reader:
        page = reader.open()
        compared = 0
        for text in random_.sample(knowledge_texts, 60):
            start = random_.randrange(len(text) - 8)
            query = text[start : start + random_.randrange(4, 40)]
            scanned, found, more, read = page.evaluate(SCANNED, query)
            if more:  # so many may hold it that not all were looked at
                assert set(found) <= set(scanned), query
                continue
            if read:  # no page holds it as it stands
                assert scanned == [], query
                continue
            # Words so short lead nowhere but where all of it stands.
            if max(map(len, re.findall(r"\w+", query)), default=0) < 3:
                assert set(found) <= set(scanned), query
                continue
            compared += 1
            assert found == scanned, query
        assert compared > 30


RANKED = """(query) => kbRank.ranked([
    ["session", "inside", "abindings and showrooms", "because of the rebinding, use it", ""],
    ["session", "start", "showroomer", "mmap binder_address roomy BinderError", ""],
    ["session", "whole", "rebinding", "a cause: the room, to bind. OutOfMemoryError", "oom"],
].map(kbText.read), kbRank.ask(query, () => 1)).map((hit) => hit.row.url)"""


@pytest.mark.parametrize(
    ("query", "urls"),
    [
        ("bind", ["whole", "start", "inside"]),
        ("cause", ["whole", "inside"]),
        ("room", ["whole", "start", "inside"]),
        ("oom", ["whole"]),
        ("use", ["inside"]),
        ("ecau", ["inside"]),
        ("eca", ["inside"]),
        ("Addr", ["start"]),
        ("imge_token", []),
    ],
)
def test_whole_words_count_more_than_beginnings_and_those_more_than_insides(  # type: ignore[no-untyped-def]
    visit, small: Path, query: str, urls: list[str]
) -> None:
    with visit(small) as reader:
        assert reader.open().evaluate(RANKED, query) == urls


ALIKE = """(query) => kbRank.ranked([
    ["signature", "named", "InvalidArgument: No strategy for co_dtype", "", ""],
    ["signature", "quoted", "InvalidArgument: No strategy for 'quididi'", "", ""],
    ["signature", "other", "InvalidArgument: some strategy, for 'quididi' no", "", ""],
].map(kbText.read), kbRank.ask(query, () => 1)).map((hit) => hit.row.url)"""


def test_of_lines_alike_the_one_that_stands_as_it_was_pasted_is_first(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        page = reader.open()
        # Values that nothing holds, however long, take nothing from what the rest says.
        for value in (
            "lonero",
            "<Fuzaki object at 0x8bb0a844e5a7d21>",
            "/data/codiqui/extraordinarily/long/path/1.bin",
        ):
            assert page.evaluate(ALIKE, f"InvalidArgument: No strategy for '{value}'") == ["quoted", "named", "other"]
        assert page.evaluate(ALIKE, "InvalidArgument: No strategy for co_other")[0] == "named"


SYLLABLES = "ba co di fu ga he ki lo mu ne pa ro si tu vo xe za ti re on".split()  # noqa: SIM905

#: What stands first for each query, from data given by name.
FIRSTS = """async ([files, queries]) => {
    const load = async (name) => files[name];
    const firsts = [];
    for (const query of queries) firsts.push((await kbSearch.find(query, load)).hits[0]?.row.url ?? "");
    return firsts;
}"""


class Lines:
    """Lines of many programs, made of few words in many orders: with a value that each run draws anew, and a name."""

    def __init__(self) -> None:
        self.chance = random.Random(4)
        self.words = [self.word(2, 4) for _ in range(200)]
        self.forms = [
            f"{self.words[number % 40].title()}Error: {self.some(2)} @ {self.some(self.chance.randint(1, 3))}"
            for number in range(1500)
        ]
        self.names = [f"{self.some(1)}_{self.some(1)}_{self.some(1)}" for _ in self.forms]

    def word(self, least: int, most: int) -> str:
        return "".join(self.chance.choices(SYLLABLES, k=self.chance.randint(least, most)))

    def some(self, count: int) -> str:
        return " ".join(self.chance.choices(self.words, k=count))

    def line(self, number: int) -> str:
        value = f"<{self.word(3, 3).title()} object at 0x{self.chance.getrandbits(40):x}>"
        return self.forms[number].replace("@", value)

    def slipped(self, number: int) -> str:
        name = self.names[number]
        place = self.chance.randrange(2, len(name) - 2)
        return name[:place] + name[place + 1 :]

    def files(self) -> dict[str, object]:
        """The data of a search in which few documents stand together: one of few blocks looks at them all."""
        rows = [
            Document("x", "signature", f"s/{at}/", self.line(at), f"{self.line(at)} in {self.names[at]}").row()
            for at in range(len(self.forms))
        ]
        made = [rows[at : at + 3] for at in range(0, len(rows), 3)]
        scripts = [(f"{block_name(at)}.js", block_script(at, block)) for at, block in enumerate(made)]
        scripts += [(name, text) for name, text in files_of_blocks(made) if text]
        return {name.removesuffix(".js"): script_value(text) for name, text in scripts}


def test_values_that_no_page_has_do_not_mislead(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    lines = Lines()
    files = lines.files()
    asked = lines.chance.sample(range(len(lines.forms)), 60)
    with visit(small) as reader:
        page = reader.open()
        found = page.evaluate(FIRSTS, [files, [lines.line(at) for at in asked]])
        assert sum(url == f"s/{at}/" for url, at in zip(found, asked, strict=True)) >= 54
        found = page.evaluate(FIRSTS, [files, [lines.slipped(at) for at in asked]])
        assert sum(url == f"s/{at}/" for url, at in zip(found, asked, strict=True)) >= 54


#: What is told first that holds something, after how many files.
FIRST_TOLD = """async ([files, query]) => {
    const asked = new Set();
    const load = async (name) => { asked.add(name); return files[name]; };
    let first = null;
    const told = (now) => {
        if (now.hits.length) first ??= { read: now.read, url: now.hits[0].row.url, files: asked.size };
        return true;
    };
    const last = await kbSearch.find(query, load, told);
    return [first, last.read, asked.size];
}"""


def test_a_mistyped_name_is_answered_before_all_that_may_hold_it_is_looked_at(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    lines = Lines()
    files = lines.files()
    names = sorted({form.split(":")[0].lower() for form in lines.forms}, key=len)[-10:]
    with visit(small) as reader:
        page = reader.open()
        for name in names:
            slipped = name.replace("error", "eror")
            first, last, every = page.evaluate(FIRST_TOLD, [files, slipped])
            told = (first["files"], first["read"]) if first else (every, last)
            assert told[0] < 30, slipped
            assert told[1] == [[slipped, name]]
