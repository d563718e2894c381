"""YAML for exporters: stable order, quoted where a reader could take a text for something else.

What exporters have, which is mappings and lists of words, texts and numbers, is written here as PyYAML writes it, in a
tenth of its time; with anything else PyYAML writes the whole.
"""

from __future__ import annotations

from functools import lru_cache
from json.encoder import encode_basestring_ascii as quoted
from typing import Any

import yaml

#: libyaml writes the same bytes in a quarter of the time, where PyYAML was built with it.
_Base: type[yaml.SafeDumper] = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_WIDTH = 10_000
#: PyYAML breaks lines that are longer than its width, and writes long keys in another way.
_LONGEST, _LONGEST_KEY = 4_000, 100
_NESTED = frozenset({dict, list})
#: Words that readers take for something else than a text.
_NOT_WORDS = frozenset(
    spelled
    for word in ("yes", "no", "true", "false", "on", "off", "null")
    for spelled in (word, word.title(), word.upper())
)


class _Dumper(_Base):  # type: ignore[misc, valid-type]
    """Quotes every text that is not a plain word: ids like `1e345678` are numbers to some readers."""


def _is_plain(value: str) -> bool:
    return value.replace("_", "").isalpha()


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=None if _is_plain(value) else '"')


_Dumper.add_representer(str, _text)


def yaml_text(value: Any, head: str = "") -> str:
    """`value` as YAML in ASCII, after the comment lines of `head`."""
    comment = "".join(f"# {line}\n" for line in head.splitlines())
    try:
        return comment + _Plain().written(value)
    except _NotPlainError:
        return comment + yaml.dump(value, Dumper=_Dumper, sort_keys=False, width=_WIDTH, allow_unicode=False)


class _NotPlainError(Exception):
    """Something that PyYAML writes in a way of its own."""


class _Plain:
    """Writes the block style of YAML."""

    def __init__(self) -> None:
        self._out: list[str] = []
        # By identity: of what stands in two places, PyYAML writes the second as a reference to the first.
        self._met: set[int] = set()

    def written(self, value: Any) -> str:
        """The whole text of a mapping or a list that is not empty."""
        if type(value) not in _NESTED or not value:
            raise _NotPlainError
        self._block(value, "", "")
        return "".join(self._out)

    def _block(self, value: Any, indent: str, first: str) -> None:
        """The lines of a mapping or a list; the first of them begins with `first` instead of `indent`."""
        self._meet(value)
        write, lead = self._out.append, first
        if type(value) is dict:
            for key, item in value.items():
                kind = type(item)
                if kind is str:
                    write(f"{lead}{_key(key)}: {_text_of(item)}\n")
                elif kind in _NESTED and item:
                    write(f"{lead}{_key(key)}:\n")
                    # A list in a mapping is not indented.
                    inner = f"{indent}  " if kind is dict else indent
                    self._block(item, inner, inner)
                else:
                    write(f"{lead}{_key(key)}: {self._line(item)}\n")
                lead = indent
            return
        for item in value:
            kind = type(item)
            if kind is str:
                write(f"{lead}- {_text_of(item)}\n")
            elif kind in _NESTED and item:
                self._block(item, f"{indent}  ", f"{lead}- ")
            else:
                write(f"{lead}- {self._line(item)}\n")
            lead = indent

    def _meet(self, value: Any) -> None:
        known = len(self._met)
        self._met.add(id(value))
        if len(self._met) == known:
            raise _NotPlainError

    def _line(self, value: Any) -> str:
        """A scalar, or a mapping or a list that is empty."""
        kind = type(value)
        if kind in _NESTED:
            self._meet(value)
            return "[]" if kind is list else "{}"
        if kind is bool:
            return "true" if value else "false"
        if kind is int:
            return str(value)
        raise _NotPlainError


@lru_cache(maxsize=1024, typed=True)
def _key(key: Any) -> str:
    if type(key) is not str or len(key) > _LONGEST_KEY:
        raise _NotPlainError
    return _text_of(key)


def _text_of(value: str) -> str:
    """A text on one line."""
    if len(value) > _LONGEST or not value.isascii() or not value.isprintable():
        raise _NotPlainError
    if " " not in value and _is_plain(value):
        return f"'{value}'" if value in _NOT_WORDS else value
    return quoted(value)  # of such characters JSON escapes the same as YAML
