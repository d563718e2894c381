"""Each real log in `golden/` gives the failures, roles and signatures that its `expected.txt` says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kb.failures.find import Found, find_failures
from kb.signature.sign import sign

GOLDEN = Path(__file__).parent / "golden"
CASES = sorted(p.parent for p in GOLDEN.glob("*/input.log"))


def told(found: Found) -> str:
    """The answer as a page that a person can check against the log."""
    out = [f"{found.lines} lines" + (", only symptoms" if found.symptom_only else "")]
    for index, failure in enumerate(found.failures):
        mark = "*" if index == found.primary else " "
        first, *rest = failure.message.split("\n")
        out.append(
            f"{mark} line {failure.line} ({failure.first_line}-{failure.last_line}) {failure.role}"
            f" {failure.process or '-'}: {failure.type}: {first[:160]}" + (f" (+{len(rest)} lines)" if rest else "")
        )
        out += [f"    because {reason}" for reason in failure.because]
        if index == found.primary:
            signature = sign(failure)
            out.append(f"    signature {signature.id} {signature.title}")
            out.append(f"    parts {' | '.join(signature.parts)}")
            out.append(
                f"    pattern {signature.pattern or '(none)'}"
                + (f" near {signature.context}" if signature.context else "")
            )
    out += [f"hint: {hint}" for hint in found.hints]
    return "\n".join(out) + "\n"


@pytest.mark.parametrize("case", CASES, ids=lambda p: p.name)
def test_a_real_log_gives_what_a_person_says_it_shows(case: Path) -> None:
    answer = told(find_failures((case / "input.log").read_bytes()))
    expected = case / "expected.txt"
    if os.environ.get("KB_BLESS"):
        expected.write_text(answer, "utf-8")
    assert answer == expected.read_text("utf-8")


def test_there_are_cases() -> None:
    assert len(CASES) >= 25
