"""The pages of the runbook: what each says, and that nothing in a record becomes markup."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hostile_factory import hostile_knowledge
from runbook_factory import ENGINE, KIMI, MROPE, OOM, ROPE, kimi_session, small_knowledge

from kb.errors import SiteError
from kb.home import Home
from kb.knowledge.model import Knowledge
from kb.record.model import Session
from kb.runbook.data.search.documents import documents
from kb.runbook.library import make_library
from kb.runbook.page import Page
from kb.runbook.pages import drafts, pages
from kb.runbook.templating import Templates
from kb.runbook.urls import signature_url

FIRST = "2026-02-22-vllm-eagle3-kimi-k2-5"


class Text(HTMLParser):
    """The text of a page as a reader sees it, and its elements."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def read(body: str) -> Text:
    reader = Text()
    reader.feed(body)
    reader.close()
    return reader


def text(page: Page) -> str:
    return " ".join("".join(read(page.body).words).split())


@pytest.fixture(scope="module")
def site() -> dict[str, Page]:
    return {page.url: page for page in pages(*small_knowledge())}


def test_every_signature_session_fix_and_component_has_a_page(site: dict[str, Page]) -> None:
    assert {page.kind for page in site.values()} == {
        "home", "signature", "session", "fix", "component", "signatures", "sessions", "fixes", "components",
        "tag", "tags", "statistics", "work",
    }  # fmt: skip
    assert "components/vllm/" in site
    assert "fixes/serve-without-drafter/" in site


def test_a_signature_page_begins_with_what_to_do(site: dict[str, Page]) -> None:
    said = text(site[signature_url(KIMI.id)])
    order = [
        "Kimi K2.5 config has no image_token_index",
        "A Python exception in EngineCore_DP0. The config class was renamed upstream",
        "Check first It is this one if your log has this line. Its pattern matches 3 of 3 occurrences on record.",
        "The fix is for vllm>=0.15,<0.16.",
        "Do this first",
        "Allow kimi k2 model type",
        "Got past it in 3 of 3 sessions, last on 2026-06-19, vllm 0.15.1.",
        'getattr(config, "media_placeholder_token_id", None)',
        "Then expect the next failure: M-RoPE support is not implemented by the drafter",
        "How to recognise it",
        "The marked line decides because: first failure in time.",
        "These lines in the same log are mere symptoms",
        "wraps another failure",
        "It is not this one if you see",
        "says 'rope_theta'; this one says 'image_token_index'",
        "Kimi K2.5 config has no rope_theta",
        "Why it happens",
        "Rules out: a broken download",
        "Fixes, best first",
        "What comes next",
        "Serve without drafter",
        "fixed",
        "Where it was seen",
        "os: Ubuntu 24.04",
        "History",
        "first got past with Allow kimi k2 model type",
        "The rule",
        "[A-Za-z_][0-9A-Za-z_]*",
    ]
    positions = [said.find(words) for words in order]
    assert -1 not in positions, order[positions.index(-1)]
    assert positions == sorted(positions)


def test_the_headings_of_a_page_are_its_contents(site: dict[str, Page]) -> None:
    for page in site.values():
        ids = [attributes.get("id") for tag, attributes in read(page.body).elements if tag == "h2"]
        if page.toc:
            assert [anchor for anchor, _ in page.toc] == ids


def test_sessions_that_say_the_same_share_one_diagnosis(site: dict[str, Page]) -> None:
    assert text(site[signature_url(KIMI.id)]).count("Rules out: a broken download") == 1


def test_a_dead_end_is_no_advice(site: dict[str, Page]) -> None:
    said = text(site[signature_url(OOM.id)])
    assert "No fix is proven yet. Skip the 1 dead end below." in said
    assert said.index("Dead ends") < said.index("Set expandable segments")
    assert "did not help in 1 try" in said


def test_a_symptom_sends_the_reader_to_the_cause(site: dict[str, Page]) -> None:
    said = text(site[signature_url(ENGINE.id)])
    assert "Look further up: this line wraps another failure." in said
    assert said.index("the cause was") < said.index(KIMI.title) < said.index("How to recognise it")


def test_a_chain_goes_on_to_its_end(site: dict[str, Page]) -> None:
    said = text(site[signature_url(KIMI.id)])
    chain = said[said.index("What comes next") : said.index("Where it was seen")]
    assert (
        chain.index(KIMI.title) < chain.index(MROPE.title) < chain.index("Serve without drafter") < chain.index("fixed")
    )


def test_a_chain_that_turns_in_a_circle_ends() -> None:
    knowledge, records = small_knowledge()
    forth = knowledge.signatures[KIMI.id].next
    back = tuple(replace(chain, before=MROPE.id, after=KIMI.id) for chain in forth)
    circle = {**knowledge.signatures, MROPE.id: replace(knowledge.signatures[MROPE.id], next=back)}
    made = {page.url: page for page in pages(Knowledge(knowledge.sessions, circle), records)}
    assert text(made[signature_url(KIMI.id)])


def test_a_session_page_tells_the_attempts_in_order(site: dict[str, Page]) -> None:
    said = text(site[f"sessions/{FIRST}/"])
    order = [
        "worked around", "took 6 h 30 min", "vllm 0.15.1", "gpu: 8x RTX PRO 6000",
        "start the server", "exit status 1", "--enable-expert-parallel", "Log · server.log",
        "Diagnosis", "Fix: Allow kimi k2 model type", "got past it, to the next failure",
        "start again", "serve-without-drafter", "fixed it",
        "start without the drafter", "ran without a failure", "How it ended", "at half the speed",
    ]  # fmt: skip
    at = 0
    for words in order:
        at = said.find(words, at)
        assert at >= 0, words


def test_only_commands_are_copied_from_a_console(site: dict[str, Page]) -> None:
    elements = read(site[f"sessions/{FIRST}/"].body).elements
    copies = [attributes["data-copy"] for _, attributes in elements if "data-copy" in attributes]
    assert copies[0] == (
        "python3 -m vllm.entrypoints.openai.api_server \\\n    --enable-expert-parallel --tensor-parallel-size 8"
    )


def test_a_session_whose_record_is_gone_still_has_a_page() -> None:
    knowledge, records = small_knowledge()
    made = {page.url: page for page in pages(knowledge, {k: v for k, v in records.items() if k != FIRST})}
    assert "cannot be read any more" in text(made[f"sessions/{FIRST}/"])


def test_a_fix_page_says_what_it_did_to_which_failure(site: dict[str, Page]) -> None:
    said = text(site["fixes/serve-without-drafter/"])
    assert "helped in 3 of 3 tries" in said
    assert MROPE.title in said
    assert "Leave the drafter out." in said


def test_the_home_page_shows_causes_and_no_symptoms(site: dict[str, Page]) -> None:
    said = text(site[""])
    assert KIMI.title in said
    assert ENGINE.title not in said
    assert "6 signatures known, 2 fixes proven, from 5 sessions." in said


def test_tables_list_everything(site: dict[str, Page]) -> None:
    said = text(site["signatures/"])
    assert all(signature.title in said for signature in (KIMI, MROPE, ENGINE, OOM, ROPE))


def test_long_tables_have_several_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.runbook.library.ROWS", 2)
    made = {page.url: page for page in pages(*small_knowledge())}
    assert {"signatures/", "signatures/_2/", "signatures/_3/"} <= set(made)
    assert made["signatures/_2/"].title == "Signatures, page 2"


def test_an_empty_knowledge_base_has_pages_too() -> None:
    made = {page.url: page for page in pages(Knowledge({}, {}), {})}
    tables = {"signatures/", "sessions/", "fixes/", "components/", "tags/"}
    assert set(made) == {"", *tables, "statistics/", "work/"}
    assert "Nothing is left to do" in text(made["work/"])
    assert "holds no session yet" in text(made[""])


def test_hostile_records_make_no_element_of_their_own() -> None:
    knowledge, records = hostile_knowledge()
    harmless = {tag for page in pages(*small_knowledge()) for tag, _ in read(page.body).elements}
    harmless |= {"s", "hr", "ol", "input", "label", "em", "table", "td", "th", "tr", "thead", "tbody", "br"}
    seen = 0
    for page in pages(knowledge, records):
        for tag, attributes in read(page.body).elements:
            assert tag in harmless, (page.url, tag)
            assert not [name for name in attributes if name.startswith("on")], page.url
            href = attributes.get("href") or ""
            assert href.startswith(("../", "#", "s/", "sessions/", "signatures/")) or not href, href
            seen += 1
    assert seen > 500


def test_hostile_text_is_shown_as_it_is() -> None:
    made = {page.url: page for page in pages(*hostile_knowledge())}
    said = text(made["sessions/2026-01-01-hostile/"])
    for words in ("<script>window.hacked=1</script>", "{{ 7*7 }}", '--8<-- "mkdocs.yml"', "<U+202E>gnp.exe", "${7*7}"):
        assert words in said


def test_no_two_pages_have_the_same_address() -> None:
    for knowledge, records in (small_knowledge(), hostile_knowledge()):
        urls = [page.url for page in pages(knowledge, records)]
        assert len(urls) == len(set(urls))


def test_a_page_depends_on_nothing_but_its_content() -> None:
    knowledge, records = small_knowledge()
    bodies = {}
    for _ in range(2):
        library = make_library(knowledge, records)
        bodies = {
            draft.url: draft.render().body for draft in drafts(library, Templates(None, knowledge.sessions.keys()))
        }
    changed = {**records, FIRST: records[FIRST].model_copy(update={"closing": "Something else."})}
    again = make_library(knowledge, changed)
    after = {draft.url: draft.render().body for draft in drafts(again, Templates(None, knowledge.sessions.keys()))}
    assert [url for url in bodies if bodies[url] != after[url]] == [f"sessions/{FIRST}/"]


class _Counted(dict[str, Session]):
    """Records that count how often each is read."""

    read: Counter[str]

    def __getitem__(self, key: str) -> Session:
        self.read[key] += 1
        return super().__getitem__(key)


def test_a_record_is_read_once_for_all_pages_and_the_search() -> None:
    knowledge, records = small_knowledge()
    counted = _Counted(records)
    counted.read = Counter()
    library = make_library(knowledge, counted)
    for draft in drafts(library, Templates(None, knowledge.sessions.keys())):
        draft.render()
    assert any(one.kind == "session" and one.text for one in documents(library))
    assert counted.read == dict.fromkeys(records, 1)


def test_a_knowledge_base_can_bring_templates_of_its_own(tmp_path: Path) -> None:
    own = tmp_path / "templates" / "pages"
    own.mkdir(parents=True)
    (own / "components.html").write_text("<h1>Ours, {{ page.total }}</h1>", "utf-8")
    made = {page.url: page for page in pages(*small_knowledge(), Home(tmp_path))}
    assert made["components/"].body == "<h1>Ours, 3</h1>"
    assert "Do this first" in made[signature_url(KIMI.id)].body


def test_a_template_that_cannot_be_rendered_is_named_with_its_line(tmp_path: Path) -> None:
    own = tmp_path / "templates" / "pages"
    own.mkdir(parents=True)
    (own / "components.html").write_text("<h1>\n{{ page.no_such_thing }}", "utf-8")
    with pytest.raises(SiteError, match="no_such_thing"):
        list(pages(*small_knowledge(), Home(tmp_path)))
    (own / "components.html").write_text("<h1>\n{% if %}", "utf-8")
    with pytest.raises(SiteError) as caught:
        list(pages(*small_knowledge(), Home(tmp_path)))
    assert str(caught.value.location).endswith("components.html:2")


def test_a_session_without_an_end_has_no_duration() -> None:
    session = kimi_session().model_copy(update={"ended": None, "resolution": "open"})
    knowledge, records = small_knowledge()
    facts = replace(knowledge.sessions[FIRST], ended="", resolution="open")
    changed = Knowledge({**knowledge.sessions, FIRST: facts}, knowledge.signatures)
    made = {page.url: page for page in pages(changed, {**records, FIRST: session})}
    assert "still open" in text(made[f"sessions/{FIRST}/"]).lower()
