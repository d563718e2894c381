"""Trajectories of OpenHands: a list of events, actions (`run`, `edit`, `message`) and the observations they caused.

A command's observation holds its exit status (-1 stands for unknown) and up to 30,000 characters of its output.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kb.capture.importers.conversation import Conversation
from kb.capture.importers.cut_json import json_of
from kb.capture.importers.diffs import from_diff, from_texts
from kb.capture.importers.source import Losses, Source, moment, objects, part, read_json, status_of, text_of
from kb.capture.importers.told import Ran, Story


def knows(_path: Path, head: bytes) -> bool:
    """By the keys of its events."""
    return (
        head.lstrip()[:1] in (b"[", b"{") and b'"observation"' in head and (b'"extras"' in head or b'"action"' in head)
    )


def read(source: Source) -> Story:
    """The commands, edits and words of a trajectory, in order."""
    losses = Losses()
    whole = json_of(source, losses, "trajectory")
    events = objects(whole) or objects(whole, "history") or objects(whole, "trajectory") or objects(whole, "events")
    if whole is None:
        events = [one for line in source.text.split("\n") if isinstance(one := read_json(line.rstrip(",")), Mapping)]
    talk = Conversation()
    begun: dict[Any, Mapping[str, Any]] = {}
    for event in events:
        when = moment(event.get("timestamp"))
        talk.at(when)
        if isinstance(event.get("id"), int):
            begun[event["id"]] = event
        if event.get("action") == "message":
            text = text_of(event, "args", "content")
            (talk.human if event.get("source") == "user" else talk.assistant)(text)
        elif "action" in event:
            talk.assistant(text_of(event, "args", "thought"))
        elif event.get("observation") in ("run", "CmdOutputObservation"):
            cause = event.get("cause")
            _ran(talk, event, begun.get(cause, {}) if isinstance(cause, int) else {})
        elif event.get("observation") in ("edit", "FileEditObservation"):
            path = text_of(event, "extras", "path")
            diff = text_of(event, "extras", "diff")
            old, new = text_of(event, "extras", "old_content"), text_of(event, "extras", "new_content")
            change = from_diff(diff) or from_texts(path.removeprefix("/workspace/"), old, new)
            if change is not None:
                talk.changed(change)
    return talk.story(lost=losses.told(), environment={"agent": "OpenHands"})


def _ran(talk: Conversation, event: Mapping[str, Any], cause: Mapping[str, Any]) -> None:
    command = text_of(event, "extras", "command") or text_of(cause, "args", "command")
    began, ended = moment(cause.get("timestamp")), moment(event.get("timestamp"))
    seconds = (ended - began).total_seconds() if began and ended else None
    extras = part(event, "extras")
    status = status_of(extras, "metadata", "exit_code")
    status = status if status is not None else status_of(extras, "exit_code")
    cwd = text_of(extras, "metadata", "working_dir")
    talk.ran(Ran(command, text_of(event, "content"), status, seconds, cwd, began or ended))
