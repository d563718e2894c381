"""What failures that resemble each other share: the words of their type and message, and the places they come from."""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from kb.failures.model import Frame
from kb.signature.words import words

#: Frames of a failure that count, the innermost ones.
_FRAMES = 8
_LONGEST = 80


class Alike(NamedTuple):
    """A signature as far as others are compared with it; `frames` are its places, the innermost first."""

    id: str
    type: str
    template: str
    frames: tuple[str, ...]


def frame_words(frames: Iterable[Frame]) -> tuple[str, ...]:
    """The places that frames (the innermost first) name, as words: `loader:load_weights` whatever the folder."""
    places = dict.fromkeys([f"{_stem(frame.file)}:{_name(frame.function)}" for frame in frames if frame.function])
    return tuple(places)[:_FRAMES]


def alike_words(type_: str, template: str, frames: tuple[str, ...]) -> tuple[str, ...]:
    """The words by which a signature is found."""
    return (*words(f"{type_} {template}"), *frames)


def _stem(file: str) -> str:
    return _as_word(file.replace("\\", "/").rpartition("/")[2])


@lru_cache(maxsize=10_000)
def _as_word(name: str) -> str:
    """The name of a file without what it ends in."""
    return "".join(name.partition(".")[0].split())[:_LONGEST].lower()


@lru_cache(maxsize=20_000)
def _name(function: str) -> str:
    """A function without its arguments and what a template was made for."""
    plain = function.partition("(")[0].partition("<")[0] or function
    return "".join(plain.split())[-_LONGEST:].lower()
