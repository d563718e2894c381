"""Reading the runbook: pages fit, nothing complains, nothing is asked of anybody else, commands can be copied."""

from __future__ import annotations

from pathlib import Path

import pytest
from runbook_factory import KIMI, SERVER_LOG

PAGES = [
    "",
    f"s/{KIMI.id}/",
    "sessions/2026-02-22-vllm-eagle3-kimi-k2-5/",
    "fixes/serve-without-drafter/",
    "components/vllm/",
    "signatures/",
    "sessions/",
    "fixes/",
    "components/",
    "guide/what-kb-is/",
]


@pytest.mark.parametrize("disk", [False, True], ids=["served", "from disk"])
@pytest.mark.parametrize("width", [1280, 390])
def test_every_kind_of_page_fits_and_is_quiet(visit, small: Path, width: int, disk: bool) -> None:  # type: ignore[no-untyped-def]
    for dark in (False, True):
        with visit(small, width=width, dark=dark, disk=disk) as reader:
            for path in PAGES:
                page = reader.open(path)
                assert page.locator("h1").count() == 1, path
                assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path


def test_what_to_do_first_is_seen_without_scrolling(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    for width in (1280, 390):
        with visit(small, width=width) as reader:
            box = reader.open(f"s/{KIMI.id}/").locator(".kb-first pre").bounding_box()
            assert box
            assert box["y"] + box["height"] < 900


def copied(page, kind: str) -> str:  # type: ignore[no-untyped-def]
    """What the copy button of the first block of this kind puts into the clipboard."""
    page.evaluate("navigator.clipboard.writeText('')")
    block = page.locator(kind).first
    block.hover()
    block.locator("button[data-md-type=copy]").click()
    page.get_by_text("Copied to clipboard").wait_for()
    return str(page.evaluate("navigator.clipboard.readText()"))


def test_a_command_is_copied_as_it_was_run(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small, permissions=["clipboard-read", "clipboard-write"]) as reader:
        page = reader.open("sessions/2026-02-22-vllm-eagle3-kimi-k2-5/")
        assert copied(page, ".kb-step-console") == (
            "python3 -m vllm.entrypoints.openai.api_server \\\n    --enable-expert-parallel --tensor-parallel-size 8"
        )


def test_a_log_is_copied_line_by_line(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small, permissions=["clipboard-read", "clipboard-write"]) as reader:
        page = reader.open("sessions/2026-02-22-vllm-eagle3-kimi-k2-5/")
        assert copied(page, ".kb-step-log") == SERVER_LOG.rstrip("\n")


def test_pages_opened_from_disk_lead_to_each_other(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small, disk=True) as reader:
        page = reader.open("signatures/")
        page.get_by_role("link", name=KIMI.title).first.click()
        page.wait_for_load_state()
        assert page.url.endswith(f"/s/{KIMI.id}/index.html")
        page.locator(".md-tabs__link", has_text="Sessions").click()
        page.wait_for_load_state()
        assert page.locator("h1").inner_text() == "Sessions"


def test_a_table_shows_only_the_rows_asked_for(visit, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        page = reader.open("signatures/")
        # Short tables have no box; this one gets it here.
        page.evaluate(
            """() => {
                const box = document.createElement("input");
                box.dataset.kbFilter = "";
                document.querySelector("h1").after(box, Object.assign(document.createElement("p"), {id: "said"}));
                document.getElementById("said").dataset.kbFilterCount = "";
                dispatchEvent(new Event("DOMContentLoaded"));
            }"""
        )
        page.locator("[data-kb-filter]").fill("KIMI k2.5")
        assert page.locator(".kb-signatures tbody tr:visible").count() == 2
        assert page.locator("[data-kb-filter-count]").inner_text() == "2 of 6"


def test_the_active_tab_is_that_of_the_page(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        page = reader.open("fixes/serve-without-drafter/")
        assert page.locator(".md-tabs__item--active").inner_text() == "Fixes"


def test_a_diff_keeps_its_lines_on_a_phone(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small, width=390) as reader:
        page = reader.open("sessions/2026-02-22-vllm-eagle3-kimi-k2-5/")
        lines = """(kind) => {
            const code = document.querySelector(`.kb-${kind} code`);
            const line = code.querySelector(".kb-l") ?? code;
            line.textContent = "x";
            const height = line.offsetHeight;
            line.textContent = "a_long_name_".repeat(12) + "x";
            return [line.offsetHeight - height, code.scrollWidth > code.clientWidth];
        }"""
        assert page.evaluate(lines, "diff") == [0, True]
        assert page.evaluate(lines, "cmd") == [0, True]
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_a_fix_says_first_how_it_is_made(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small, width=390) as reader:
        page = reader.open("fixes/serve-without-drafter/")
        assert page.locator("h2").first.inner_text().startswith("How to make it")
        box = page.locator(".kb-said").first.bounding_box()
        assert box
        assert box["y"] < 300


LONG_LOG = """() => {
    const line = document.querySelector("#this-one ~ .kb-log .kb-l-root");
    const filler = Object.assign(document.createElement("span"), { className: "kb-l", textContent: "filler\\n".repeat(200) });
    line.before(filler);
    line.closest("code").scrollTop = 0;
    dispatchEvent(new Event("DOMContentLoaded"));
    const [one, place] = [line, line.closest("code")].map((each) => each.getBoundingClientRect());
    return [place.height < 500, one.top >= place.top, one.bottom <= place.bottom];
}"""


def test_a_long_log_is_shown_where_its_decisive_line_is(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small, width=390) as reader:
        assert reader.open(f"s/{KIMI.id}/").evaluate(LONG_LOG) == [True, True, True]


def test_an_old_link_leads_to_what_has_its_name_now(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        page = reader.open(f"kept/elsewhere/{KIMI.id}/")
        reader.finished()
        assert page.locator("h1").inner_text() == "This page is not here"
        assert page.locator(".kb-hit-title").first.inner_text() == KIMI.title
        page.get_by_role("link", name="signatures", exact=True).click()
        assert page.locator("h1").inner_text() == "Signatures"
        assert len(reader.errors) == 1  # the browser says that the page was not there
        reader.errors.clear()


def test_a_row_of_a_table_takes_few_lines_of_a_phone(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small, width=390) as reader:
        page = reader.open("components/")
        rows = page.locator(".kb-table tbody tr")
        assert rows.count() > 1
        assert all(row.bounding_box()["height"] < 60 for row in rows.all())


DIRECTIONS = """() => {
    const hebrew = "\u05e9\u05d2\u05d9\u05d0\u05d4";
    const write = (html) => {
        const made = Object.assign(document.createElement("p"), { innerHTML: html });
        document.querySelector("article").append(made);
        const range = document.createRange();
        range.selectNodeContents(made);
        const [outer, inner] = [made.getBoundingClientRect(), range.getBoundingClientRect()];
        return [made, inner.x - outer.x < 2 ? "left" : outer.right - inner.right < 2 ? "right" : "between"];
    };
    const [, own] = write(`${hebrew} ${hebrew}.`);
    const [mixed, side] = write(`<a href="#x">${hebrew}</a>, attempt 1.`);
    return [own, side, mixed.firstChild.getBoundingClientRect().x - mixed.getBoundingClientRect().x < 2];
}"""


def test_prose_stands_in_its_own_direction_and_a_foreign_name_turns_nothing(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        page = reader.open("sessions/2026-02-22-vllm-eagle3-kimi-k2-5/")
        assert page.evaluate(DIRECTIONS) == ["right", "left", True]
