"""YAML of others, read with care."""

from __future__ import annotations

from typing import Any

import yaml

from kb.errors import InputError, Location


class _Loader(yaml.SafeLoader):
    """Refuses aliases: each may stand for all of what came before, so a small file could be huge, or hold itself."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            line = self.peek_event().start_mark.line + 1  # type: ignore[no-untyped-call]
            raise yaml.YAMLError(f"an alias on line {line}, which no rule needs")
        node: yaml.Node | None = super().compose_node(parent, index)
        return node


def documents(path: str, text: str) -> list[Any]:
    """The documents in `text`, the content of `path`. Raises InputError when it is no YAML, or too deeply nested."""
    try:
        return list(yaml.load_all(text, Loader=_Loader))
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError) as error:
        raise InputError(f"is not YAML that can be read: {error}", location=Location(path)) from error
