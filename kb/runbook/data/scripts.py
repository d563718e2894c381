"""Data as small scripts: `kbData(name, value)` also loads where a page was opened from disk and cannot fetch JSON."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable


def data_script(name: str, value: object) -> str:
    """The text of the script that hands `value` (anything JSON can say) to the page under `name`.

    Nothing in it can end a script element early, should somebody inline it.
    """
    text = json.dumps([name, value], ensure_ascii=True, separators=(",", ":"))
    safe = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return f"kbData(...{safe});\n"


def packed(numbers: Iterable[int]) -> str:
    """Distinct whole numbers from 0 to 2**32 - 1 as base64: sorted, differences, seven bits a byte, low ones first."""
    out = bytearray()
    before = 0
    for number in sorted(set(numbers)):
        rest = number - before
        before = number
        while rest > 127:
            out.append(rest & 127 | 128)
            rest >>= 7
        out.append(rest)
    return base64.b64encode(bytes(out)).decode("ascii")


def word_hash(word: str) -> int:
    """FNV-1a, 32 bits, of an ASCII word: what the browser computes for each word of a log."""
    value = 0x811C9DC5
    for character in word.encode("ascii"):
        value = ((value ^ character) * 0x01000193) & 0xFFFFFFFF
    return value
