"""GitHub Actions' problem matchers, and those of VS Code, which look alike."""

from __future__ import annotations

import json
from collections.abc import Iterator

from kb.errors import InputError, Location
from kb.rules.drafts import Imported, Left
from kb.rules.importers.interface import Found, Lines, imported

NAME = "github"
ABOUT = "GitHub Actions problem matchers (JSON)"


def knows(path: str, text: str) -> bool:
    """A JSON file of problem matchers."""
    return path.endswith(".json") and '"problemMatcher"' in text


def read(path: str, text: str) -> Imported:
    """Its matchers of one line; one that reads several lines in a row has no form as a rule for one line."""
    try:
        matchers = json.loads(text)["problemMatcher"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"holds no problem matchers: {error}", location=Location(path)) from error
    return imported(NAME, path, _found(matchers, text))


def _found(matchers: object, text: str) -> Iterator[Found | Left]:
    lines = Lines(text)
    for matcher in matchers if isinstance(matchers, list) else [matchers]:
        if not isinstance(matcher, dict):
            continue
        owner = str(matcher.get("owner", ""))
        line = lines.of(f'"{owner}"')
        patterns = matcher.get("pattern")
        patterns = patterns if isinstance(patterns, list) else [patterns]
        if len(patterns) != 1:
            yield Left(owner, line, f"it reads {len(patterns)} lines in a row, and a rule reads one")
        elif isinstance(patterns[0], dict) and isinstance(patterns[0].get("regexp"), str):
            yield Found(owner, patterns[0]["regexp"], line)
        else:
            yield Left(owner, line, "it has no expression")
