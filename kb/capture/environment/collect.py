"""Collecting what a record says of where something ran: all collectors at once, none of which can stop it."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from kb.capture.environment.collectors import COLLECTORS, Collector, Found

_LONGEST = 200


class Facts(NamedTuple):
    """Versions of components and facts of the environment, by name."""

    components: Mapping[str, str]
    environment: Mapping[str, str]


def each(directory: Path) -> list[tuple[Collector, Found]]:
    """Every collector with what it finds in `directory`, in the order of the table."""
    with ThreadPoolExecutor(max_workers=len(COLLECTORS)) as pool:
        found = pool.map(lambda collector: _collect(collector, directory), COLLECTORS)
        return list(zip(COLLECTORS, found, strict=True))


def collect(directory: Path) -> Facts:
    """What all collectors find in `directory`."""
    facts: dict[str, dict[str, str]] = {"components": {}, "environment": {}}
    for collector, found in each(directory):
        facts[collector.into].update(found)
    return Facts(facts["components"], facts["environment"])


def _collect(collector: Collector, directory: Path) -> Found:
    try:
        found = collector.collect(directory)
    except (OSError, ValueError, KeyError, AttributeError):
        return {}  # a file that is not what it should be: the record goes without
    texts = {name: " ".join(text.split())[:_LONGEST] for name, text in found.items()}
    return {name: text for name, text in texts.items() if text}
