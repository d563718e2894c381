"""The formats whose rules kb can take over. A new one is one file and one line here."""

from __future__ import annotations

import importlib
from typing import cast

from kb.errors import UsageError
from kb.rules.importers.interface import Importer

#: format -> its module; tried in this order when none is named.
IMPORTERS = {
    "testinfra": "kb.rules.importers.testinfra",
    "github": "kb.rules.importers.github",
    "npd": "kb.rules.importers.npd",
    "jenkins": "kb.rules.importers.jenkins",
    "sigma": "kb.rules.importers.sigma",
    "elastic-recheck": "kb.rules.importers.elastic_recheck",
    "thefuck": "kb.rules.importers.thefuck",
}


def importer(name: str) -> Importer:
    """The importer of a format."""
    if name not in IMPORTERS:
        raise UsageError(f"no format is called {name!r}", hint=f"known: {', '.join(IMPORTERS)}")
    return cast(Importer, importlib.import_module(IMPORTERS[name]))


def importer_of(path: str, text: str) -> Importer:
    """The importer that knows the format of `text`, the content of `path`."""
    for name in IMPORTERS:
        if (one := importer(name)).knows(path, text):
            return one
    raise UsageError(f"{path} is in no format that is known", hint=f"name it with --format: {', '.join(IMPORTERS)}")
