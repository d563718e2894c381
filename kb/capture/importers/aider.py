"""The chat history of aider: `.aider.chat.history.md`.

`# aider chat started at …` begins a chat, `#### ` lines are what the person typed, `> ` lines what aider did, the rest
is what the model wrote, with its edits as SEARCH/REPLACE blocks. The last chat in which something was done is read.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

from kb.capture.importers.conversation import Conversation
from kb.capture.importers.diffs import from_texts
from kb.capture.importers.source import Source
from kb.capture.importers.told import Changed, Ran, Story
from kb.capture.names import slug_of

_START = re.compile(r"^# aider chat started at (\S+ \S+)\s*$", re.MULTILINE)
_EDIT = re.compile(r"<{5,9} SEARCH\n(.*?)^={5,9}\n(.*?)^>{5,9} REPLACE", re.MULTILINE | re.DOTALL)
_COMMIT = re.compile(r"Commit ([0-9a-f]{7,40}) (.*)")
_RAN = re.compile(r"I ran (?:this|the) command:\s*```\n?(.*?)```.*?output:\s*```\n?(.*?)(?:```|\Z)", re.DOTALL)
_TYPED = re.compile(r"/(?:run|test|!)\s+(\S.*)|!(\S.*)")
_KIND = re.compile(r"^(?:fix|feat|chore|refactor|style|test|docs)(?:\([^)]*\))?: *")


def knows(path: Path, head: bytes) -> bool:
    """By its name or its first heading."""
    return path.name.endswith("aider.chat.history.md") or b"# aider chat started at " in head[:400]


def read(source: Source) -> Story:
    """The last chat with a change or a command in it."""
    starts = list(_START.finditer(source.text))
    begins = [one.end() for one in starts] or [0]
    ends = [*(one.start() for one in starts[1:]), len(source.text)]
    story = Story(())
    for at in reversed(range(len(begins))):
        when = _moment(starts[at][1]) if starts else None
        story = _chat(source.text[begins[at] : ends[at]], when, at)
        if any(isinstance(event, Ran | Changed) for event in story.events):
            break
    return story


def _chat(text: str, when: datetime | None, before: int) -> Story:
    talk = Conversation()
    talk.at(when)
    for kind, body in _parts(text):
        if kind == "person":
            _typed(talk, body)
        elif kind == "model":
            talk.assistant(_EDIT.sub("", body).split("```")[0])
            for change in _edits(body):
                talk.changed(change)
        else:
            for name in _COMMIT.finditer(body):
                talk.name_change(slug_of(_KIND.sub("", name[2]), 60), f"{name[2]} (commit {name[1]})")
    lost = (f"{before} earlier chat{'s' * (before != 1)} in the file",) if before else ()
    return talk.story(lost=lost, unknown=("what commands printed that were run outside of the chat",))


def _typed(talk: Conversation, body: str) -> None:
    """What the person typed: a request, or a command whose output follows in the same words."""
    for ran in _RAN.finditer(body):
        talk.ran(Ran(ran[1].strip(), ran[2]))
    if not _RAN.search(body):
        typed = _TYPED.match(body)
        if typed:
            talk.ran(Ran(typed[1] or typed[2]))
        elif not body.startswith("/"):
            talk.human(body)


def _parts(text: str) -> list[tuple[str, str]]:
    """Runs of lines: `person` (#### ), `tool` (> ) and `model`, without their marks."""
    parts: list[tuple[str, list[str]]] = []
    for line in text.split("\n"):
        kind, rest = "model", line
        if line.startswith("####"):
            kind, rest = "person", line[4:].removeprefix(" ")
        elif line.startswith(">") and not line.startswith(">>>>"):
            kind, rest = "tool", line[1:].removeprefix(" ")
        rest = rest.rstrip() if kind != "model" else rest
        if parts and parts[-1][0] == kind:
            parts[-1][1].append(rest)
        elif rest.strip():
            parts.append((kind, [rest]))
    return [(kind, "\n".join(lines).strip("\n")) for kind, lines in parts]


def _edits(body: str) -> list[Changed]:
    """The edits in what the model wrote; the file is named in the line before the block or before its fence."""
    found = []
    for edit in _EDIT.finditer(body):
        before = [line.strip() for line in body[max(0, edit.start() - 1000) : edit.start()].split("\n") if line.strip()]
        names = [line.strip("`*: ") for line in before[-2:] if not line.startswith("```")]
        change = from_texts(names[-1] if names else "a file", edit[1], edit[2])
        if change is not None:
            found.append(change)
    return found


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        return None
