"""How texts are cut into words where the index needs its own rule: anchors and full text."""

from __future__ import annotations

from functools import lru_cache

from kb.expressions import late

_WORD = late(r"\w+")
_RELEASE = late(r"\d+(?:\.\d+)*")
#: Numbers of a version that are compared, and that can be asked for.
_DEEPEST = 4
_TOKEN = late(r"[^\W_]+")
_DAY = late(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_CAMEL = late(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[0-9])(?=[A-Z][a-z])")

#: A time of day, with a date before it and a zone behind it. It begins with a digit alone, which is found faster.
_MOMENT = late(
    r"[0-9](?<![\w:.-][0-9])(?:[0-9]{3}[-/][0-9]{2}[-/][0-9]{2}(?:[T _]|, )[0-9]{2}|[0-9][-/][0-9]{2} [0-9]{2}|[0-9])"
    r":[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?(?:Z|[-+][0-9]{2}:?[0-9]{2})?(?![\w:])"
)
#: Where a camelCase word goes on, as _CAMEL has it, but found faster in a long text: it begins with what is rare.
_HUMP = late(r"[A-Z](?:(?<=[a-z].)|(?<=[A-Z].)(?=[a-z])|(?<=[0-9].)(?=[a-z]))")


def line_words(line: str) -> frozenset[str]:
    """The words of a log line, among which the words of an anchor are looked up."""
    return frozenset(word.lower() for word in _WORD.findall(line))


def anchor_words(anchor: str) -> tuple[str, ...]:
    """The words of an anchor that are whole words in every line that holds it.

    The first and the last may be a part of a longer word there, and are left out where nothing bounds them.
    """
    return tuple(
        found.group().lower() for found in _WORD.finditer(anchor) if found.start() > 0 and found.end() < len(anchor)
    )


def cut_tokens(text: str) -> list[str]:
    """The tokens of `text` where the full-text index cuts it: runs of letters and digits."""
    return _TOKEN.findall(text)


def camel_parts(text: str) -> list[str]:
    """The tokens of `text`, camelCase cut into its parts (`KimiK25Config` gives `kimi k25 config`)."""
    return [part.lower() for token in _TOKEN.findall(text) for part in _CAMEL.split(token) if part]


def parts_column(text: str) -> str:
    """The parts of all camelCase words of `text`, each word once, for a column of its own in the full-text index."""
    words: dict[str, None] = {}
    end = 0
    for found in _HUMP.finditer(text):
        if found.start() >= end:
            start = found.start()
            while start > end and text[start - 1].isalnum():
                start -= 1
            token = _TOKEN.match(text, start)
            assert token is not None
            end = token.end()
            words[token.group()] = None
    return " ".join(" ".join(_CAMEL.split(word)) for word in words)


def without_moments(text: str) -> str:
    """`text` without times of day and the dates before them: when a line was printed, no other log says again."""
    return _MOMENT.sub(" ", text) if ":" in text else text


def day_number(day: str) -> int | str:
    """A day (`2026-01-31`) as a number, which takes less room: 0 for "", anything else as it is."""
    return int(day.replace("-", "")) if _DAY.fullmatch(day) else day or 0


def day_text(number: int | str) -> str:
    """The day that `day_number` made a number of."""
    if isinstance(number, str) or not number:
        return number or ""
    return f"{number // 10000:04}-{number // 100 % 100:02}-{number % 100:02}"


@lru_cache(maxsize=10_000)
def folded(value: str) -> str:
    """`value` as made-up words hold it: `flash-attn`, `flash_attn` and `FlashAttn` are one."""
    return "".join(character for character in value.lower() if character.isalnum())


def version_numbers(version: str) -> list[str]:
    """The first numbers of a version, as many as are compared; none when it holds no number."""
    release = _RELEASE.search(version)
    return release.group().split(".")[:_DEEPEST] if release else []
