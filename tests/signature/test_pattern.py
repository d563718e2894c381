"""Patterns are portable: one escape function, a closed list of gaps, limits that hold in every engine."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kb.failures.find import find_failures
from kb.signature.gaps import GAPS
from kb.signature.masking import mask, shown
from kb.signature.model import Segment
from kb.signature.pattern import LONGEST, anchor, escape, render
from kb.signature.sign import sign

text = st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=120)


@given(text)
@settings(max_examples=400, deadline=None)
def test_an_escaped_literal_matches_itself(literal: str) -> None:
    assert re.search(escape(literal), literal) is not None


@given(text)
@example("0''")
@example("''0")
@settings(max_examples=400, deadline=None)
def test_masking_is_idempotent(message: str) -> None:
    once = shown(mask(message).segments)
    assert shown(mask(once).segments) == once


@given(text)
@settings(max_examples=400, deadline=None)
def test_the_pattern_of_a_masked_message_matches_the_message(message: str) -> None:
    segments = mask(message).segments
    pattern = render(segments)
    assert len(pattern.encode()) <= LONGEST + 200
    found = re.search(pattern, message)
    assert found is not None
    assert anchor(segments) in message


def test_only_the_characters_special_everywhere_are_escaped() -> None:
    assert escape("a.b[c]{d}(e)^$|?*+\\") == r"a\.b\[c\]\{d\}\(e\)\^\$\|\?\*\+\\"
    assert escape("/-#&~@<>\"'%,:;=!_` ") == "/-#&~@<>\"'%,:;=!_` "
    assert escape("tab\there\x01") == "tab\\there\\x01"
    assert escape("kein Öl") == "kein [^ -~]+l"


def test_a_pattern_never_ends_in_a_backslash_or_a_space() -> None:
    assert render((Segment("path is C:\\"),)) == "path is C:\\x5c"
    assert render((Segment(" padded "), Segment("<num>", "number"))) == "padded"


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_gaps_and_literals_mean_the_same_in_javascript() -> None:
    hits = {
        "number": "42", "numbers": "1, 2, -3", "size": "540.00 MiB", "hex": "0xDEADbeef", "hex-dashes": "00ff-11",
        "word": "10.0.0.1:80", "words": "2026-11-29 13:00", "url": "https://x/y", "path": "/a/b/", "value": "'n/a'",
        "name": "KimiK25", "quote": "‘", "quoted": "two words", "rest": "anything",
        "large-number": "1,234.5e-07", "large-size": "1,234.5 MiB", "quoted-path": "/srv/My Data/",
    }  # fmt: skip
    assert set(hits) == set(GAPS)
    probes = [*hits.values(), "", "x", "1.2.3", "1,2", "-", "'", "a b", "Ünicode", "3 GiB", "0x", "..", "/"]
    cases = [
        [pattern, probe, re.search(pattern, probe) is not None]
        for pattern in (f"^{gap.regex}$" for gap in GAPS.values())
        for probe in probes
    ]
    assert all(re.search(f"^{GAPS[gap].regex}$", hit) for gap, hit in hits.items())
    literals = ["a.b[c]{d}(e)^$|?*+\\", "/-#&~@<>\"'%,:;=!_` ", "tab\there\x01"]
    cases += [[escape(literal), f"xx{literal}yy", True] for literal in literals]
    program = (
        "const c=JSON.parse(require('fs').readFileSync(0));"
        "for(const f of ['','u','v'])for(const [p,t,w] of c)"
        "if(new RegExp(p,f).test(t)!==w){console.log(f,p,t,w);process.exitCode=1}"
    )
    done = subprocess.run(["node", "-e", program], input=json.dumps(cases), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("quote", ["'", '"'])
def test_the_pattern_of_a_redacted_line_finds_the_line_as_it_was_printed(quote: str) -> None:
    line = f"RuntimeError: login refused: password={quote}%s{quote} of the database"
    raw, redacted = line % "two words here", line % "<secret:value>"
    told = [sign(found.failures[0]) for text in (raw, redacted) for found in [find_failures(f"{text}\n")]]
    assert told[0].id == told[1].id
    assert told[0].pattern == told[1].pattern
    assert re.search(told[0].pattern, raw)
    assert re.search(told[0].pattern, redacted)
