"""Issues of GitHub as JSON: `gh issue view N --json author,body,closed,closedAt,comments,createdAt,labels,number,
state,stateReason,title,url,closedByPullRequestsReferences`, or the object of the REST interface.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kb.capture.importers.blocks import blocks
from kb.capture.importers.code_blocks import quoted
from kb.capture.importers.cut_json import json_of
from kb.capture.importers.source import Losses, Source, moment, number_of, objects, text_of
from kb.capture.importers.told import Event, Ran, Said, Saw, Story

_MEMBERS = frozenset({"MEMBER", "OWNER", "COLLABORATOR"})
_CAUSE = re.compile(
    r"\b(?:because|caused by|root cause|the (?:cause|culprit|reason) |due to|regress(?:ed|ion) (?:in|from|by))"
)
_MOST = 40


def knows(_path: Path, head: bytes) -> bool:
    """Whether the first object looks like an issue."""
    start = head.lstrip()
    return (
        start.startswith(b"{")
        and b'"title"' in head
        and b'"body"' in head
        and (b"github.com" in head or b'"state' in head)
    )


def read(source: Source) -> Story:
    """The logs that the issue and its comments quote, in order, and what a maintainer took for the cause."""
    losses = Losses()
    issue = json_of(source, losses, "issue")
    issue = issue if isinstance(issue, Mapping) else {}
    body = text_of(issue, "body")
    events: list[Event] = list(quoted(body, "the issue"))
    caused = False
    comments = objects(issue, "comments")
    for number, comment in enumerate(comments[:_MOST], start=1):
        text = text_of(comment, "body")
        events.extend(quoted(text, f"comment {number}"))
        role = text_of(comment, "authorAssociation") or text_of(comment, "author_association")
        if not caused and role in _MEMBERS and _CAUSE.search(text):
            caused = True
            events.append(Said(_prose(text), cause=True))
    if len(comments) > _MOST:
        losses.add("comments behind the first 40", count=len(comments) - _MOST)
    named = number_of(issue, "number")
    url = text_of(issue, "url") or text_of(issue, "html_url")
    where = f"From issue {int(named) if named else ''} {url}".strip() + "."
    return Story(
        tuple(events) or ((Said(_prose(body)),) if _prose(body) else ()),
        title=text_of(issue, "title"),
        started=moment(text_of(issue, "createdAt") or text_of(issue, "created_at")),
        ended=moment(text_of(issue, "closedAt") or text_of(issue, "closed_at")),
        introduction="\n\n".join(part for part in (where, _prose(body)) if part),
        lost=losses.told(),
        unknown=tuple(_unknown(issue, events)),
    )


def _prose(text: str) -> str:
    """The words of a text, without what it quotes."""
    found = (
        f"**{one.text}**" if one.kind == "heading" else one.text
        for one in blocks(text.replace("\r\n", "\n"))
        if one.kind != "code"
    )
    return "\n\n".join(found)


def _unknown(issue: Mapping[str, Any], events: list[Event]) -> Iterator[str]:
    if not any(isinstance(event, Saw | Ran) for event in events):
        yield "what the failure looked like: no log is quoted"
    requests = objects(issue, "closedByPullRequestsReferences")
    for request in requests[:5]:
        name = text_of(request, "url") or "a pull request"
        yield f"the fix: {name} closed the issue (`kb import git` takes its commits)"
    reason = text_of(issue, "stateReason") or text_of(issue, "state_reason")
    if reason and not requests:
        yield f"what was done: the issue was closed as {reason.lower().replace('_', ' ')}"
