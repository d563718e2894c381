"""A Splunk app: a saved search and an event type for each signature."""

from __future__ import annotations

from collections.abc import Sequence

from kb import __version__
from kb.rules.exporters.telling import advice, headline, plain, where
from kb.rules.model import Exported, TriageRule

NAME = "splunk"
ABOUT = "Splunk app: a saved search and an event type for each signature"
LOAD = "tar czf kb_signatures.tar.gz kb_signatures, then install the app; its searches run when you schedule them."
PROVED = "Splunk AppInspect (a linter), and PCRE2 for the patterns; no Splunk is run"

_APP = "kb_signatures"


def export(rules: Sequence[TriageRule], name: str) -> tuple[Exported, ...]:
    """The folder `kb_signatures` of the app."""
    version = ".".join((__version__.split("+")[0].split(".") + ["0", "0"])[:3])
    app = (
        f"[install]\nis_configured = 0\n\n[package]\nid = {_APP}\ncheck_for_updates = 0\n\n"
        f"[ui]\nis_visible = 0\nlabel = kb signatures\n\n"
        f"[launcher]\nauthor = kb\nversion = {version}\n"
        "description = Known failures as saved searches and event types\n\n"
        f"[id]\nname = {_APP}\nversion = {version}\n"
    )
    meta = "[]\naccess = read : [ * ], write : [ admin ]\nexport = system\n"
    return (
        Exported(f"{_APP}/default/app.conf", app),
        Exported(f"{_APP}/default/savedsearches.conf", "\n".join(map(_search, rules))),
        Exported(f"{_APP}/default/eventtypes.conf", "\n".join(map(_type, rules))),
        Exported(f"{_APP}/metadata/default.meta", meta),
    )


def query(rule: TriageRule) -> str:
    """The search of a rule: the anchor by the index, then the pattern."""
    return f"{_quoted(rule.anchor)} | regex _raw={_quoted(rule.pattern)}"


def _search(rule: TriageRule) -> str:
    return (
        f"[kb {rule.id}]\ndescription = {_line(f'{headline(rule)} {advice(rule)} {where(rule)}')}\n"
        f"search = {query(rule)}\nenableSched = 0\ndispatch.earliest_time = -24h\ndispatch.latest_time = now\n"
    )


def _type(rule: TriageRule) -> str:
    return f"[{rule.id.replace('-', '_')}]\nsearch = {_quoted(rule.anchor)}\ndescription = {_line(headline(rule))}\n"


def _quoted(text: str) -> str:
    """`text` in double quotes, where a backslash and the quote are escaped by a backslash."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _line(text: str) -> str:
    """`text` for a value: a backslash at its end would take the next line in."""
    return plain(text, 900).rstrip("\\")
