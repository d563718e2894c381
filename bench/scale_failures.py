"""Failures in the shapes of real ones: what the installed Python packages raise, read from their source.

Every `raise X("…")` is a template: its literal pieces, and a gap for each value put in. Where there are too few for a
base of the wanted size, templates are used again as other programs run into them: one gap is filled for good with a
name of its own, and the callers are others.
"""

from __future__ import annotations

import ast
import itertools
import json
import random
import re
import sysconfig
import tempfile
import warnings
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from kb.failures.model import Failure, Frame

_SHORTEST = 15
_SYLLABLES = (
    "ba",
    "co",
    "di",
    "fu",
    "ga",
    "he",
    "ki",
    "lo",
    "mu",
    "ne",
    "pa",
    "qui",
    "ro",
    "si",
    "tu",
    "vo",
    "xe",
    "za",
)
_GAP = "\0"
_STRANGE = 8


class Site(NamedTuple):
    """Where something is raised: type, message with gaps (NUL), and the call sites that lead there, outermost first."""

    type: str
    message: str
    frames: tuple[tuple[str, str], ...]


def sites(count: int) -> list[Site]:
    """`count` different ones, none of them a stranger; a smaller number gives the first of a larger one."""
    real = [site for site in _installed() if not _strange(site)]
    made = list(real[:count])
    for number in itertools.count():
        for site in real:
            if len(made) >= count:
                return made
            made.append(_special(site, number, real))
    return made


def strangers() -> list[Site]:
    """What no base holds: the messages of about one package in eight that no other package has, too."""
    real = _installed()
    held = {(site.type, site.message) for site in real if not _strange(site)}
    return [site for site in real if _strange(site) and (site.type, site.message) not in held]


def _strange(site: Site) -> bool:
    package = site.frames[-1][0].removeprefix("pip/_vendor/").split("/")[0]
    return zlib.crc32(package.encode()) % _STRANGE == 0


def failure(site: Site, random_: random.Random) -> Failure:
    """One occurrence of it: the gaps filled, lines and folders of its frames as they happen to be."""
    message = _filled(site.message, random_)
    folder = f"/srv/{random_.choice(_SYLLABLES)}{random_.randrange(90)}/lib"
    frames = tuple(Frame(f"{folder}/{file}", name, random_.randrange(10, 900)) for file, name in site.frames)
    return made_failure(site.type, message, frames)


def perturbed(site: Site, random_: random.Random, others: Sequence[Site], *, frames: bool) -> Failure:
    """The same failure as another version or program may print it.

    All gaps filled anew; of two messages one has a word replaced; of ten, three are cut to 50 to 80 % and three get a
    suffix; up to two frames are changed, and of five reports one lacks a frame. Without `frames`, all are dropped.
    """
    message = _filled(site.message, random_)
    words = message.split(" ")
    if random_.random() < 0.5 and len(words) > 1:
        words[random_.randrange(len(words))] = _name(random_)
        message = " ".join(words)
    if random_.random() < 0.3:
        message = message[: int(len(message) * random_.uniform(0.5, 0.8))]
    if random_.random() < 0.3:
        message += random_.choice(
            (" (see the log)", f" [retry {random_.randrange(9)}]", ", giving up", "; aborting now")
        )
    kept = list(site.frames) if frames else []
    for _ in range(random_.randrange(3)):
        if kept:
            kept[random_.randrange(len(kept))] = random_.choice(random_.choice(others).frames)
    if len(kept) > 1 and random_.random() < 0.2:
        del kept[random_.randrange(len(kept))]
    folder = f"/opt/{random_.randrange(99)}"
    return made_failure(
        site.type, message, tuple(Frame(f"{folder}/{file}", name, random_.randrange(900)) for file, name in kept)
    )


def made_failure(type_: str, message: str, frames: tuple[Frame, ...]) -> Failure:
    """A Python exception as the reader of tracebacks finds it."""
    last = 2 * len(frames) + 2
    return Failure(
        "exception", type_, message, last, 1, last, f"{type_}: {message}", language="python", frames=frames,
        reader="python",
    )  # fmt: skip


def _filled(message: str, random_: random.Random) -> str:
    pieces = message.split(_GAP)
    kind = zlib.crc32(message.encode())  # one place of a program always puts in the same kind of value
    return pieces[0] + "".join(_value(random_, (kind + at) % 4) + piece for at, piece in enumerate(pieces[1:]))


def _value(random_: random.Random, kind: int) -> str:
    if kind == 0:
        return str(random_.randrange(100000))
    if kind == 1:
        return f"/data/{_name(random_)}/{random_.randrange(99)}.bin"
    return f"'{_name(random_)}'" if kind == 2 else f"<{_name(random_).title()} object at 0x{random_.getrandbits(40):x}>"


def _name(random_: random.Random) -> str:
    return "".join(random_.choices(_SYLLABLES, k=3))


def _special(site: Site, number: int, others: Sequence[Site]) -> Site:
    """The site as another program meets it: one gap filled by a name that no other has, and other callers."""
    name, rest = "", number + 1
    while rest:
        rest, digit = divmod(rest, len(_SYLLABLES))
        name += _SYLLABLES[digit]
    name = f"{name}_{site.frames[-1][1].strip('_') or 'option'}"
    message = site.message.replace(_GAP, name, 1) if _GAP in site.message else f"{site.message}: {name}"
    caller = others[zlib.crc32(f"{message}{number}".encode()) % len(others)]
    return site._replace(message=message, frames=(*caller.frames[-3:], site.frames[-1]))


def _installed() -> list[Site]:
    """What the packages beside this Python raise; kept in a file, because reading them takes a minute."""
    kept = Path(tempfile.gettempdir()) / "kb-bench-sites.json"
    if not kept.is_file():
        found = sorted(dict.fromkeys(_read_all()))
        random.Random(1).shuffle(found)
        kept.write_text(json.dumps(found))
    return [Site(t, m, tuple((file, name) for file, name in frames)) for t, m, frames in json.loads(kept.read_text())]


def _read_all() -> Iterator[Site]:
    paths = sysconfig.get_paths()
    warnings.simplefilter("ignore")
    for root in (Path(paths["purelib"]), Path(paths["stdlib"])):
        for path in sorted(root.rglob("*.py")):
            name = path.relative_to(root).as_posix()
            if root == Path(paths["stdlib"]) and name.startswith("site-packages"):
                continue
            try:
                tree = ast.parse(path.read_bytes())
            except (SyntaxError, ValueError):
                continue
            yield from _raised(tree, name)


def _raised(tree: ast.Module, file: str) -> Iterator[Site]:
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    names = [function.name for function in functions]
    random_ = random.Random(file)
    for function in functions:
        for node in ast.walk(function):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
                called, message = node.exc.func, _message(node.exc.args[0])
                type_ = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
                if type_[:1].isupper() and len(message.replace(_GAP, "")) >= _SHORTEST:
                    callers = random_.sample(names, min(len(names), random_.randrange(2, 6)))
                    frames = tuple((file, name) for name in (*callers, function.name))
                    yield Site(type_, message, (("app/main.py", "main"), *frames))


def _message(node: ast.expr) -> str:
    """The message with its gaps; "" when it is no literal, or has more lines than one."""
    text = ""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        text = node.value
    elif isinstance(node, ast.JoinedStr):
        text = "".join(
            piece.value if isinstance(piece, ast.Constant) and isinstance(piece.value, str) else _GAP
            for piece in node.values
        )
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        text = _message(node.left).replace("%s", _GAP).replace("%r", _GAP).replace("%d", _GAP)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        text = "".join(_GAP if at % 2 else piece for at, piece in enumerate(_braces(_message(node.func.value))))
    return "" if "\n" in text or len(text) > 300 else text


def _braces(text: str) -> list[str]:
    return re.split(r"(\{[^{}]*\})", text)
