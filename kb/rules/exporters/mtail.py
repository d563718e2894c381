"""An mtail program: it counts each signature in the logs that it follows."""

from __future__ import annotations

from collections.abc import Sequence

from kb.rules.exporters.telling import headline, label
from kb.rules.model import Exported, TriageRule

NAME = "mtail"
ABOUT = "mtail: a counter of each signature, for Prometheus and others that scrape it"
LOAD = "mtail --progs kb.mtail --logs '/var/log/app/*.log'"
PROVED = "mtail"


def export(rules: Sequence[TriageRule], name: str) -> tuple[Exported, ...]:
    """`kb.mtail`. A metric that is never used is an error there, so without rules there is none."""
    out = ["# Made by kb; do not edit. One counter, by signature and component."]
    if rules:
        out.append("counter kb_signature_total by kb_id, component")
    for rule in rules:
        out += [
            "",
            f"# {headline(rule)}",
            f"/{_slashes(rule.pattern)}/ {{",
            f'  kb_signature_total["{rule.id}"]["{label(rule)}"]++',
            "}",
        ]
    return (Exported("kb.mtail", "\n".join(out) + "\n"),)


def _slashes(pattern: str) -> str:
    """`pattern` between slashes: each of its own is escaped, also in classes."""
    return pattern.replace("/", "\\/")
