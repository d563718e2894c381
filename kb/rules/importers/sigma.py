"""Sigma rules that look at one message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from kb.errors import InputError, Location
from kb.rules.drafts import Imported, Left
from kb.rules.importers.interface import Found, imported, line_of

NAME = "sigma"
ABOUT = "Sigma rules (YAML)"

_FIELDS = frozenset({"message", "msg", "log", "body", "_raw", ""})


def knows(path: str, text: str) -> bool:
    """A YAML file with a detection and where logs come from."""
    return path.endswith((".yaml", ".yml")) and "detection:" in text and "logsource:" in text


def read(path: str, text: str) -> Imported:
    """Its rules; the parts of a detection that are cheaper forms of the same (an anchor beside a pattern) are one."""
    try:
        documents = [one for one in yaml.safe_load_all(text) if isinstance(one, dict)]
    except (yaml.YAMLError, RecursionError) as error:
        raise InputError(f"is not valid YAML: {error}", location=Location(path)) from error
    return imported(NAME, path, (one for document in documents for one in _found(document, text)))


def _found(rule: dict[str, Any], text: str) -> Iterator[Found | Left]:
    name = str(rule.get("title", ""))
    line = line_of(text, name)
    detection = rule.get("detection")
    condition = str(detection.get("condition", "")) if isinstance(detection, dict) else ""
    if not isinstance(detection, dict) or " not " in f" {condition} ":
        yield Left(name, line, "its condition excludes something, which a rule for one line cannot")
        return
    references = rule.get("references")
    url = str(references[0]) if isinstance(references, list) and references else ""
    parts = {key: list(_tests(value)) for key, value in detection.items() if key != "condition"}
    tests = [test for part in parts.values() for test in part]
    patterns = [test for test in tests if test[0] == "re"]
    if any(test[0] == "" for test in tests) or not tests:
        yield Left(name, line, "it looks at fields that a line of a log does not have")
    elif len(patterns) == 1 and all(kind == "re" or value in patterns[0][1].replace("\\", "") for kind, value in tests):
        yield Found(name, patterns[0][1], line, whole=True, url=url)
    elif len(tests) == 1 or ("and" not in condition.split() and "all" not in condition.split()):
        for kind, value in tests:
            yield Found(name, value, line, plain=kind == "contains", whole=kind == "re", url=url)
    else:
        yield Left(name, line, f"it wants {len(tests)} texts at once, in any order")


def _tests(value: Any) -> Iterator[tuple[str, str]]:
    """(`re` or `contains`, text) for each test of a part; ("", …) for what no line has."""
    if isinstance(value, list):
        for one in value:
            yield from _tests(one)
    elif isinstance(value, str):
        yield "contains", value.strip("*")
    elif isinstance(value, dict):
        for field, texts in value.items():
            name, *modifiers = str(field).split("|")
            kind = "re" if "re" in modifiers else "contains" if "contains" in modifiers else ""
            for text in texts if isinstance(texts, list) else [texts]:
                yield (kind if name in _FIELDS and "all" not in modifiers else ""), str(text)
    else:
        yield "", ""
