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
    "jenkins": "kb.rules.exporters.jenkins",
    "splunk": "kb.rules.exporters.splunk",
    "sentry": "kb.rules.exporters.sentry",
    "testinfra": "kb.rules.exporters.testinfra",
    "npd": "kb.rules.exporters.npd",
    "hyperpod": "kb.rules.exporters.hyperpod",
    "cre": "kb.rules.exporters.cre",
    "patterndb": "kb.rules.exporters.patterndb",
    "sec": "kb.rules.exporters.sec",
    "sql": "kb.rules.exporters.sql",
    "otel": "kb.rules.exporters.otel",
    "yara": "kb.rules.exporters.yara",
}


#: Targets of a file for each rule, and which files below the folder are theirs: those of former rules are removed.
OWN_FILES = {"sigma": "kb-sigma/kb_*_known_failure.yml"}


def exporter(name: str) -> Exporter:
    """The exporter called `name`. Raises UsageError when there is none."""
    if name not in EXPORTERS:
        raise UsageError(f"no target is called {name!r}", hint="`kb rules targets` lists them")
    return cast(Exporter, importlib.import_module(EXPORTERS[name]))
