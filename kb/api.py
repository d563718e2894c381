"""The public names of kb, for programs that import it.

Importing this module loads nothing else: each name is loaded when it is first used, so that a program that only triages
logs never pays for the reader of records or the builder of sites.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kb.errors import KbError, Problem
    from kb.failures.find import find_failures
    from kb.failures.model import Failure
    from kb.home import Home, find_home, read_home
    from kb.index.build import build_index
    from kb.index.store import Store, open_store
    from kb.knowledge.model import Knowledge
    from kb.record.model import Session
    from kb.record.reader import read_session
    from kb.record.writer import write_session
    from kb.signature.model import Signature
    from kb.signature.sign import sign
    from kb.triage.as_json import report_json
    from kb.triage.find import search
    from kb.triage.model import Report
    from kb.triage.report import triage

#: public name -> the module that defines it
_DEFINED_IN = {
    "Failure": "kb.failures.model",
    "Home": "kb.home",
    "KbError": "kb.errors",
    "Knowledge": "kb.knowledge.model",
    "Problem": "kb.errors",
    "Report": "kb.triage.model",
    "Session": "kb.record.model",
    "Signature": "kb.signature.model",
    "Store": "kb.index.store",
    "build_index": "kb.index.build",
    "find_failures": "kb.failures.find",
    "find_home": "kb.home",
    "open_store": "kb.index.store",
    "read_home": "kb.home",
    "read_session": "kb.record.reader",
    "report_json": "kb.triage.as_json",
    "search": "kb.triage.find",
    "sign": "kb.signature.sign",
    "triage": "kb.triage.report",
    "write_session": "kb.record.writer",
}

__all__ = [
    "Failure",
    "Home",
    "KbError",
    "Knowledge",
    "Problem",
    "Report",
    "Session",
    "Signature",
    "Store",
    "build_index",
    "find_failures",
    "find_home",
    "open_store",
    "read_home",
    "read_session",
    "report_json",
    "search",
    "sign",
    "triage",
    "write_session",
]


def __getattr__(name: str) -> Any:
    """The public name, its module imported now."""
    if name not in _DEFINED_IN:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_DEFINED_IN[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
