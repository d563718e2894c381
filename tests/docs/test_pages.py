"""Every command of the documentation does what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .blocks import CHECKOUT, PAGES, Reader, agrees, blocks, demo_folder, follow, prepare

#: Blocks that no test can run: a server, and the commands that make the environment of this test.
MOST_NOT_RUN = 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page_do_what_it_says(page: Path) -> None:
    text = page.read_text("utf-8")
    with demo_folder() as folder:
        prepare(text, folder, CHECKOUT)
        followed = list(follow(text, Reader(folder)))
    for number, (block, command, status, printed) in enumerate(followed):
        last = number + 1 == len(followed) or followed[number + 1][0].line != block.line
        place = f"{page.name}:{block.line}: {command.text}"
        shown = "\n".join(printed)
        assert status == (block.status if last else 0), f"{place}\nexit status {status}\n{shown}"
        if block.language == "console":
            assert agrees(command.output, printed), (
                f"{place}\nprints what is below; if that is right, run `make docs`\n{shown}"
            )


def test_blocks_that_are_not_run_are_few_and_say_why() -> None:
    reasons = [
        block.said.removeprefix("not run:").strip()
        for page in PAGES
        for block in blocks(page.read_text("utf-8"))
        if block.said.startswith("not run:")
    ]
    assert all(reasons)
    assert len(reasons) <= MOST_NOT_RUN


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^(`{3,}|~{3,}).*?^\1", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target or target.startswith(("#", "mailto:")):
            continue
        assert (page.parent / target.partition("#")[0]).exists(), f"{page.name}: {target}"


def test_only_the_comment_right_above_a_block_counts() -> None:
    page = "<!-- exit 1 -->\n```console\n$ false\n```\n\n<!-- not run: a server -->\n```bash\nserve\n```\n\n```bash\nls\n```\n"
    assert [(block.status, block.is_run) for block in blocks(page)] == [(1, True), (0, False), (0, True)]


def test_a_line_of_dots_stands_for_any_lines() -> None:
    assert agrees(["a", "…", "d"], ["a", "b", "c", "d"])
    assert agrees(["a", "…"], ["a"])
    assert not agrees(["a", "…", "d"], ["a", "b"])
    assert agrees(["abc…"], ["abcdef"])
    assert not agrees(["abc"], ["abcdef"])
    assert agrees(["x", "   ^^^^"], ["x", "   ~~~^^"])


def test_pictures_are_shown_somewhere_and_load_nothing() -> None:
    pictures = sorted((CHECKOUT / "site" / "docs" / "assets" / "pictures").glob("*.svg"))
    shown = "".join(page.read_text("utf-8") for page in PAGES)
    assert pictures
    for picture in pictures:
        assert f"pictures/{picture.name}" in shown
        text = picture.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?:|@import|url\((?!#)|<script|/tmp/", text), picture.name
