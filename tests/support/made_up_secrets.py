"""Secrets of nobody, made when the tests run, in the places where real ones are found."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

_FOLDER = Path(__file__).resolve().parent.parent / "capture" / "redaction"
SHAPES = _FOLDER / "shapes.txt"
CONTEXTS = _FOLDER / "contexts.txt"

_LOWER, _UPPER, _DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
_CLASSES = {
    "an": _LOWER + _UPPER + _DIGITS,
    "lo": _LOWER + _DIGITS,
    "up": _UPPER + _DIGITS,
    "az": _LOWER,
    "AZ": _UPPER,
    "d": _DIGITS,
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "b64": _LOWER + _UPPER + _DIGITS + "+/",
    "url": _LOWER + _UPPER + _DIGITS + "_-",
    "b32": _UPPER + "234567",
}
_DRAWN = re.compile(r"\{(" + "|".join(sorted(_CLASSES, key=len, reverse=True)) + r"|uuid)(\d+)\}")


class Secret(NamedTuple):
    """A secret that was made up: its kind, whether its form alone gives it away, the name of a variable, the value."""

    kind: str
    bare: bool
    name: str
    value: str


class Placed(NamedTuple):
    """A secret in the text around it."""

    secret: Secret
    text: str


def secrets(seed: int = 1) -> Iterator[Secret]:
    """One secret of each kind; another `seed`, other secrets."""
    for kind, where, name, shape in _table(SHAPES, 4):
        yield Secret(kind, where == "bare", name, drawn(shape, Random(f"{seed} {kind}")))


def drawn(shape: str, random: Random) -> str:
    """`shape` with its classes replaced by characters drawn from `random`."""
    return _DRAWN.sub(lambda match: _characters(match[1], int(match[2]), random), shape)


def _characters(name: str, count: int, random: Random) -> str:
    if name == "uuid":
        return "-".join(_characters("hex", length, random) for length in (8, 4, 4, 4, 12))
    while True:
        text = "".join(random.choices(_CLASSES[name], k=count))
        # A secret of only letters, or with marks at its ends, is possible, but no test of what it is for.
        if name in ("az", "AZ") or count < 4 or (text[0].isalnum() and text[-1].isalnum() and re.search(r"\d", text)):
            return text


def placed(seed: int = 1) -> Iterator[Placed]:
    """Each secret in each place that it can stand in."""
    places = list(_table(CONTEXTS, 2))
    for secret in secrets(seed):
        for where, place in places:
            if where == "named" or secret.bare or (where == "told" and _drawn_by_lot(secret.value)):
                yield Placed(secret, _filled(place, secret))


def _drawn_by_lot(value: str) -> bool:
    return len(value) >= 8 and bool(re.search(r"\d", value))


def _filled(place: str, secret: Secret) -> str:
    lower = secret.name.lower()
    head, *rest = lower.split("_")
    text = place.replace("\\\\", "\\")
    for mark, value in (
        ("{N}", secret.name),
        ("{n}", lower),
        ("{k}", lower.replace("_", "-")),
        ("{c}", head + "".join(part.title() for part in rest)),
        ("{S}", secret.value),
    ):
        text = text.replace(mark, value)
    return text


def coloured(placed: Placed) -> str:
    """The text as a program with colours prints it: round the secret, and once inside of it."""
    value = placed.secret.value
    middle = len(value) // 2
    return placed.text.replace(value, f"\x1b[31m{value[:middle]}\x1b[1;32m{value[middle:]}\x1b[0m")


def _table(path: Path, columns: int) -> Iterator[list[str]]:
    for line in path.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            cells = line.split("\t")
            assert len(cells) == columns, f"{path.name}: {line}"
            yield cells
