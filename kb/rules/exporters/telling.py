"""What exporters say of a rule in words: one line each, for the fields that targets have for people."""

from __future__ import annotations

import re

from kb.rules.model import TriageRule

_NOT_PLAIN = re.compile(r"[^ -~]+")
_NO_LABEL = re.compile(r'["\\{}]')


def plain(text: str, longest: int = 300) -> str:
    """`text` on one line of printable ASCII, cut after `longest` characters."""
    if not (text.isascii() and text.isprintable()):
        text = _NOT_PLAIN.sub(" ", text)
    if "  " in text or text[:1] == " " or text[-1:] == " ":
        text = " ".join(text.split())
    return text if len(text) <= longest else text[: longest - 3].rstrip() + "..."


def title(rule: TriageRule) -> str:
    """The title; the id where nothing of it is ASCII, since fields of titles may not be empty."""
    return plain(rule.title) or rule.id


def component(rule: TriageRule) -> str:
    """The component; `general` where nothing of it is ASCII."""
    return plain(rule.component) or "general"


def advice(rule: TriageRule) -> str:
    """The proven fix in a sentence with its evidence, or that there is none yet."""
    if rule.remedy is None:
        return "No fix is proven yet."
    return plain(f"{rule.remedy.sentence} ({rule.remedy.kind}; {rule.remedy.evidence})")


def where(rule: TriageRule) -> str:
    """Where to read on: the runbook page, or the command that shows it."""
    return rule.url or f"kb show {rule.id}"


def label(rule: TriageRule) -> str:
    """The component as the value of a label: what PromQL, mtail or a Go template would read otherwise is left out."""
    return plain(_NO_LABEL.sub("", rule.component)) or "general"


def headline(rule: TriageRule) -> str:
    """`kb1-…: title`, as one line."""
    return plain(f"{rule.id}: {rule.title}")
