"""Writing front matter: one form for each value, which YAML readers that give scalars a type also take for text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

import yaml

from kb.record.texts import UNPRINTABLE

WIDTH = 100

_INSIDE = r"[\w./()+@~=<>;!?*$^|%,'\"&-]|[^\x00-\x7f]"
_PLAIN = re.compile(rf"(?:[A-Za-z0-9_./+(]|[^\x00-\x7f])(?:{_INSIDE}|[ :](?={_INSIDE}))*")
_IN_FLOW = re.compile(r"[,:?]")
_STR = "tag:yaml.org,2002:str"


def scalar(text: str, *, in_flow: bool = False) -> str:
    """`text` as a YAML scalar: plain where every reader takes it for this text, else in double quotes."""
    plain = _PLAIN.fullmatch(text) and not UNPRINTABLE.search(text) and not (in_flow and _IN_FLOW.search(text))
    if plain and _tag(text) == _STR:
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


def _tag(text: str) -> str:
    """The type that a YAML reader gives to `text` when it stands plain."""
    resolvers = yaml.SafeLoader.yaml_implicit_resolvers.get(text[0], [])
    return next((tag for tag, pattern in resolvers if pattern.match(text)), _STR)


def mapping(key: str, texts: Mapping[str, str]) -> str:
    """`key` with a mapping: on one line where that is short, else one line for each of its keys."""
    pairs = [f"{scalar(name, in_flow=True)}: {scalar(text, in_flow=True)}" for name, text in texts.items()]
    flow = f"{key}: {{{', '.join(pairs)}}}"
    return flow if len(flow) <= WIDTH else "\n".join([f"{key}:", *(f"  {pair}" for pair in pairs)])


def sequence(key: str, texts: Iterable[str]) -> str:
    """`key` with a list: on one line where that is short, else one line for each item."""
    items = [scalar(text, in_flow=True) for text in texts]
    flow = f"{key}: [{', '.join(items)}]"
    return flow if len(flow) <= WIDTH else "\n".join([f"{key}:", *(f"  - {item}" for item in items)])
