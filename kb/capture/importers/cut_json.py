"""JSON that ends too early, or is damaged somewhere: what stands before that, with what was open closed."""

from __future__ import annotations

import json
import re
from typing import Any

from kb.capture.importers.source import Losses, Source

#: A string, also one that never ends, without ever trying it again from a quote within it; a bracket; a comma.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[\]{},]', re.DOTALL)
#: The beginning of an escape, at the end of a text.
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_CLOSES = {"[": "]", "{": "}"}


def json_of(source: Source, losses: Losses, what: str) -> Any:
    """The JSON that the file is; of a cut or damaged one what comes before, and `what` is lost from there on.

    None when there is nothing of the kind. Linear in the file.
    """
    text = source.data.decode("utf-8", "replace")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        value = _closed(text[: error.pos], text[error.pos :] if error.msg.startswith("Unterminated string") else "")
        line = text.count("\n", 0, error.pos) + 1
    except (ValueError, RecursionError):
        value, line = None, 1
    losses.add(f"the rest of the {what}: its JSON is cut or damaged", line)
    return value


def _closed(text: str, string: str) -> Any:
    """What the beginning of a JSON text holds; `string` is a text behind it that never ends, "" when there is none."""
    open_: list[str] = []
    whole = depth = 0
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in _CLOSES:
            open_.append(_CLOSES[mark])
        elif mark in ("]", "}"):
            if not open_ or open_.pop() != mark:
                break
            whole, depth = token.end(), len(open_)
        elif mark == "," and open_:
            # Nothing is closed after this without a new place being noted: what is open here stays as it is.
            whole, depth = token.start(), len(open_)
    # The text may be the name of a value that is not there any more: then it goes, too.
    ended = text + _ESCAPE.sub("", string) + '"' + "".join(reversed(open_)) if string else ""
    for one in (ended, text[:whole] + "".join(reversed(open_[:depth]))):
        try:
            return json.loads(one)
        except (ValueError, RecursionError):
            continue
    return None
