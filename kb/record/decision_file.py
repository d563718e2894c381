"""The files of decisions: simple YAML, one decision a file.

    kb: 1
    merge: [kb1-bbbbbbbbbb]
    into: kb1-aaaaaaaaaa
    date: 2026-11-29
    why: the same failure, worded anew in 0.16

The verb is a key: `merge` with `into`; `split` with `message` or `function`, and a `title` if wanted; `name` with
`title`. `date`, `by` and `why` say when, by whom and why, and may be left out.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path
from typing import NamedTuple

import yaml

from kb.errors import Problem
from kb.home import Home
from kb.record.build import did_you_mean
from kb.record.decision import Decision, Made, Merge, Rename, Split, kind_of, mentioned
from kb.record.front_writer import scalar, sequence
from kb.record.model import FORMAT_VERSION
from kb.record.plain_yaml import PlainYaml
from kb.record.problems import Problems
from kb.record.texts import UNPRINTABLE, shown

SUFFIX = ".yaml"

#: Far more than a decision needs.
SIZE_LIMIT = 64 * 1024
LONGEST_TITLE = 200
#: A text that tells a part from the rest; a longer one is a log.
LONGEST_TEXT = 300

_ID = re.compile(r"kb[0-9]+-[a-z2-7]{10}")
_VERBS = ("merge", "split", "name")
#: The keys that each verb needs and may have, besides the common ones.
_KEYS = {"merge": ("into",), "split": ("message", "function", "title"), "name": ("title",)}
_COMMON = ("kb", "date", "by", "why")


class DecisionReading(NamedTuple):
    """What a file gave: the decision (None when it cannot be followed), and what is wrong with the file."""

    decision: Decision | None
    problems: tuple[Problem, ...]


def decision_files(home: Home) -> list[Path]:
    """The files of decisions of `home`, sorted by name; hidden files and other kinds of files are none."""
    found = home.decisions.glob(f"*{SUFFIX}")
    return sorted(path for path in found if path.is_file() and not path.name.startswith("."))


def read_decision_file(path: Path, name: str) -> DecisionReading:
    """The reading of one file of a decision; `name` is the file's name in problems."""
    try:
        with path.open("rb") as stream:
            return read_decision(stream.read(SIZE_LIMIT + 1), name)
    except OSError as error:
        problems = Problems(name)
        problems.add(0, "unreadable", f"cannot be read: {error.strerror}")
        return DecisionReading(None, problems.sorted())


def read_decision(data: bytes, name: str) -> DecisionReading:
    """The decision in `data`, the content of the file `name`. Bad content is a problem, never an exception."""
    problems = Problems(name)
    if len(data) > SIZE_LIMIT:
        problems.add(0, "too-large", f"larger than the {SIZE_LIMIT // 1024} KiB of a decision, and not read")
        return DecisionReading(None, problems.sorted())
    try:
        text = data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problems.add(line, "not-utf8", f"not UTF-8: the byte {data[error.start]:#04x}", "save the file as UTF-8")
        return DecisionReading(None, problems.sorted())
    reader = PlainYaml(problems, "decision", first=1)
    root = reader.compose(text, "write kb: 1 and one of merge, split and name")
    if isinstance(root, yaml.MappingNode):
        decision = _decision(dict(reader.pairs(root)), reader, name)
        return DecisionReading(decision, problems.sorted())
    if root is not None:
        problems.add(reader.line(root), "yaml", "the decision is no list of keys and values", "write key: value lines")
    return DecisionReading(None, problems.sorted())


def _decision(nodes: dict[str, yaml.Node], reader: PlainYaml, name: str) -> Decision | None:
    problems = reader.problems
    verbs = [key for key in nodes if key in _VERBS]
    if len(verbs) != 1:
        said = "several things" if verbs else "nothing"
        line = reader.line(nodes[verbs[1]]) if verbs else 1
        problems.add(line, "decision", f"the file decides {said}", "it has one of the keys merge, split and name")
        return None
    verb = verbs[0]
    known = ("kb", verb, *_KEYS[verb], *_COMMON[1:])
    for key, node in nodes.items():
        if key not in known:
            hint = did_you_mean(key, known) + "known: " + ", ".join(known)
            problems.add(reader.line(node), "unknown-key", f"unknown key {shown(key)}", hint)
    values = _Values(nodes, reader)
    values.version()
    made = Made(name, reader.line(nodes[verb]), values.text("date", _a_date), values.text("by"), values.text("why"))
    reads: dict[str, Callable[[_Values, Made], Decision | None]] = {"merge": _merge, "split": _split, "name": _rename}
    return reads[verb](values, made)


class _Values:
    """The values of a decision's keys; what is wrong with one is noted once, and gives ""."""

    def __init__(self, nodes: dict[str, yaml.Node], reader: PlainYaml) -> None:
        self._nodes = nodes
        self._reader = reader

    def __contains__(self, key: str) -> bool:
        return key in self._nodes

    def wrong(self, key: str, code: str, message: str, hint: str) -> None:
        """Note a problem at the line of `key` (the first line when it is missing)."""
        line = self._reader.line(self._nodes[key]) if key in self._nodes else 1
        self._reader.problems.add(line, code, message, hint)

    def version(self) -> None:
        """The version of the format must be this one."""
        if "kb" not in self:
            self.wrong("kb", "missing-key", "the key kb is missing", f"write kb: {FORMAT_VERSION}")
        elif (said := self._reader.scalar("kb", self._nodes["kb"])) not in (None, str(FORMAT_VERSION)):
            self.wrong("kb", "version", f"kb is {shown(said or '')}", f"this kb reads format {FORMAT_VERSION}")

    def text(self, key: str, check: Callable[[str], str] | None = None, *, needed: bool = False) -> str:
        """The text of `key`; `check` says what would be right, or "" for a right one."""
        if key not in self:
            if needed:
                self.wrong(key, "missing-key", f"the key {key} is missing", "")
            return ""
        text = self._reader.scalar(key, self._nodes[key])
        if text is None:
            return ""
        hint = (check(text) if check else "") or (UNPRINTABLE.search(text) and "without control characters") or ""
        if hint:
            self.wrong(key, "value", f"{key} is {shown(text)}", hint)
            return ""
        return text

    def ids(self, key: str) -> tuple[str, ...]:
        """The signature ids of `key`: one, or a list of them."""
        node = self._nodes[key]
        if not isinstance(node, yaml.SequenceNode):
            one = self.text(key, _an_id, needed=True)
            return (one,) if one else ()
        texts = [self._reader.scalar(f"an id of {key}", item) for item in node.value]
        for text in texts:
            if text is not None and _an_id(text):
                self.wrong(key, "value", f"{key} has {shown(text)}", _an_id(text))
                return ()
        found = tuple(dict.fromkeys(text for text in texts if text is not None))
        if len(found) < len(texts) or not found:
            self.wrong(key, "value", f"{key} does not name each of its ids once", "write merge: [one, another]")
        return found


def _merge(values: _Values, made: Made) -> Decision | None:
    into, others = values.text("into", _an_id, needed=True), values.ids("merge")
    if into and into in others:
        values.wrong("into", "value", f"{into} is merged into itself", "name another one")
        others = tuple(one for one in others if one != into)
    return Merge(into, others, made) if into and others else None


def _split(values: _Values, made: Made) -> Decision | None:
    signature = values.text("split", _an_id, needed=True)
    if ("message" in values) == ("function" in values):
        hint = "it is either a text that the message holds, or the innermost own function"
        values.wrong("split", "missing-key", "a split needs one of the keys message and function", hint)
        return None
    title = values.text("title", _a_title)
    if "message" in values:
        text = values.text("message", _a_text, needed=True)
        return Split(signature, "message", text, title, made) if signature and text else None
    text = values.text("function", _a_text, needed=True)
    return Split(signature, "function", text, title, made) if signature and text else None


def _rename(values: _Values, made: Made) -> Decision | None:
    signature, title = values.text("name", _an_id, needed=True), values.text("title", _a_title, needed=True)
    return Rename(signature, title, made) if signature and title else None


def _an_id(text: str) -> str:
    return "" if _ID.fullmatch(text) else "a signature id, such as kb1-dm2yvgvqv2"


def _a_date(text: str) -> str:
    try:
        date.fromisoformat(text)
    except ValueError:
        return "a date, such as 2026-11-29"
    return "" if len(text) == 10 else "a date, such as 2026-11-29"


def _a_title(text: str) -> str:
    fits = 0 < len(text.strip()) == len(text) <= LONGEST_TITLE
    return "" if fits else f"one line of at most {LONGEST_TITLE} characters, without spaces at its ends"


def _a_text(text: str) -> str:
    fits = bool(text.strip()) and "\n" not in text and len(text) <= LONGEST_TEXT
    return "" if fits else f"a text on one line, of at most {LONGEST_TEXT} characters"


def decision_text(decision: Decision) -> str:
    """The one form in which kb writes `decision`."""
    lines = [f"kb: {FORMAT_VERSION}"]
    match decision:
        case Merge():
            lines += [sequence("merge", decision.others), f"into: {decision.into}"]
        case Split():
            lines += [f"split: {decision.signature}", f"{decision.by}: {scalar(decision.text)}"]
            lines += [f"title: {scalar(decision.title)}"] if decision.title else []
        case Rename():
            lines += [f"name: {decision.signature}", f"title: {scalar(decision.title)}"]
    made = decision.made
    # A date is text for kb and a date for other readers of YAML: both are right.
    lines += [f"date: {made.date}"] if made.date else []
    lines += [f"{key}: {scalar(value)}" for key, value in (("by", made.by), ("why", made.why)) if value]
    return "\n".join(lines) + "\n"


def decision_name(decision: Decision) -> str:
    """The name of the file for `decision`: its date, what it does, and a hash of its text.

    Two people who decide differently on one day so write two files, which Git merges, and kb names the contradiction.
    """
    digest = hashlib.sha256(decision_text(decision).encode()).hexdigest()[:6]
    day = f"{decision.made.date}-" if decision.made.date else ""
    return f"{day}{kind_of(decision)}-{mentioned(decision)[0]}-{digest}{SUFFIX}"


def read_decisions(home: Home) -> tuple[tuple[Decision, ...], tuple[Problem, ...]]:
    """All decisions of `home` in the order of their files, and the problems of these files."""
    found = [(path, path.relative_to(home.root).as_posix()) for path in decision_files(home)]
    return together(read_decision_file(path, name) for path, name in found)


def together(readings: Iterable[DecisionReading]) -> tuple[tuple[Decision, ...], tuple[Problem, ...]]:
    """The decisions and the problems of several files."""
    decisions: list[Decision] = []
    problems: list[Problem] = []
    for reading in readings:
        problems.extend(reading.problems)
        if reading.decision is not None:
            decisions.append(reading.decision)
    return tuple(decisions), tuple(problems)
