"""What an imported expression finds in a line, its portable form finds, and nothing else."""

from __future__ import annotations

import re

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from kb.rules.importers.translate import translate
from kb.rules.portable import NotPortableError, render


@pytest.mark.parametrize(
    ("expression", "hits", "misses"),
    [
        (r"Process (\d+) exited: (\w+)", ["Process 12 exited: done"], ["Process x exited: done"]),
        (r"^.*error:\s+no space left.*$", ["an error:  no space left on device"], ["error:no space left"]),
        (r"a[./-]b", ["a.b", "a/b", "a-b"], ["a+b", "ab"]),
        (r"x(?:foo|bar)?z", ["xz", "xfooz"], ["xfoz"]),
        (r"(?P<file>[^:]+):(?<line>\d+): fatal", ["a.c:7: fatal"], ["a.c:x: fatal"]),
        (r"path \/var\/lib, \"quoted\", it\'s", ["path /var/lib, \"quoted\", it's"], ["path var"]),
        (r"lazy.*?end", ["lazy and end"], ["lazy en"]),
        (r"v\d{1,3}\.\d+", ["v12.0"], ["v.0"]),
        (r"[^\s]+ killed", ["worker killed"], [" killed"]),
        (r"tab\there", ["tab\there"], ["tab here"]),
        (r"(ab)+c", ["ababc"], ["xc"]),
    ],
)  # fmt: skip
def test_it_finds_the_same(expression: str, hits: list[str], misses: list[str]) -> None:
    pattern = re2.compile(render(translate(expression)))
    assert all(pattern.search(line) for line in hits)
    assert not any(pattern.search(line) for line in misses)


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("a(?=b)", "look-ahead"), (r"(a)\1", "backward reference"), (r"\bword\b", "word boundary"), ("(?i)x", "flag"),
        ("(?i:x)y", "flag"), ("[^/]+x", "excludes characters"), ("(", "cannot be read"), ("a" * 3000, "most that is read"),
        ("[\u0400-\u0450]x", "range in a class"), (".*", "matches the empty"), ("(a{2}){3}", "counted repeat"),
    ],
)  # fmt: skip
def test_what_has_no_portable_form_is_refused_with_the_reason(expression: str, told: str) -> None:
    with pytest.raises(NotPortableError, match=told):
        translate(expression)


@given(st.text(st.sampled_from("ab.*+?()[]{}|\\dws^$-/0 \t'\"é"), max_size=25), st.text("ab0 -/é", max_size=20))
def test_any_expression_is_refused_or_finds_the_same(inner: str, line: str) -> None:
    expression = f"a{inner}b"
    try:
        pattern = render(translate(expression))
    except NotPortableError:
        return
    # What may differ: `\\w`, `\\d` and `\\s` beyond ASCII, and the dot at a line's end, which no line here has.
    assert bool(re.search(pattern, line)) == bool(re.search(expression.replace(r"\/", "/"), line, re.ASCII))
