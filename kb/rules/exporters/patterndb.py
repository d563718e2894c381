"""A pattern database for syslog-ng: messages get the signature, the fix and the link as values."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from kb.rules.exporters.telling import advice, component, headline
from kb.rules.model import Exported, TriageRule
from kb.rules.samples import made

NAME = "patterndb"
ABOUT = "syslog-ng patterndb: messages get the signature, fix and link as values"
LOAD = 'parser kb { db-parser(file("kb-patterndb.xml")); };'
PROVED = "pdbtool"

_TYPED = re.compile(r"\s*[\w-]*\s*\(")
_SPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://pypi.org/project/kb-runbook/patterndb")


def export(rules: Sequence[TriageRule], name: str) -> tuple[Exported, ...]:
    """`kb-patterndb.xml`, version 5. A PCRE parser takes the whole message; the program may be any.

    The parser's text ends at the first `@`, so that character is spelt out.
    """
    body = "".join(_rule(rule) for rule in rules)
    text = (
        "<?xml version='1.0' encoding='UTF-8'?>\n"
        "<patterndb version='5' pub_date='2026-01-01'>\n"
        f"  <ruleset name='kb' id='{uuid.uuid5(_SPACE, 'ruleset')}'>\n"
        "    <patterns><pattern>@ANYSTRING:kb.program@</pattern></patterns>\n"
        f"    <rules>\n{body}    </rules>\n"
        "  </ruleset>\n"
        "</patterndb>\n"
    )
    return (Exported("kb-patterndb.xml", text),)


def _rule(rule: TriageRule) -> str:
    spelt = rule.pattern.replace("@", "\\x40")
    pattern = escape(f"@PCRE:kb.match:.*{spelt}.*@")
    url = f"          <url>{escape(rule.url)}</url>\n" if rule.url else ""
    values = {"kb.id": rule.id, "kb.component": component(rule), "kb.fix": advice(rule), "kb.url": rule.url}
    told = "".join(
        f"          <value name={quoteattr(key)}>{escape(_template(value))}</value>\n"
        for key, value in values.items()
        if value
    )
    return (
        f"      <rule provider='kb' id='{uuid.uuid5(_SPACE, rule.id)}' class='violation'>\n"
        f"        <patterns><pattern>{pattern}</pattern></patterns>\n"
        f"        <description>{escape(headline(rule))}</description>\n"
        f"        <urls>\n{url}        </urls>\n"
        f"{_examples(rule)}"
        f"        <values>\n{told}        </values>\n"
        "      </rule>\n"
    )


def _examples(rule: TriageRule) -> str:
    """A line for pdbtool to try; none where it holds control characters, which XML cannot."""
    line = made(rule.pieces)
    if not line.isprintable() and any(char < " " and char != "\t" for char in line):
        return ""
    return (
        "        <examples><example>\n"
        f"          <test_message program='kb'>{escape(line)}</test_message>\n"
        "        </example></examples>\n"
    )


def _template(text: str) -> str:
    """`text` for a field that is a template: a dollar sign begins a macro there, and `word(` at the start a type."""
    if _TYPED.match(text):
        text = text.translate({ord("("): "[", ord(")"): "]"})
    return text.replace("$", "$$")
