"""The simple YAML of front matter and of decisions: keys and values, every scalar kept as the text it is.

A version such as `1.10` stays `1.10`, since no scalar is given a type here. Keys that stand twice, tags, block scalars
and deeper nesting are problems, each with its line.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from kb.record.problems import Problems
from kb.record.texts import shown

#: libyaml reads in a tenth of the time, where PyYAML was built with it. It takes tabs, marks of byte order and some
#: forms that front matter does not need for something else; deep nesting is not for its stack.
_FAST: type[Any] | None = getattr(yaml, "CBaseLoader", None)
_TOLD_APART = re.compile(r"[|>?&*!%\t\ufeff]|(?:[\[{-][^\[{-]*){200}")

_PLAIN_TAGS = {"tag:yaml.org,2002:str", "tag:yaml.org,2002:seq", "tag:yaml.org,2002:map"}


class PlainYaml:
    """Reads nodes of one YAML text, which is called `what` in problems and begins on line `first` of its file."""

    def __init__(self, problems: Problems, what: str, first: int) -> None:
        self.problems = problems
        self._what = what
        self._first = first

    def compose(self, text: str, empty: str) -> yaml.Node | None:
        """The root node of `text`, None when there is none, which is noted; `empty` says what to write then."""
        hint = "a value with special characters stands in double quotes"
        try:
            node = _compose(text)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark
            line = mark.line + self._first if mark else 1
            self.problems.add(line, "yaml", f"not valid YAML: {error.problem}", hint)
        except yaml.reader.ReaderError as error:
            line = text.count("\n", 0, error.position) + self._first
            self.problems.add(line, "yaml", f"the character {shown(chr(error.character))} cannot stand in YAML", hint)
        except RecursionError:
            self.problems.add(1, "yaml", f"the {self._what} is nested too deeply", "write key: value lines")
        else:
            if node is None:
                self.problems.add(1, "yaml", f"the {self._what} is empty", empty)
            return node
        return None

    def pairs(self, node: yaml.MappingNode) -> list[tuple[str, yaml.Node]]:
        """The keys and values of a mapping; the first of equal keys counts."""
        pairs: dict[str, yaml.Node] = {}
        first: dict[str, int] = {}
        for key_node, value in node.value:
            key = self.scalar("a key", key_node)
            if key is None:
                continue
            if key in pairs:
                message = f"the key {shown(key)} stands twice"
                self.problems.add(self.line(key_node), "duplicate-key", message, f"the first is on line {first[key]}")
            else:
                pairs[key], first[key] = value, self.line(key_node)
        return list(pairs.items())

    def scalar(self, what: str, node: yaml.Node) -> str | None:
        """The text of a scalar on one line; None when the node is none, which is noted."""
        add, line = self.problems.add, self.line(node)
        if not isinstance(node, yaml.ScalarNode):
            add(line, "value", f"{what} is not one value", "put text with braces or brackets in double quotes")
        elif node.start_mark.line != node.end_mark.line:
            add(line, "yaml", f"{what} spans several lines", "write it on one line")
        elif node.tag not in _PLAIN_TAGS:
            add(line, "yaml", f"{what} has the YAML tag {shown(node.tag)}", "leave the tag out")
        elif not node.value and not node.style:
            add(line, "value", f"{what} has no value", 'leave it out, or write "" for an empty text')
        else:
            return str(node.value)
        return None

    def line(self, node: yaml.Node) -> int:
        """The line of the file that a node begins on."""
        return int(node.start_mark.line) + self._first


def _compose(text: str) -> yaml.Node | None:
    """The root node of `text`. What libyaml may take for something else than PyYAML does, and all that it finds wrong,
    PyYAML reads itself, so that a record means the same wherever it is read."""
    if _FAST is not None and not _TOLD_APART.search(text):
        try:
            return _node(yaml.compose(text, Loader=_FAST))
        except (yaml.YAMLError, UnicodeError):
            pass
    return _node(yaml.compose(text, Loader=yaml.BaseLoader))


def _node(found: Any) -> yaml.Node | None:
    return found if isinstance(found, yaml.Node) else None
