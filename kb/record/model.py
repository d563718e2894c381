"""The session record: what one debugging effort was, from the first symptom to its resolution.

These are the types; `reader` and `writer` give them their Markdown form. All values are frozen. Texts are `str`
without surrogates; line ends inside a body are whatever the program printed.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field

FORMAT_VERSION = 1

Resolution: TypeAlias = Literal["fixed", "worked-around", "mitigated", "abandoned", "open"]
FixKind: TypeAlias = Literal[
    "patch", "config", "command", "upgrade", "downgrade", "environment", "restart", "hardware", "replace"
]
Confidence: TypeAlias = Literal["low", "medium", "high"]

SLUG = r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?"
_SLUG = re.compile(SLUG)


def _slug(text: str) -> str:
    if not _SLUG.fullmatch(text) or len(text) > 120:
        raise ValueError("a slug is lower-case letters, digits, dots and hyphens, at most 120 characters")
    return text


def _one_line(text: str) -> str:
    if text != text.strip() or not text or any(c in text for c in "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"):
        raise ValueError("one line of text, not empty, without spaces at its ends")
    return text


Slug: TypeAlias = Annotated[str, AfterValidator(_slug)]
Line: TypeAlias = Annotated[str, AfterValidator(_one_line)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Span(_Model):
    """Lines `first` to `last` (1-based, inclusive) of the file an excerpt was taken from."""

    first: int = Field(ge=1)
    last: int = Field(ge=1)


class Block(_Model):
    """A fenced body, verbatim: `language` is the word after the fence."""

    language: str = Field(default="", pattern=r"^[A-Za-z0-9_+.#-]*$")
    body: str


class Console(_Model):
    """Commands and what they printed: lines that begin with `$ ` are the commands."""

    step: Literal["console"] = "console"
    body: str
    exit: int | None = None
    signal: str | None = None
    duration: timedelta | None = None
    cwd: str | None = None
    started: AwareDatetime | None = None


class Log(_Model):
    """Evidence: an excerpt of a log, with the file and the lines that it was taken from."""

    step: Literal["log"] = "log"
    body: str
    source: str | None = None
    lines: Span | None = None
    sha256: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")


class Diagnosis(_Model):
    """What somebody concluded, in prose; `rules_out` names what it excludes."""

    step: Literal["diagnosis"] = "diagnosis"
    prose: str
    confidence: Confidence | None = None
    rules_out: str | None = None


class Fix(_Model):
    """A named remedy made at this point: the same slug in two sessions is the same fix."""

    step: Literal["fix"] = "fix"
    slug: Slug
    kind: FixKind
    target: str | None = None
    applies: str | None = None
    prose: str = ""
    blocks: tuple[Block, ...] = ()


class DeclaredFailure(_Model):
    """A failure that leaves no error line: slow, wrong result, hang."""

    step: Literal["failure"] = "failure"
    slug: Slug
    observed: str | None = None
    expected: str | None = None
    prose: str = ""


class Note(_Model):
    """Prose that is none of the above."""

    step: Literal["note"] = "note"
    prose: str


Step: TypeAlias = Annotated[Console | Log | Diagnosis | Fix | DeclaredFailure | Note, Field(discriminator="step")]


class Attempt(_Model):
    """One try: something was run, something was seen. `reruns` names the attempt whose run it repeats."""

    title: Line
    reruns: int | None = Field(default=None, ge=1)
    steps: tuple[Step, ...] = ()


class Session(_Model):
    """One debugging effort as one record."""

    id: Slug
    title: Line
    started: AwareDatetime
    ended: AwareDatetime | None = None
    resolution: Resolution = "open"
    components: dict[str, str] = Field(default_factory=dict)
    environment: dict[str, str] = Field(default_factory=dict)
    tags: tuple[Slug, ...] = ()
    introduction: str = ""
    attempts: tuple[Attempt, ...] = ()
    closing: str = ""
