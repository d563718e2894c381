"""Write-ups in Markdown or plain text: commands, quoted logs, attempts and changes, found by their structure.

What a write-up says is kept as it says it. A command has no exit status unless the text states one; a change that is
only told is listed for a person to name; a sentence becomes no step by guessing.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from pathlib import Path

from kb.capture.importers.bash_history import is_open
from kb.capture.importers.blocks import Block, blocks
from kb.capture.importers.code_blocks import events_of, is_command, joined, saw, stated
from kb.capture.importers.source import Source
from kb.capture.importers.told import Begins, Event, Ran, Said, Saw, Story
from kb.capture.runs import shows_failure

_WRITTEN = frozenset({".md", ".markdown", ".txt", ".rst", ".org", ".adoc", ""})
_ROLES = frozenset({"bash", "sh", "shell", "zsh", "tool"})
_SENTENCE = re.compile(r"[.!?][)\"'”’]?(?:\s|\Z)")
#: What begins a line of a log, and no line of prose: a space, a bracket, a time, a level, the name of an error.
_LOG_LINE = re.compile(r"[\s\[({<>|+\d]|[A-Z]{4,8}[ :\]]|[\w.]+(?:Error|Exception)\b|Traceback ")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ATTEMPT = re.compile(
    rf"\b(?:(?P<word>{'|'.join(_ORDINALS)}|next|final|last) (?:attempt|try|run)"
    r"|(?:attempt|try|run) #?(?P<number>\d{1,2}))\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?:attempt|try|run) #?\d{1,2}\s*[:.)–—-]*\s*(?=\S)", re.IGNORECASE)
_CAUSE = re.compile(r"(?:the )?(?:root )?cause|diagnosis|analysis|why\b", re.IGNORECASE)
_END = re.compile(r"(?:the )?(?:resolution|conclusion|outcome|summary of the fix)", re.IGNORECASE)
_CHANGE = re.compile(
    r"\b(?:patched|(?<!be )fixed|solved|worked (?:it )?around|downgraded|upgraded|reverted|rolled back|pinned|replaced"
    r"|switched to|changed \S+.{0,40} to|set \S+.{0,30} to)\b",
    re.IGNORECASE,
)
_LONGEST_HEADING = 90
_MOST_TOLD, _LONGEST_TOLD, _MOST_BLOCKS = 8, 160, 5000


def knows(path: Path, head: bytes) -> bool:
    """Whether it is a text of sentences: paragraphs of prose, or a heading and one."""
    if path.suffix.lower() not in _WRITTEN or b"\0" in head:
        return False
    text = head.decode("utf-8", "replace").replace("\r\n", "\n")
    found = list(blocks(text))
    lines = text.split("\n")
    written = sum(1 for block in found if block.kind == "prose" and _is_prose(block.text))
    marks = any(block.kind == "heading" and lines[block.line - 1].startswith("#") for block in found[:3])
    return written >= 2 or (marks and written >= 1)


def read(source: Source) -> Story:
    """The steps that the text shows, in its order, and what it only tells."""
    found = [_with_heading(one) for one in islice(blocks(source.text), _MOST_BLOCKS + 1)]
    lost = ("what stands behind the first 5,000 blocks of the text",) if len(found) > _MOST_BLOCKS else ()
    title = found[0].text if found and found[0].kind == "heading" else ""
    reading = _Reading(source.name)
    rest = found[1:] if title else found
    for at, block in enumerate(rest):
        reading.take(block, rest[at - 1] if at else None)
    return replace(reading.story(title), lost=lost)


def _with_heading(block: Block) -> Block:
    """A line alone that is no sentence is a heading, in texts without marks for them."""
    text = block.text
    alone = block.kind == "prose" and "\n" not in text and len(text) <= _LONGEST_HEADING
    if alone and text[:1].isupper() and text[-1].isalnum() and not is_command(text) and not _looks_like_log(text):
        return block._replace(kind="heading")
    return block


def _is_prose(text: str) -> bool:
    return len(text.split()) >= 8 and bool(_SENTENCE.search(text)) and not _looks_like_log(text)


def _looks_like_log(text: str) -> bool:
    lines = [line for line in text.split("\n") if line.strip()]
    return sum(1 for line in lines if _LOG_LINE.match(line)) * 2 > len(lines)


class _Reading:
    """A write-up being read."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._events: list[Event] = []
        self._introduction = ""
        self._closing: list[str] = []
        self._section = ""
        self._attempts = 0
        self._told: list[str] = []
        self._cut: list[int] = []

    def take(self, block: Block, before: Block | None) -> None:
        """The next block."""
        if block.kind == "heading":
            self._heading(block)
        elif block.kind == "code":
            self._code(block)
        elif block.kind == "mark" and block.language in _ROLES:
            self._command(block)
        elif block.kind == "mark":
            self._prose(block)
        elif is_command(block.text) and _is_announced(block, before):
            self._show(Ran(joined(block.text.removeprefix("$ "))))
        elif _looks_like_log(block.text) and shows_failure(block.text):
            self._show(saw(block.text, self._name, block.line))
        else:
            self._prose(block)

    def story(self, title: str) -> Story:
        """What was found."""
        unknown = [f"a change that is told only ({one})" for one in self._told[:_MOST_TOLD]]
        if len(self._told) > _MOST_TOLD:
            unknown.append(f"{len(self._told) - _MOST_TOLD} more changes that are told only")
        if self._cut:
            lines = ", ".join(map(str, self._cut[:8]))
            unknown.append(f"the rest of what was printed, which the write-up cuts off (line {lines})")
        return Story(
            tuple(self._events),
            title=title,
            introduction=self._introduction,
            closing="\n\n".join(self._closing),
            unknown=tuple(unknown),
        )

    def _heading(self, block: Block) -> None:
        self._section = block.text
        found = _ATTEMPT.search(block.text[:80])
        if found:
            self._attempts += 1
            self._events.append(Begins(_first_sentence(_NUMBERED.sub("", block.text, count=1))))
        elif not _END.match(block.text) and not _CAUSE.match(block.text):
            self._say(f"**{block.text}**")

    def _begins(self, text: str) -> None:
        """Begin an attempt where a paragraph tells of one that is not there yet."""
        found = _ATTEMPT.search(text[:80])
        if not found:
            return
        word = (found["word"] or "").lower()
        number = int(found["number"]) if found["number"] else _ORDINALS.index(word) + 1 if word in _ORDINALS else 0
        if number and number > self._attempts and (self._attempts or number > 1):
            self._events.append(Begins(_first_sentence(text)))
            self._attempts = number

    def _code(self, block: Block) -> None:
        found = events_of(block, self._name)
        for event in found:
            self._show(event)
        body = block.text.strip("\n")
        if not found and body.strip():
            fence = "~~~~" if "```" in body else "```"
            self._say(f"{fence}{block.language if block.language.isalnum() else ''}\n{body}\n{fence}")

    def _command(self, block: Block) -> None:
        """`[bash] …`: a command, and what it printed."""
        lines = block.text.split("\n")
        count = next((n for n in range(1, min(len(lines), 20) + 1) if not is_open("\n".join(lines[:n]) + "\n")), 1)
        output = "\n".join(lines[count:])
        if re.search(r"(?:\.\.\.|…)\s*\Z", output):
            self._cut.append(block.line + len(lines) - 1)
        self._show(Ran(joined("\n".join(lines[:count])), output, stated(output)))

    def _prose(self, block: Block) -> None:
        text = block.text
        for sentence in re.split(r"(?<=[.!?])\s+", text.replace("\n", " ")):
            if _CHANGE.search(sentence):
                shown = sentence if len(sentence) <= _LONGEST_TOLD else sentence[: _LONGEST_TOLD - 1] + "…"
                self._told.append(f"line {block.line}: {shown}")
        if _END.match(self._section):
            self._closing.append(text)
        elif not self._introduction and not self._events:
            self._introduction = text
        else:
            self._begins(text)
            self._say(text, cause=bool(_CAUSE.match(self._section)))

    def _say(self, text: str, *, cause: bool = False) -> None:
        last = self._events[-1] if self._events else None
        if isinstance(last, Said) and last.cause == cause:
            self._events[-1] = Said(f"{last.text}\n\n{text}", cause)
        else:
            self._events.append(Said(text, cause))

    def _show(self, event: Event) -> None:
        if isinstance(event, Ran | Saw):
            self._attempts = max(self._attempts, 1)
        self._events.append(event)


def _is_announced(block: Block, before: Block | None) -> bool:
    """Whether a paragraph that may be a command is one: behind a `$`, after a colon, or of several lines."""
    announced = before is not None and before.kind == "prose" and before.text.rstrip().endswith(":")
    return block.text.startswith("$ ") or announced or "\n" in block.text


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?])\s|\n|—", text.strip(), maxsplit=1)[0][:90].rstrip(" .:,") or "an attempt"
