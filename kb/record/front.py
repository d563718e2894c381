"""The front matter of a record: simple YAML, every scalar kept as the text it is.

A version such as `1.10` stays `1.10`, since no scalar is given a type here. Keys that stand twice, tags, block scalars
and deeper nesting are problems, each with its line.
"""

from __future__ import annotations

from typing import Any

import yaml
from pydantic import TypeAdapter, ValidationError

from kb.record.build import did_you_mean
from kb.record.model import FORMAT_VERSION, Name, Slug
from kb.record.problems import Problems
from kb.record.texts import shown
from kb.record.values import INSTANT

#: The keys of the front matter, in the order they are written in.
KEYS = ("kb", "id", "title", "started", "ended", "resolution", "components", "environment", "tags")

_NAME: TypeAdapter[str] = TypeAdapter(Name)
_SLUG: TypeAdapter[str] = TypeAdapter(Slug)
_PLAIN_TAGS = {"tag:yaml.org,2002:str", "tag:yaml.org,2002:seq", "tag:yaml.org,2002:map"}


def read_front(lines: list[str], problems: Problems) -> tuple[dict[str, Any], dict[str, int]] | None:
    """The fields of a session that stand in the front matter, and the line of each; None when it is no mapping.

    `lines` are those between the marks, of which the first is line 2 of the file.
    """
    values: dict[str, Any] = {}
    places: dict[str, int] = {"": 1}
    root = _compose("\n".join(lines) + "\n", problems)
    if not isinstance(root, yaml.MappingNode):
        if root is not None:
            problems.add(
                _line(root), "yaml", "the front matter is no list of keys and values", "write key: value lines"
            )
        return None
    for key, node in _pairs(root, problems):
        places[key] = _line(node)
        value = _read(key, node, problems)
        if value is not None:
            values[key] = value
    if "kb" not in places:
        hint = f"write kb: {FORMAT_VERSION}, the version of the format"
        problems.add(1, "missing-key", "the key kb is missing", hint)
    values.pop("kb", None)
    return values, places


def _compose(text: str, problems: Problems) -> yaml.Node | None:
    hint = "a value with special characters stands in double quotes"
    try:
        node: yaml.Node | None = yaml.compose(text, Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        problems.add(mark.line + 2 if mark else 1, "yaml", f"not valid YAML: {error.problem}", hint)
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 2
        problems.add(line, "yaml", f"the character {shown(chr(error.character))} cannot stand in YAML", hint)
    except RecursionError:
        problems.add(1, "yaml", "the front matter is nested too deeply", "write key: value lines")
    else:
        if node is None:
            problems.add(1, "yaml", "the front matter is empty", f"write kb: {FORMAT_VERSION} and the other keys")
        return node
    return None


def _read(key: str, node: yaml.Node, problems: Problems) -> Any:
    """The value of `key`; None when it is not of its type, which is noted."""
    if key in ("components", "environment"):
        return _mapping(key, node, problems)
    if key == "tags":
        return _tags(node, problems)
    if key not in KEYS:
        hint = did_you_mean(key, KEYS) + "known: " + ", ".join(KEYS)
        problems.add(_line(node), "unknown-key", f"unknown key {shown(key)}", hint)
        return None
    text = _scalar(key, node, problems)
    if text is None:
        return None
    if key == "kb" and text != str(FORMAT_VERSION):
        problems.add(_line(node), "version", f"kb is {shown(text)}", f"this kb reads format {FORMAT_VERSION}")
    if key in ("started", "ended"):
        try:
            return INSTANT.read(text)
        except ValueError as error:
            problems.add(_line(node), "value", f"{key} is {shown(text)}", f"write {error}")
            return None
    return text


def _mapping(key: str, node: yaml.Node, problems: Problems) -> dict[str, str] | None:
    if not isinstance(node, yaml.MappingNode):
        problems.add(_line(node), "value", f"{key} is not a mapping", f"write {key}: {{name: version, …}}")
        return None
    texts: dict[str, str] = {}
    for name, value in _pairs(node, problems):
        if _fits(_NAME, key, name, value, problems):
            text = _scalar(f"{key}.{name}", value, problems)
            if text is not None:
                texts[name] = text
    return texts


def _tags(node: yaml.Node, problems: Problems) -> tuple[str, ...] | None:
    if not isinstance(node, yaml.SequenceNode):
        problems.add(_line(node), "value", "tags is not a list", "write tags: [one, another]")
        return None
    read = ((item, _scalar("a tag", item, problems)) for item in node.value)
    return tuple(tag for item, tag in read if tag is not None and _fits(_SLUG, "a tag", tag, item, problems))


def _fits(adapter: TypeAdapter[str], what: str, text: str, node: yaml.Node, problems: Problems) -> bool:
    try:
        adapter.validate_python(text)
    except ValidationError as error:
        hint = error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
        problems.add(_line(node), "value", f"{what} has {shown(text)}", hint)
        return False
    return True


def _scalar(what: str, node: yaml.Node, problems: Problems) -> str | None:
    """The text of a scalar on one line; None when the node is none, which is noted."""
    line = _line(node)
    if not isinstance(node, yaml.ScalarNode):
        problems.add(line, "value", f"{what} is not one value", "put text with braces or brackets in double quotes")
    elif node.start_mark.line != node.end_mark.line:
        problems.add(line, "yaml", f"{what} spans several lines", "write it on one line")
    elif node.tag not in _PLAIN_TAGS:
        problems.add(line, "yaml", f"{what} has the YAML tag {shown(node.tag)}", "leave the tag out")
    elif not node.value and node.style is None:
        problems.add(line, "value", f"{what} has no value", 'leave it out, or write "" for an empty text')
    else:
        return str(node.value)
    return None


def _pairs(node: yaml.MappingNode, problems: Problems) -> list[tuple[str, yaml.Node]]:
    """The keys and values of a mapping; the first of equal keys counts."""
    pairs: dict[str, yaml.Node] = {}
    first: dict[str, int] = {}
    for key_node, value in node.value:
        key = _scalar("a key", key_node, problems)
        if key is None:
            continue
        if key in pairs:
            message = f"the key {shown(key)} stands twice"
            problems.add(_line(key_node), "duplicate-key", message, f"the first is on line {first[key]}")
        else:
            pairs[key], first[key] = value, _line(key_node)
    return list(pairs.items())


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 2
