"""The targets that kb can write rules for. A new one is one file and one line here."""

from __future__ import annotations

import importlib
from typing import cast

from kb.errors import UsageError
from kb.rules.exporters.interface import Exporter

#: target -> its module; imported when it is used.
EXPORTERS = {
    "jsonl": "kb.rules.exporters.jsonl",
    "patterns": "kb.rules.exporters.patterns",
    "github": "kb.rules.exporters.github",
    "sarif": "kb.rules.exporters.sarif",
    "prometheus": "kb.rules.exporters.prometheus",
    "mtail": "kb.rules.exporters.mtail",
    "loki": "kb.rules.exporters.loki",
    "sigma": "kb.rules.exporters.sigma",
    "vrl": "kb.rules.exporters.vrl",
    "allure": "kb.rules.exporters.allure",
    "lnav": "kb.rules.exporters.lnav",
}


def exporter(name: str) -> Exporter:
    """The exporter called `name`. Raises UsageError when there is none."""
    if name not in EXPORTERS:
        raise UsageError(f"no target is called {name!r}", hint="`kb rules targets` lists them")
    return cast(Exporter, importlib.import_module(EXPORTERS[name]))
