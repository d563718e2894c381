"""The golden logs with a failure, which benchmarks change in many ways, and the options by which they are chosen."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

from kb.failures.find import find_failures
from kb.failures.model import Failure
from kb.signature.sign import sign

LOGS = Path(__file__).resolve().parents[1] / "tests" / "failures" / "golden"


class Log(NamedTuple):
    """A whole log, and the failure that kb names in it with its id."""

    name: str
    text: str
    failure: Failure
    signature: str


def primary(text: str) -> Failure | None:
    """The failure that kb names in `text`."""
    found = find_failures(text)
    return found.failures[found.primary] if found.primary is not None else None


def logs(folder: Path, word: str) -> list[Log]:
    """The logs in `folder` whose name holds `word` and in which kb finds a failure."""
    out = []
    for path in sorted(folder.glob("*/input.log")):
        if word in path.parent.name:
            text = path.read_text("utf-8", "replace")
            failure = primary(text)
            if failure is not None:
                out.append(Log(path.parent.name, text, failure, sign(failure).id))
    return out


def options(description: str, listed: str) -> argparse.Namespace:
    """What was asked for on the command line: `logs`, `only`, `list`; `listed` says which logs the last one names."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--logs", type=Path, default=LOGS, help="folder of the logs (default: %(default)s)")
    parser.add_argument("--only", default="", help="logs whose name holds this word")
    parser.add_argument("--list", action="store_true", help=f"name the logs whose {listed}")
    return parser.parse_args()
