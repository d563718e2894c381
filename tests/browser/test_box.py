"""The one box: on the home page and over every other one, with the keyboard, by its address, and with what it remembers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rule_tools import node_module
from runbook_factory import KIMI, SERVER_LOG, facts_of, gather_small, make_signature, oom_facts, seen
from site_factory import make_site

LINE = "AttributeError: 'KimiK25Config' object has no attribute 'image_token_index'"
#: What a page may ask for after it was loaded: data, and its own mark, which a browser loads again for a new address.
DATA = r"assets/kb/(data/(rules|search)(/\w+)?\.js|mark\.svg)"
TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5"


def focused(page) -> str:  # type: ignore[no-untyped-def]
    return str(page.evaluate("document.activeElement.textContent || document.activeElement.tagName"))


def address(page) -> str:  # type: ignore[no-untyped-def]
    return str(page.evaluate("decodeURIComponent(location.search + location.hash)"))


@pytest.mark.parametrize("key", ["/", "Control+k"])
def test_a_key_opens_the_box_on_every_page(visit, small: Path, key: str) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        for path in (f"s/{KIMI.id}/", "guide/glossary/", "statistics/"):
            page = reader.open(path)
            page.keyboard.press(key)
            assert page.get_by_role("dialog").is_visible()
            assert focused(page) == "TEXTAREA"
            assert reader.paste(SERVER_LOG)[0] == KIMI.title
            page.keyboard.press("Escape")
            assert page.locator("dialog[open]").count() == 0
        page = reader.open()
        page.locator("h1").click()
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.closest('#kb-paste') !== null")
        assert page.locator("dialog").count() == 0


def test_a_slash_that_is_typed_stays_one(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        page = reader.open("signatures/")
        page.locator(".kb-ask").click()
        page.keyboard.type("a/b")
        assert page.locator(".kb-dialog textarea").input_value() == "a/b"


def test_the_header_leads_to_the_box_without_script_too(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small, java_script_enabled=False) as reader:
        page = reader.open(f"s/{KIMI.id}/")
        page.locator(".kb-ask").click()
        page.wait_for_url(reader.root)
        assert "kb triage FILE" in page.locator("#kb-paste noscript").inner_text()


def test_arrows_go_through_all_that_was_found(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        page = reader.open()
        titles = reader.search("image_token_index")
        assert titles[0] == KIMI.title
        assert len(titles) > 1
        page.locator("#kb-paste textarea").focus()
        for title in [*titles, titles[-1]]:
            page.keyboard.press("ArrowDown")
            assert focused(page) == title
        page.keyboard.press("Home")
        assert focused(page) == titles[0]
        page.keyboard.press("End")
        assert focused(page) == titles[-1]
        page.keyboard.press("Escape")
        assert page.evaluate("document.activeElement.tagName") == "TEXTAREA"
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowUp")
        assert page.evaluate("document.activeElement.tagName") == "TEXTAREA"
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/s/{KIMI.id}/")


def test_enter_waits_for_what_it_opens(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        page = reader.open()
        reader.search("rope_theta")
        page.locator("#kb-paste textarea").fill("image_token_index")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/s/{KIMI.id}/")


def test_keys_belong_to_a_text_of_several_lines(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        page = reader.open()
        reader.paste("first\n" + LINE)
        area = page.locator("#kb-paste textarea")
        area.evaluate("(one) => one.setSelectionRange(0, 0)")
        page.keyboard.press("ArrowDown")
        assert page.evaluate("document.activeElement.tagName") == "TEXTAREA"
        page.keyboard.press("Enter")
        assert area.input_value().count("\n") == 2
        page.keyboard.press("Control+Enter")
        page.wait_for_url(f"**/s/{KIMI.id}/")


@pytest.mark.parametrize("way", ["?q=", "#q="])
@pytest.mark.parametrize("path", ["", "signatures/"], ids=["home", "another page"])
def test_an_address_holds_a_query(visit, small: Path, path: str, way: str) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        page = reader.open(f"{path}{way}image_token%20index%26%27")
        reader.finished()
        assert page.locator(".kb-paste textarea").input_value() == "image_token index&'"
        # What follows `#` is never sent to a server, not even when the page is loaded again.
        assert address(page) == "#q=image_token index&'"


@pytest.mark.parametrize("disk", [False, True], ids=["served", "from disk"])
def test_the_way_back_leads_to_the_results(visit, small: Path, disk: bool) -> None:  # type: ignore[no-untyped-def]
    with visit(small, disk=disk) as reader:
        for path in ("", "signatures/"):
            page = reader.open(path)
            page.keyboard.press("/")
            titles = reader.search("image_token_index")
            assert address(page) == "#q=image_token_index"
            page.locator(".kb-hit-title").first.click()
            page.wait_for_selector(".kb-first")
            page.go_back()
            page.wait_for_selector(".kb-hit-title")
            reader.finished()
            assert page.locator(".kb-hit-title").all_inner_texts() == titles


def test_the_way_back_leads_to_a_log_over_another_page(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        page = reader.open("signatures/")
        page.keyboard.press("/")
        reader.paste(SERVER_LOG)
        page.locator(".kb-card-title").first.click()
        page.wait_for_url(f"**/s/{KIMI.id}/")
        page.go_back()
        page.wait_for_selector("dialog[open] .kb-card-first")
        assert page.locator(".kb-dialog textarea").input_value() == SERVER_LOG
        page.keyboard.press("Escape")
        page.reload()
        assert page.locator("dialog").count() == 0


def test_closing_takes_the_query_out_of_the_address(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        page = reader.open("signatures/#q=rope")
        reader.finished()
        page.get_by_role("button", name="Close").click()
        page.wait_for_url("**/signatures/")
        assert address(page) == ""


@pytest.mark.parametrize(
    "text",
    [
        f"push failed for {TOKEN}",
        "login with password=hunter2hunter2 failed",
        "Authorization: Bearer abcdefghijklmnop",
        "cannot clone https://me:hunter2@example.org/x.git",
        "sha 9f86d081884c7d659a2feaa0c55ad015",
        SERVER_LOG,
        "word " * 60,
    ],
    ids=["token", "password", "header", "address", "hash", "log", "long"],
)  # fmt: skip
def test_nothing_secret_and_no_log_is_written_down(visit, small: Path, text: str) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        page = reader.open()
        reader.search("rope_theta")
        page.wait_for_timeout(1700)
        reader.ask(text)
        page.wait_for_timeout(1700)
        assert address(page) == ""
        kept = page.evaluate(
            "Object.entries(localStorage).filter(([name]) => name.startsWith('kb-')).map(([, kept]) => kept)"
        )
        assert kept == ['["rope_theta"]']


def test_recent_searches_are_offered_and_can_be_forgotten(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        page = reader.open()
        for query in ("rope_theta", "image_token_index"):
            reader.search(query)
            page.keyboard.press("ArrowDown")
            page.keyboard.press("Enter")
            page.wait_for_selector(".kb-first")
            reader.open()
        assert page.locator(".kb-recent a").all_inner_texts() == ["image_token_index", "rope_theta"]
        page.locator(".kb-recent a").first.click()
        reader.finished()
        assert page.locator(".kb-hit-title").first.inner_text() == KIMI.title
        assert page.locator(".kb-recent a").count() == 0
        page = reader.open("signatures/")
        page.keyboard.press("/")
        page.get_by_role("button", name="Forget these").click()
        assert page.locator(".kb-recent a").count() == 0
        reader.open()
        assert page.locator(".kb-recent a").count() == 0


@pytest.mark.parametrize("disk", [False, True], ids=["served", "from disk"])
def test_the_way_back_from_a_recent_search_leads_to_before_it(visit, small: Path, disk: bool) -> None:  # type: ignore[no-untyped-def]
    with visit(small, disk=disk) as reader:
        page = reader.open()
        reader.search("rope_theta")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_selector(".kb-first")
        reader.open()
        page.locator(".kb-recent a").first.click()
        reader.finished()
        page.go_back()
        reader.expect(".kb-recent a").to_have_count(1)
        assert page.locator("#kb-paste textarea").input_value() == ""
        assert page.locator(".kb-hit-title").count() == 0
        page.go_forward()
        reader.finished()
        assert page.locator("#kb-paste textarea").input_value() == "rope_theta"
        reader.open("signatures/")
        page.keyboard.press("/")
        page.locator(".kb-recent a").first.click()
        reader.finished()
        page.go_back()
        reader.expect("dialog[open]").to_have_count(0)
        assert address(page) == ""


def test_a_query_in_the_address_stays_when_a_heading_is_gone_to(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        page = reader.open("#q=rope_theta")
        reader.finished()
        page.evaluate("location.hash = '#anywhere'")
        page.wait_for_timeout(100)
        assert page.locator("#kb-paste textarea").input_value() == "rope_theta"


def test_a_browser_without_storage_loses_nothing_else(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        reader.page.add_init_script(
            # Not to the theme, which complains.
            """for (const name of ["getItem", "setItem", "removeItem"]) {
                const allowed = Storage.prototype[name];
                Storage.prototype[name] = function (key, ...more) {
                    if (key.startsWith("kb-")) throw new DOMException("denied", "SecurityError");
                    return allowed.call(this, key, ...more);
                };
            }"""
        )
        page = reader.open()
        assert reader.paste(SERVER_LOG)[0] == KIMI.title
        page.locator(".kb-card-title").first.click()
        page.wait_for_url(f"**/s/{KIMI.id}/")


def test_what_others_put_into_the_storage_does_no_harm(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        page = reader.open()
        name = page.evaluate("`kb-recent ${kb.root.pathname}`")
        for value in ("{", "7", "null", '[1, null, "<img src=x onerror=window.hacked=1>", "ok words"]'):
            page.evaluate("([name, value]) => localStorage.setItem(name, value)", [name, value])
            page = reader.open()
            assert page.locator(".kb-recent img").count() == 0
        assert page.locator(".kb-recent a").all_inner_texts() == ["<img src=x onerror=window.hacked=1>", "ok words"]


def test_a_screen_reader_is_told_what_was_found(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        page = reader.open()
        status = page.locator("#kb-paste [role=status]")
        reader.paste(LINE)
        assert "1 known failure in 1 line" in status.inner_text()
        assert status.text_content().endswith(f"First: {KIMI.title}")
        reader.search("image_token_index")
        assert re.search(r"\d+ pages? found", status.inner_text())
        reader.search("qqqzzzxxx")
        assert "nothing found" in status.inner_text()
        assert page.get_by_role("textbox", name="Search or paste a log").count() == 1


@pytest.mark.parametrize(("dark", "width"), [(False, 1280), (True, 390)], ids=["light", "dark"])
def test_results_have_no_serious_finding(visit, small: Path, dark: bool, width: int) -> None:  # type: ignore[no-untyped-def]
    axe = (node_module("axe-core") / "axe.min.js").read_text("utf-8")
    found = []
    with visit(small, width=width, dark=dark) as reader:
        for path, text in (("", SERVER_LOG), ("", "image_token_index"), ("signatures/", LINE), ("signatures/", "exit")):
            page = reader.open(path)
            page.keyboard.press("/")
            reader.ask(text)
            page.evaluate(f"{axe};0")
            found += [
                f"{path} {one['id']}: {one['nodes'][0]['html'][:200]}"
                for one in page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
                if one["impact"] in ("serious", "critical")
            ]
    assert not found, "\n".join(found)


def test_a_log_leaves_only_requests_for_data(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        page = reader.open("signatures/")
        page.keyboard.press("/")
        reader.paste("warm")
        reader.requests.clear()
        filler = "INFO step 1: object has no news, attribute index 12 loss 0.25\n" * 40000
        page.evaluate(
            """(text) => {
                const data = new DataTransfer();
                data.setData("text/plain", text);
                document.querySelector(".kb-dialog textarea").dispatchEvent(
                    new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
            }""",
            filler + "token sk-abcdef0123456789abcdef\n" + LINE + "\n" + filler,
        )
        page.wait_for_selector(".kb-dialog .kb-card-first")
        reader.finished()
        paths = {one.removeprefix(reader.root) for one in reader.requests}
        assert [path for path in paths if not re.fullmatch(DATA, path)] == []
        assert address(page) == ""


@pytest.mark.parametrize(
    ("typed", "read"),
    [("image_tokn_idnex", "image_token_index"), ("KimiK25Confgi", "kimik25config"), ("tokn_index", "token_index")],
)
def test_a_slip_of_the_finger_is_forgiven_and_said(visit, small: Path, typed: str, read: str) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        page = reader.open()
        assert KIMI.title in reader.search(typed)[:2]
        assert f"“{typed.lower()}” read as “{read}”" in page.locator("#kb-paste .kb-stat").inner_text()


SAID = """globalThis.said = [];
    new MutationObserver(() => said.push(document.querySelector("#kb-paste .kb-stat").textContent))
        .observe(document.querySelector("#kb-paste .kb-stat"), { subtree: true, childList: true, characterData: true })"""


def test_what_stands_as_it_is_typed_is_said_before_it_is_read_otherwise(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        page = reader.open()
        page.evaluate(f"() => {{ {SAID} }}")
        reader.search("image_tokn_idnex")
        said = page.evaluate("said.filter(Boolean)")
        assert said[0] == "nothing found as it is typed; looking for words like it …"
        assert "read as “image_token_index”" in said[-1]


HEBREW, CHINESE = "שגיאה: הזיכרון אזל בטעינה", "加载权重时显存不足"


def test_every_script_is_found_and_stands_in_its_own_direction(visit, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    session, _ = oom_facts()
    signatures = [
        make_signature(HEBREW, f"RuntimeError: {HEBREW} ", ("3", "number"), " GiB"),
        make_signature(CHINESE, f"RuntimeError: {CHINESE}: ", ("3", "number"), " GiB"),
    ]
    occurrences = [seen(one, "".join(p.text for p in one.segments), "RuntimeError", 1, "root") for one in signatures]
    site = make_site(tmp_path, gather_small([facts_of(session, occurrences)]), {session.id: session})
    with visit(site) as reader:
        page = reader.open()
        for query, title in (
            ("הזיכרון", HEBREW),
            ("זיכרו", HEBREW),
            ("显存", CHINESE),
            ("显存不足", CHINESE),
            ("不足", CHINESE),
        ):
            assert reader.search(query)[:1] == [title], query
        assert reader.paste(f"RuntimeError: {HEBREW} 7 GiB") == [HEBREW]
        assert page.locator(".kb-card-title").first.evaluate("(one) => getComputedStyle(one).direction") == "rtl"
        assert page.locator(".kb-card-line").first.evaluate("(one) => getComputedStyle(one).direction") == "ltr"


def test_a_log_that_was_given_up_is_not_called_free_of_known_failures_in_silence(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        reader.open().evaluate("globalThis.kbFinder = async () => ({ found: [], lines: 2, complete: false })")
        reader.ask("first line\nError: second line\n")
        reader.expect(".kb-paste .kb-stat").to_contain_text("some of it was not looked at")
