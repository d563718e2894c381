"""Strategies for every session that the types of `kb.record.model` allow, leaning towards what Markdown misreads."""

from __future__ import annotations

import string
from datetime import UTC, datetime, timedelta, timezone
from typing import get_args

from hypothesis import strategies as st

from kb.record.model import (
    Attempt,
    Block,
    Confidence,
    Console,
    DeclaredFailure,
    Diagnosis,
    Fix,
    FixKind,
    Log,
    Note,
    Resolution,
    Session,
    Span,
)
from kb.record.texts import UNPRINTABLE

#: Pieces that end blocks, open them, or look like the record's own marks.
PIECES = [
    "\n\n```diff\nx\n```\n", "\n\n```log {lines=1}\nx\n```\n", "\n\n```note\nx\n```\n",
    "\n", "\n\n", "\n\n\n", " ", "    ", "\t", "\r", "\r\n", "\x0b", "\x0c", "\x00", "\x1b[31m", "\x7f", "\x85",
    "\u2028", "\u202e", "\ufeff", "\ufffe", "\xa0", "\\", "\\x41", "\\u0041", "`", "```", "````", "~~~", "```\n",
    "```log\n", "```console {exit=1}\n", "```note\n", "```diff\n", "\n```logs\n", "``` {", "---", "---\n", "\n---\n",
    "===", "...\n", "# a", "## Attempt 1: x\n", "## Attempt 2: again\n", "## y\n", "\n## Resolution\n",
    "### Fix: a {kind=patch}\n", "### Note\n", "### Run\n", "#### deep\n", "#", " #", "{", "}", " {", " {}",
    "{reruns=1}", '{a="', "$ ls\n", "<!-- ", "-->", "<pre>", "</pre>", "<?", "<![CDATA[", "<div>\n", "- ", "1. ",
    "> ", "- ```log\n", "* * *\n", "| a | b |\n", "[a]: b\n", "[a]: b 'c\n", "a\n-\n", "שלום עולם", "…", "é", "😀",
    "\u200f", "&amp;", "'", '"', ":", ": ", " #c", "yes", "1.10", "2026-01-01", "null", "~", "*x", "!!str", "@", "%",
    "\ud800",
]  # fmt: skip

any_text = st.one_of(
    st.text(max_size=20),
    st.text(alphabet=st.characters(exclude_categories=()), max_size=20),
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(string.ascii_letters, max_size=3)), max_size=12).map("".join),
)


def _to_line(text: str) -> str:
    return UNPRINTABLE.sub("", " ".join(text.split())).strip()


lines = any_text.map(_to_line).filter(bool)
slugs = st.one_of(
    st.from_regex(r"[a-z0-9]([a-z0-9.-]{0,20}[a-z0-9])?", fullmatch=True),
    st.sampled_from(["1.10", "null", "yes", "2026-01-01", "0x1f", "1e5", "a..b", "0", "x" * 120]),
)
zones = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
instants = st.datetimes(
    min_value=datetime(1, 1, 3), max_value=datetime(9999, 12, 29), timezones=st.one_of(st.just(UTC), zones)
)
durations = st.one_of(
    st.timedeltas(timedelta(0), timedelta(days=99_999)),
    st.integers(0, 10**6).map(lambda seconds: timedelta(seconds=seconds)),
)
spans = st.tuples(st.integers(1, 10**12 - 1), st.integers(1, 10**12 - 1)).map(
    lambda pair: Span(first=min(pair), last=max(pair))
)
optional_text = st.none() | any_text

blocks = st.builds(
    Block,
    language=st.one_of(
        st.sampled_from(["", "diff", "console", "log", "c++", "Note", "notes", "text"]),
        st.from_regex(r"[A-Za-z0-9_+.#-]{0,8}", fullmatch=True).filter(lambda word: word != "note"),
    ),
    body=any_text,
)
consoles = st.builds(
    Console,
    body=any_text,
    exit=st.none() | st.integers(-(2**31), 2**32 - 1),
    signal=optional_text,
    duration=st.none() | durations,
    cwd=optional_text,
    started=st.none() | instants,
)
logs = st.builds(
    Log,
    body=any_text,
    source=optional_text,
    lines=st.none() | spans,
    sha256=st.none() | st.from_regex(r"[0-9a-f]{64}", fullmatch=True),
)
diagnoses = st.builds(
    Diagnosis,
    prose=any_text,
    confidence=st.none() | st.sampled_from(get_args(Confidence)),
    rules_out=optional_text,
)
fixes = st.builds(
    Fix,
    slug=slugs,
    kind=st.sampled_from(get_args(FixKind)),
    target=optional_text,
    applies=st.none() | st.sampled_from(["vllm>=0.15,<0.16", "torch == 2.6.0; python>=3.12", "a~=1.*, <v2 b!=3"]),
    prose=any_text,
    blocks=st.lists(blocks, max_size=3).map(tuple),
)
failures = st.builds(DeclaredFailure, slug=slugs, observed=optional_text, expected=optional_text, prose=any_text)
notes = any_text.filter(lambda text: bool(text.replace("\r", "\n").strip(" \t\n"))).map(lambda text: Note(prose=text))
steps = st.one_of(consoles, logs, diagnoses, fixes, failures, notes)


@st.composite
def attempts(draw: st.DrawFn) -> tuple[Attempt, ...]:
    """Attempts in their order, some of which rerun an earlier one."""
    made = []
    for number in range(1, draw(st.integers(0, 3)) + 1):
        reruns = draw(st.none() | st.integers(1, number - 1)) if number > 1 else None
        found = tuple(draw(st.lists(steps, max_size=5)))
        made.append(Attempt(title=draw(lines), reruns=reruns, steps=found))
    return tuple(made)


@st.composite
def sessions(draw: st.DrawFn) -> Session:
    """A session with anything in it."""
    started = draw(instants)
    ended = draw(st.none() | instants)
    texts = st.dictionaries(lines.map(lambda line: line[:200].strip()), any_text, max_size=4)
    return Session(
        id=draw(slugs),
        title=draw(lines),
        started=started,
        ended=None if ended is None else max(started, ended),
        resolution=draw(st.sampled_from(get_args(Resolution))),
        components=draw(texts),
        environment=draw(texts),
        tags=tuple(draw(st.lists(slugs, max_size=3))),
        introduction=draw(any_text),
        attempts=draw(attempts()),
        closing=draw(any_text),
    )
