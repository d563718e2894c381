"""Data as small scripts: `kbData(name, value)` also loads where a page was opened from disk and cannot fetch JSON."""

from __future__ import annotations

import base64
import json
from collections.abc import Collection


def data_script(name: str, value: object) -> str:
    """The text of the script that hands `value` (anything JSON can say) to the page under `name`.

    Nothing in it can end a script element early, should somebody inline it.
    """
    text = json.dumps([name, value], ensure_ascii=True, separators=(",", ":"))
    safe = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return f"kbData(...{safe});\n"


def script_value(script: str) -> object:
    """The value that a data script hands over. Raises `ValueError` when it is none."""
    if not script.startswith("kbData(...") or not script.endswith(");\n"):
        raise ValueError("not a data script")
    value: object = json.loads(script[10:-3])[1]
    return value


def packed(numbers: Collection[int], bits: int) -> list[object]:
    """Distinct whole numbers of so many bits, in about two bits more each than any code needs.

    Out: how many there are, how many low bits of a difference are written as they are, and the code as base64: of each
    difference to the number before, sorted, the rest in unary (ones, then a zero), then the low bits, the highest
    first (Golomb and Rice).
    """
    ordered = sorted(set(numbers))
    low = max(0, (((1 << bits) // max(1, len(ordered))) * 2 // 3).bit_length() - 1)
    out: list[str] = []
    before = 0
    for number in ordered:
        high, rest = divmod(number - before, 1 << low)
        before = number
        out.append("1" * high + "0" + (f"{rest:0{low}b}" if low else ""))
    code = "".join(out)
    code += "0" * (-len(code) % 8)
    data = int(code, 2).to_bytes(len(code) // 8, "big") if code else b""
    return [len(ordered), low, base64.b64encode(data).decode("ascii")]


def key_hash(key: str) -> int:
    """A hash of 32 bits of ASCII words with one space between: what the browser computes from the words of a log.

    FNV-1a, and then, since its high bits hardly know of the last character, what MurmurHash3 ends with.
    """
    value = 0x811C9DC5
    for character in key.encode("ascii"):
        value = ((value ^ character) * 0x01000193) & 0xFFFFFFFF
    value = ((value ^ value >> 16) * 0x85EBCA6B) & 0xFFFFFFFF
    value = ((value ^ value >> 13) * 0xC2B2AE35) & 0xFFFFFFFF
    return value ^ value >> 16


def text_hash(text: str) -> int:
    """FNV-1a, 32 bits, over the code points of a text."""
    value = 0x811C9DC5
    for character in text:
        value = ((value ^ ord(character)) * 0x01000193) & 0xFFFFFFFF
    return value
