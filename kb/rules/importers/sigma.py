"""Sigma rules that look at one message."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from kb.rules.drafts import Imported, Left
from kb.rules.importers.documents import documents
from kb.rules.importers.interface import Found, Lines, imported
from kb.signature.pattern import escape

NAME = "sigma"
ABOUT = "Sigma rules (YAML)"

_WORD = re.compile(r"[a-z0-9_*]+")
_WILD = re.compile(r"[*?\\]")
_PARTS = re.compile(r"\\[*?\\]|[*?]|[^*?\\]+|\\")
_ESCAPED = re.compile(r"\\([*?\\])")
_NO_CASE = "the original ignores case"

_FIELDS = frozenset({"message", "msg", "log", "body", "_raw", ""})


def knows(path: str, text: str) -> bool:
    """A YAML file with a detection and where logs come from."""
    return path.endswith((".yaml", ".yml")) and "detection:" in text and "logsource:" in text


def read(path: str, text: str) -> Imported:
    """Its rules; the parts of a detection that are cheaper forms of the same (an anchor beside a pattern) are one."""
    rules = [one for one in documents(path, text) if isinstance(one, dict)]
    lines = Lines(text)
    return imported(NAME, path, (one for rule in rules for one in _found(rule, lines)))


def _found(rule: dict[str, Any], lines: Lines) -> Iterator[Found | Left]:
    name = str(rule.get("title", ""))
    line = lines.of(name)
    detection = rule.get("detection")
    condition = str(detection.get("condition", "")) if isinstance(detection, dict) else ""
    wanted = _WORD.findall(condition.lower())
    if not isinstance(detection, dict):
        yield Left(name, line, "it has no detection")
        return
    if "not" in wanted:
        yield Left(name, line, "its condition excludes something, which a rule for one line cannot")
        return
    references = rule.get("references")
    url = str(references[0]) if isinstance(references, list) and references else ""
    parts = {key: list(_tests(value)) for key, value in detection.items() if key != "condition"}
    tests = [test for part in parts.values() for test in part]
    patterns = [test for test in tests if test[0] == "re"]
    if any(test[0] == "" for test in tests) or not tests:
        yield Left(name, line, "it looks at fields, or in ways, that a rule for a line of a log does not have")
    elif len(patterns) == 1 and all(kind == "re" or value in patterns[0][1].replace("\\", "") for kind, value in tests):
        yield Found(name, patterns[0][1], line, whole=True, url=url)
    elif len(tests) == 1 or not ({"and", "all"} & set(wanted) or any(map(_together, detection.values()))):
        for kind, value in tests:
            yield _one(name, kind, value, line, url)
    else:
        yield Left(name, line, f"it wants {len(tests)} texts at once, in any order")


def _together(part: Any) -> bool:
    """Whether a part asks for several fields, all of which must be so."""
    return isinstance(part, dict) and len(part) > 1


def _one(name: str, kind: str, value: str, line: int, url: str) -> Found:
    if kind == "re":
        return Found(name, value, line, whole=True, url=url)
    if not _WILD.search(value):
        return Found(name, value, line, plain=True, note=_NO_CASE, url=url)
    # `*` and `?` stand for what varies unless a backslash is before them.
    parts = ({"*": ".*", "?": "."}.get(part) or escape(_ESCAPED.sub(r"\1", part)) for part in _PARTS.findall(value))
    return Found(name, "".join(parts), line, note=_NO_CASE, url=url)


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
