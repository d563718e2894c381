"""The front matter of a record: its keys, each with a value of its own type."""

from __future__ import annotations

from typing import Any

import yaml
from pydantic import TypeAdapter, ValidationError

from kb.record.build import did_you_mean
from kb.record.model import FORMAT_VERSION, Name, Slug
from kb.record.plain_yaml import PlainYaml
from kb.record.problems import Problems
from kb.record.texts import shown
from kb.record.values import INSTANT

#: The keys of the front matter, in the order they are written in.
KEYS = ("kb", "id", "title", "started", "ended", "resolution", "components", "environment", "tags")

_NAME: TypeAdapter[str] = TypeAdapter(Name)
_SLUG: TypeAdapter[str] = TypeAdapter(Slug)


def read_front(lines: list[str], problems: Problems) -> tuple[dict[str, Any], dict[str, int]] | None:
    """The fields of a session that stand in the front matter, and the line of each; None when it is no mapping.

    `lines` are those between the marks, of which the first is line 2 of the file.
    """
    values: dict[str, Any] = {}
    places: dict[str, int] = {"": 1}
    reader = PlainYaml(problems, "front matter", first=2)
    root = reader.compose("\n".join(lines) + "\n", f"write kb: {FORMAT_VERSION} and the other keys")
    if not isinstance(root, yaml.MappingNode):
        if root is not None:
            message = "the front matter is no list of keys and values"
            problems.add(reader.line(root), "yaml", message, "write key: value lines")
        return None
    for key, node in reader.pairs(root):
        places[key] = reader.line(node)
        value = _read(key, node, reader)
        if value is not None:
            values[key] = value
    if "kb" not in places:
        hint = f"write kb: {FORMAT_VERSION}, the version of the format"
        problems.add(1, "missing-key", "the key kb is missing", hint)
    values.pop("kb", None)
    return values, places


def _read(key: str, node: yaml.Node, reader: PlainYaml) -> Any:
    """The value of `key`; None when it is not of its type, which is noted."""
    if key in ("components", "environment"):
        return _mapping(key, node, reader)
    if key == "tags":
        return _tags(node, reader)
    if key not in KEYS:
        hint = did_you_mean(key, KEYS) + "known: " + ", ".join(KEYS)
        reader.problems.add(reader.line(node), "unknown-key", f"unknown key {shown(key)}", hint)
        return None
    text = reader.scalar(key, node)
    if text is None:
        return None
    if key == "kb" and text != str(FORMAT_VERSION):
        reader.problems.add(
            reader.line(node), "version", f"kb is {shown(text)}", f"this kb reads format {FORMAT_VERSION}"
        )
    if key in ("started", "ended"):
        try:
            return INSTANT.read(text)
        except ValueError as error:
            reader.problems.add(reader.line(node), "value", f"{key} is {shown(text)}", f"write {error}")
            return None
    return text


def _mapping(key: str, node: yaml.Node, reader: PlainYaml) -> dict[str, str] | None:
    if not isinstance(node, yaml.MappingNode):
        reader.problems.add(reader.line(node), "value", f"{key} is not a mapping", f"write {key}: {{name: version, …}}")
        return None
    texts: dict[str, str] = {}
    for name, value in reader.pairs(node):
        if _fits(_NAME, key, name, value, reader):
            text = reader.scalar(f"{key}.{name}", value)
            if text is not None:
                texts[name] = text
    return texts


def _tags(node: yaml.Node, reader: PlainYaml) -> tuple[str, ...] | None:
    if not isinstance(node, yaml.SequenceNode):
        reader.problems.add(reader.line(node), "value", "tags is not a list", "write tags: [one, another]")
        return None
    read = ((item, reader.scalar("a tag", item)) for item in node.value)
    return tuple(tag for item, tag in read if tag is not None and _fits(_SLUG, "a tag", tag, item, reader))


def _fits(adapter: TypeAdapter[str], what: str, text: str, node: yaml.Node, reader: PlainYaml) -> bool:
    try:
        adapter.validate_python(text)
    except ValidationError as error:
        hint = error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
        reader.problems.add(reader.line(node), "value", f"{what} has {shown(text)}", hint)
        return False
    return True
