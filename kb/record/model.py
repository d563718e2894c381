"""The session record: what one debugging effort was, from the first symptom to its resolution.

These are the types; `reader` and `writer` give them their Markdown form, and hold every value that the types allow.
All values are frozen. Texts are `str` in which U+FFFD stands for a lone surrogate; line ends inside a body are whatever
the program printed.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    model_validator,
)

from kb.record.texts import UNPRINTABLE, prose, without_surrogates

FORMAT_VERSION = 1

Resolution: TypeAlias = Literal["fixed", "worked-around", "mitigated", "abandoned", "open"]
FixKind: TypeAlias = Literal[
    "patch", "config", "command", "upgrade", "downgrade", "environment", "restart", "hardware", "replace"
]
Confidence: TypeAlias = Literal["low", "medium", "high"]

SLUG = r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?"
SLUG_LENGTH = 120
NAME_LENGTH = 200
LANGUAGE = r"[A-Za-z0-9_+.#-]*"
_SLUG = re.compile(SLUG)
_LANGUAGE = re.compile(LANGUAGE)


def _clean(value: Any) -> Any:
    return without_surrogates(value) if isinstance(value, str) else value


def _slug(text: str) -> str:
    if not _SLUG.fullmatch(text) or len(text) > SLUG_LENGTH:
        raise ValueError(f"a slug is lower-case letters, digits, dots and hyphens, at most {SLUG_LENGTH} characters")
    return text


def _one_line(text: str) -> str:
    if not text or text != text.strip() or "\n" in text or "\t" in text or UNPRINTABLE.search(text):
        raise ValueError("one line of text, not empty, without spaces at its ends and without control characters")
    return text


def _some_prose(text: str) -> str:
    if not text:
        raise ValueError("a note says something")
    return text


def _utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("a time in the years 1 to 9999 UTC") from error


def _language(word: str) -> str:
    if word == "note" or not _LANGUAGE.fullmatch(word):
        raise ValueError("a language is one word of letters, digits and _+.#-, and not note, which marks prose")
    return word


def _name(text: str) -> str:
    if len(text) > NAME_LENGTH:
        raise ValueError(f"a name of at most {NAME_LENGTH} characters")
    return text


def _schema(**keywords: int | str | dict[str, str]) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", **keywords})


Text: TypeAlias = Annotated[str, BeforeValidator(_clean)]
Slug: TypeAlias = Annotated[Text, AfterValidator(_slug), _schema(pattern=f"^{SLUG}$", maxLength=SLUG_LENGTH)]
Line: TypeAlias = Annotated[Text, AfterValidator(_one_line), _schema(minLength=1)]
# YAML readers take no key of more than 1024 characters, escapes included.
Name: TypeAlias = Annotated[Line, AfterValidator(_name), _schema(minLength=1, maxLength=NAME_LENGTH)]
Prose: TypeAlias = Annotated[Text, AfterValidator(prose)]
Instant: TypeAlias = Annotated[AwareDatetime, AfterValidator(_utc)]
Language: TypeAlias = Annotated[
    Text, AfterValidator(_language), _schema(pattern=f"^{LANGUAGE}$", **{"not": {"const": "note"}})
]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Span(_Model):
    """Lines `first` to `last` (1-based, inclusive) of the file an excerpt was taken from."""

    first: int = Field(ge=1, lt=10**12)
    last: int = Field(ge=1, lt=10**12)

    @model_validator(mode="after")
    def _ordered(self) -> Span:
        if self.last < self.first:
            raise ValueError("the last line of a span comes before its first")
        return self


class Block(_Model):
    """A fenced body, verbatim: `language` is the word after the fence (any but `note`, which marks prose)."""

    language: Language = ""
    body: Text


class Console(_Model):
    """Commands and what they printed: lines that begin with `$ ` are the commands."""

    step: Literal["console"] = "console"
    body: Text
    exit: int | None = Field(default=None, ge=-(2**31), lt=2**32)
    signal: Text | None = None
    duration: timedelta | None = Field(default=None, ge=timedelta(0), le=timedelta(days=99_999))
    cwd: Text | None = None
    started: Instant | None = None


class Log(_Model):
    """Evidence: an excerpt of a log, with the file and the lines that it was taken from."""

    step: Literal["log"] = "log"
    body: Text
    source: Text | None = None
    lines: Span | None = None
    sha256: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")


class Diagnosis(_Model):
    """What somebody concluded, in prose; `rules_out` names what it excludes."""

    step: Literal["diagnosis"] = "diagnosis"
    prose: Prose
    confidence: Confidence | None = None
    rules_out: Text | None = None


class Fix(_Model):
    """A named remedy made at this point: the same slug in two sessions is the same fix."""

    step: Literal["fix"] = "fix"
    slug: Slug
    kind: FixKind
    target: Text | None = None
    applies: Text | None = None
    prose: Prose = ""
    blocks: tuple[Block, ...] = ()


class DeclaredFailure(_Model):
    """A failure that leaves no error line: slow, wrong result, hang."""

    step: Literal["failure"] = "failure"
    slug: Slug
    observed: Text | None = None
    expected: Text | None = None
    prose: Prose = ""


class Note(_Model):
    """Prose that is none of the above."""

    step: Literal["note"] = "note"
    prose: Annotated[Prose, AfterValidator(_some_prose)]


Step: TypeAlias = Annotated[Console | Log | Diagnosis | Fix | DeclaredFailure | Note, Field(discriminator="step")]


class Attempt(_Model):
    """One try: something was run, something was seen. `reruns` names the attempt whose run it repeats."""

    title: Line
    reruns: int | None = Field(default=None, ge=1)
    steps: tuple[Step, ...] = ()


class Session(_Model):
    """One debugging effort as one record; its attempts are numbered from 1 in their order."""

    id: Slug
    title: Line
    started: Instant
    ended: Instant | None = None
    resolution: Resolution = "open"
    components: dict[Name, Text] = Field(default_factory=dict)
    environment: dict[Name, Text] = Field(default_factory=dict)
    tags: tuple[Slug, ...] = ()
    introduction: Prose = ""
    attempts: tuple[Attempt, ...] = ()
    closing: Prose = ""

    @model_validator(mode="after")
    def _consistent(self) -> Session:
        if self.ended is not None and self.ended < self.started:
            raise ValueError("a session ends after it started")
        for number, attempt in enumerate(self.attempts, start=1):
            if attempt.reruns is not None and attempt.reruns >= number:
                raise ValueError(f"attempt {number} can only rerun one before it, not {attempt.reruns}")
        return self
