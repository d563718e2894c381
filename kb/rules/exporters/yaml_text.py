"""YAML for exporters: stable order, quoted where a reader could take a text for something else."""

from __future__ import annotations

from typing import Any

import yaml

#: libyaml writes the same bytes in a quarter of the time, where PyYAML was built with it.
_Base: type[yaml.SafeDumper] = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _Dumper(_Base):  # type: ignore[misc, valid-type]
    """Quotes every text that is not a plain word: ids like `1e345678` are numbers to some readers."""


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    plain = value.replace("_", "").isalpha()
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=None if plain else '"')


_Dumper.add_representer(str, _text)


def yaml_text(value: Any, head: str = "") -> str:
    """`value` as YAML in ASCII, after the comment lines of `head`."""
    comment = "".join(f"# {line}\n" for line in head.splitlines())
    return comment + yaml.dump(value, Dumper=_Dumper, sort_keys=False, width=10_000, allow_unicode=False)
