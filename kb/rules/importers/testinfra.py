"""PyTorch test-infra's ruleset.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

from kb.errors import InputError, Location
from kb.rules.drafts import Imported, Left
from kb.rules.importers.interface import Found, Lines, imported

NAME = "testinfra"
ABOUT = "PyTorch test-infra ruleset.toml"


def knows(path: str, text: str) -> bool:
    """A TOML file of rules."""
    return path.endswith(".toml") and "[[rule]]" in text


def read(path: str, text: str) -> Imported:
    """Its rules; groups in a pattern lose their numbers, which only choose what is shown."""
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"is not valid TOML: {error}", location=Location(path)) from error
    return imported(NAME, path, _found(table.get("rule", []), text))


def _found(rules: object, text: str) -> Iterator[Found | Left]:
    lines = Lines(text)
    for rule in rules if isinstance(rules, list) else ():
        if isinstance(rule, dict) and isinstance(rule.get("pattern"), str):
            name = str(rule.get("name", ""))
            yield Found(name, rule["pattern"], lines.of(name))
        else:
            yield Left(str(rule)[:80], 0, "it has no pattern")
