"""Every kind of page can be read by everybody: no serious finding of axe-core, valid HTML, print, motion, any script."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rule_tools import node_module, program, ran
from runbook_factory import ENGINE, KIMI, OOM

#: One page of each kind, and the three forms of a signature's page.
PAGES = [
    "",
    f"s/{KIMI.id}/",
    f"s/{ENGINE.id}/",
    f"s/{OOM.id}/",
    "sessions/2026-02-22-vllm-eagle3-kimi-k2-5/",
    "fixes/serve-without-drafter/",
    "components/vllm/",
    "tags/multi-process/",
    "signatures/",
    "sessions/",
    "fixes/",
    "components/",
    "tags/",
    "statistics/",
    "work/",
    "rules/",
    "guide/glossary/",
    "guide/rules/",
    "guide/searching/",
]

#: What the theme itself writes against the standard, and needs: Firefox would keep its switches otherwise, and the label
#: leads to a switch that pages without contents lack.
THEMES_OWN = (
    "Bad value “” for attribute “tabindex” on element “label”",
    "Attribute “autocomplete” is only allowed when the input type is",
    "The value of the “for” attribute of the “label” element must be the ID of a non-hidden form control.",
)


# Each scheme once, and each width once: the schemes differ in colours, the widths in what is shown.
@pytest.mark.parametrize(("dark", "width"), [(False, 1280), (True, 390)], ids=["light", "dark"])
def test_no_kind_of_page_has_a_serious_finding(visit, small: Path, dark: bool, width: int) -> None:  # type: ignore[no-untyped-def]
    axe = (node_module("axe-core") / "axe.min.js").read_text("utf-8")
    found = []
    with visit(small, width=width, dark=dark) as reader:
        for path in PAGES:
            page = reader.open(path)
            page.evaluate(f"{axe};0")
            found += [
                f"{path}: {one['id']}: {one['nodes'][0]['html'][:200]}"
                for one in page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
                if one["impact"] in ("serious", "critical")
            ]
    assert not found, "\n".join(found)


def test_every_page_is_valid(small: Path, hostile: Path) -> None:
    jar = node_module("vnu-jar") / "build" / "dist" / "vnu.jar"
    for site in (small, hostile):
        pages = sorted(site.rglob("index.html"))
        checked = ran(program("java"), "-jar", jar, "--errors-only", "--format", "json", "--skip-non-html", *pages)
        said = [
            f"{one['url'].removeprefix(site.as_uri())}:{one.get('lastLine')}: {one['message']} {one.get('extract', '')}"
            for one in json.loads(checked.stderr)["messages"]
            if not one["message"].startswith(THEMES_OWN)
        ]
        assert not said, "\n".join(said)


@pytest.mark.parametrize("width", [1280, 700], ids=["wide", "as paper"])
def test_printing_shows_all_of_a_signature_and_no_frame(visit, small: Path, width: int) -> None:  # type: ignore[no-untyped-def]
    with visit(small, width=width) as reader:
        page = reader.open(f"s/{KIMI.id}/")
        page.emulate_media(media="print")
        assert not page.locator(".md-header").is_visible()
        assert not page.locator(".md-sidebar--secondary").is_visible()
        for part in ("#check", "#first", "#this-one", "#fixes", "#next", "#seen", "#history", "#pattern"):
            assert page.locator(part).is_visible(), part
        assert page.locator("details.kb-fix pre, details.kb-fix .kb-tries").first.is_visible()
        page.locator(".kb-first code").evaluate("(one) => { one.textContent = 'a long command '.repeat(200); }")
        cut = """() => [...document.querySelectorAll(".kb-what, .kb-chips, .kb-code code")].filter((one) =>
            one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)"""
        assert page.evaluate(cut) == []


def test_paper_is_light_also_from_a_dark_screen(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small, dark=True) as reader:
        page = reader.open(f"s/{KIMI.id}/")
        page.emulate_media(media="print", color_scheme="dark")
        page.evaluate("document.getAnimations().forEach((one) => one.finish())")  # colours change over some frames
        seen = """() => ["body", ".kb-first", ".kb-check", ".kb-log code", ".kb-table th"].flatMap((one) => {
            const style = getComputedStyle(document.querySelector(one));
            const light = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 3;
            const bare = style.backgroundColor === "rgba(0, 0, 0, 0)";
            return light(style.color) < 120 && (bare || light(style.backgroundColor) > 220) ? [] : [one];
        })"""
        assert page.evaluate(seen) == []


def test_tables_of_numbers_say_on_a_phone_what_they_count(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small, width=390) as reader:
        page = reader.open("statistics/")
        heads = page.locator(".kb-counts th:first-child")
        assert heads.count() > 2
        assert all(head.is_visible() for head in heads.all())
        places = (
            page.locator(".kb-counts tbody tr")
            .first.locator("td")
            .evaluate_all("(cells) => cells.map((one) => one.getBoundingClientRect().y)")
        )
        assert len(set(places)) == 1


def test_every_overview_leads_to_the_others(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        for path in ("work/", "statistics/", "tags/"):
            page = reader.open(path)
            assert page.locator(".md-tabs__item--active").inner_text() == "Overview"
            assert page.locator(".kb-siblings a").count() == 2


@pytest.mark.parametrize("width", [1280, 390])
def test_what_has_the_focus_can_be_seen(visit, small: Path, width: int) -> None:  # type: ignore[no-untyped-def]
    """Also of the menu that the theme hides beside a narrow page; a page that is magnified is narrow."""
    seen = """() => {
        const one = document.activeElement;
        const shown = (one.closest("label") ?? (one.offsetHeight ? one : one.nextElementSibling)).getBoundingClientRect();
        return [one.textContent.trim() || one.title || one.tagName, shown.right > 0 && shown.left < innerWidth && shown.height > 0];
    }"""
    with visit(small, width=width, reduced_motion="reduce") as reader:
        page = reader.open(f"s/{KIMI.id}/")
        reached = []
        for _ in range(30):
            page.keyboard.press("Tab")
            reached.append(page.evaluate(seen))
        assert [name for name, visible in reached if not visible] == []
        assert [name for name, _ in reached].count("Signatures") == 1


def test_nothing_moves_where_motion_is_unwanted(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small, reduced_motion="reduce") as reader:
        page = reader.open(f"s/{KIMI.id}/")
        moving = """() => [...document.querySelectorAll("*")].filter((one) => {
            const style = getComputedStyle(one);
            const longest = (text) => Math.max(...text.split(",").map(parseFloat));
            return longest(style.transitionDuration) > 0.01 || longest(style.animationDuration) > 0.01;
        }).map((one) => one.className)"""
        assert page.evaluate(moving) == []


def test_the_first_screen_says_all_that_one_needs(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    for width, height in ((1280, 900), (390, 844)):
        with visit(small, width=width) as reader:
            reader.page.set_viewport_size({"width": width, "height": height})
            page = reader.open(f"s/{KIMI.id}/")
            for part in (
                "h1",
                ".kb-what",
                ".kb-sure",
                ".kb-decisive",
                ".kb-checks",
                ".kb-do",
                ".kb-worked",
                ".kb-first pre",
            ):
                box = page.locator(part).first.bounding_box()
                assert box, part
                assert box["y"] + box["height"] <= height, (part, width)
            assert page.locator(".kb-first button[data-md-type=copy]").count() == 1


def test_a_table_is_ordered_by_its_heads_with_the_keyboard(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        page = reader.open("signatures/")
        titles = page.locator(".kb-signatures tbody td:first-child > a")
        before = titles.all_inner_texts()
        page.get_by_role("button", name="Signature").focus()
        page.keyboard.press("Enter")
        assert titles.all_inner_texts() == sorted(before, key=str.lower)
        assert page.get_by_role("columnheader", name="Signature").get_attribute("aria-sort") == "ascending"
        page.keyboard.press("Enter")
        assert titles.all_inner_texts() == sorted(before, key=str.lower, reverse=True)
        page.get_by_role("button", name="Sessions").click()
        numbers = page.locator('.kb-signatures tbody td[data-label="Sessions"]').all_inner_texts()
        assert numbers == sorted(numbers, key=int, reverse=True)
