"""The outline without a parser: what it says is what the parser says, and it is silent where it cannot know."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.record import markdown
from kb.record.markdown import Outline, outline
from kb.record.plain_outline import PlainOutline, plain_outline
from kb.record.problems import Problems

_FRONT = st.sampled_from(
    ["---\nid: x\n---\n", "---\n---\n", "---\na: b\n--- \n", "----\n---\n---\n", "---\n...\n---\n", "", "---\nx"]
)
_PLAIN = [
    *(
        "# a",
        "## Attempt 1: x",
        "### Fix: slug {a=b}",
        "#### deep",
        "####### no",
        "#no",
        "##",
        "## x ##",
        "## y \u00a0",
    ),
    *(
        "```console {exit=1}",
        "```",
        "~~~",
        "````",
        "```log",
        "   ```",
        "    ```",
        "```x y z",
        "~~~ `a`",
        "$ ls",
        "2.5 is",
    ),
    *("**bold** x", "__x__", "text", "", "", "", "`code`", "| a |", "+x", "\x0b", "\u2028x", "x\u2028# y", "*x", "\\"),
]
_OTHER = [
    *("- item", "* item", "***", "* * *", "_ _ _", "1. one", "12) x", "> q", "<div>", "<!-- x", "[a]: /u", "[link](x)"),
    *("--", "---", "===", "- - -", "  text", "    code", "\tcode", "  ## ind", "```python", "``` `x`", "\t```", "..."),
]
_LINES = st.lists(st.sampled_from(_PLAIN), max_size=12) | st.lists(
    st.sampled_from([*_PLAIN, *_OTHER]) | st.text(st.characters(exclude_characters="\r\0"), max_size=8), max_size=8
)


def by_parser(text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Outline, Problems]:
    problems = Problems("x.md")
    with monkeypatch.context() as patched:
        patched.setattr(markdown, "plain_outline", lambda lines: None)
        return outline(text, problems), problems


@given(_FRONT, _LINES)
def test_it_says_what_the_parser_says(front: str, lines: list[str]) -> None:
    text = front + "\n".join(lines)
    problems = Problems("x.md")
    found = outline(text, problems)
    with pytest.MonkeyPatch.context() as monkeypatch:
        read, noted = by_parser(text, monkeypatch)
    assert found == read
    assert problems.sorted() == noted.sorted()


@pytest.mark.parametrize("line", _OTHER)
def test_it_is_silent_where_more_of_markdown_may_be(line: str) -> None:
    assert plain_outline(["---", "---", "text", line, ""]) is None or line == "..."


def test_the_records_of_this_repository_need_no_parser() -> None:
    for path in sorted((Path(__file__).parents[2] / "sessions").glob("*.md")):
        assert isinstance(plain_outline(path.read_text("utf-8").split("\n")), PlainOutline), path.name
