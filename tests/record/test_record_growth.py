"""Reading is linear: twice the text makes about twice the calls, whatever the text is."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from kb.record.reader import read_session

HEAD = "---\nkb: 1\nid: a\ntitle: a\nstarted: 2026-01-01T00:00:00Z\n---\n\n"
REPEATED = {
    "attempts": "## Attempt 1: a {reruns=1}\n\n```log {a=b}\nx\n```\n\n",
    "fences that are never closed": "```console {exit=1}\n$ a\n",
    "fences of growing confusion": "```log\n~~~console\n",
    "attempts with a fence that is never closed": "## Attempt 1: a\n\n~~~log\nx\n",
    "comments that are never closed": "<!-- a\n\n",
    "headings with braces": "## Attempt 1: a" + ' {a="' * 20 + "}\n",
    "headings that nobody knows": "### Diagnos {a=b}\n",
    "quotes in quotes": "> > - > ",
    "lists": "- a\n  - b\n",
    "link definitions": "[a]: b\n",
    "brackets": "[a](b ",
    "underlines": "a\n---\n",
    "notes": "```note {enc=c}\n\\\n```\n",
    "blank lines": "\n",
    "spaces": " ",
}


def calls(work: Callable[[], object]) -> int:
    """How many calls `work` makes, those of built-in functions included."""
    count = 0

    def profile(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("piece", REPEATED.values(), ids=REPEATED.keys())
def test_twice_the_text_makes_about_twice_the_calls(piece: str) -> None:
    once, twice = HEAD + piece * 200, HEAD + piece * 400
    read_session(once, "a.md")
    few, many = (calls(lambda text=text: read_session(text, "a.md")) for text in (once, twice))
    assert many <= 2.2 * few


def test_twice_the_front_matter_makes_about_twice_the_calls() -> None:
    def front(count: int) -> str:
        return HEAD[:-5] + "components:\n" + "".join(f"  c{n}: 1.{n}\n" for n in range(count)) + "---\n"

    read_session(front(200), "a.md")
    few, many = (calls(lambda count=count: read_session(front(count), "a.md")) for count in (200, 400))
    assert many <= 2.2 * few
