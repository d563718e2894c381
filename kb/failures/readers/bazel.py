"""Bazel: errors of build files and packages; reports that an action failed, which only wrap its own output."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, first_said, spotted
from kb.failures.streams import Stream

NAME = "bazel"
ABOUT = "Bazel: missing targets and broken build files; actions that failed"
EXAMPLE = """\
ERROR: /srv/demo/hello/BUILD:1:10: no such target '//:greet': target 'greet' not declared in package ''
ERROR: Analysis of target '//:hello' failed; build aborted
INFO: Elapsed time: 0.5s
"""

_PLACED = re.compile(r"ERROR: (?P<file>/[^\s:]{1,500}):(?P<line>\d{1,7}):(?P<column>\d{1,7}): (?P<message>\S.*)$")
_PLAIN = re.compile(r"(?:ERROR|FATAL): (?P<message>\S.*)$")
_ACTION = re.compile(
    r"(?P<what>.{1,600}?) failed: \((?:Exit \d+|Segmentation fault|Aborted|Killed|exit status \d+)\)|"
    r".{0,400}error executing (?:\S+ )?command|Couldn't build file "
)
_DONE = re.compile(
    r"Analysis of target .{1,300} failed|Build did NOT complete|command succeeded, but|"
    r"Error computing the main repository mapping$|Skipping '.{1,300}'"
)
_FETCH = re.compile(
    r"during the fetch of repository|Error fetching repository|RepositoryFetchException|Error downloading \["
)
_DOWNLOAD = re.compile(
    r"(?:WARNING: Download from \S{1,1000} failed: class (?:\w{1,60}\.){0,12}|"
    r"Error in \w{1,60}: (?:\w{1,60}\.){1,12})(?P<type>\w{1,80}Exception):? (?P<message>\S.*)$"
)
_TEST = re.compile(r"(?P<target>//\S{1,300})\s+(?P<why>FAILED|TIMEOUT|FAILED TO BUILD|NO STATUS)(?: in \d.*)?$")
_OWN = re.compile(
    r"(?:no such (?:package|target)|.{0,200}not declared|Unable to find package|Traceback|"
    r"Error downloading|An error occurred during the fetch|.{0,300}(?:is not visible|BUILD|WORKSPACE|"
    r"bazel|target|repository|module))"
)


def read(lines: Stream) -> Iterator[Find]:
    """One find per error line of Bazel."""
    seen: dict[tuple[str, str], Find] = {}
    fetched = any("ERROR: " in line.text and _FETCH.search(line.text) for line in lines)
    for line in lines:
        text = line.text.strip()
        find = None
        if len(text) > 20_000:
            continue
        if fetched and (download := _DOWNLOAD.match(text)):
            # A warning, since another mirror may have the file; when the fetch failed it is the reason.
            find = spotted(
                NAME, "network", download["type"], download["message"], line, [line], language="bazel", weight=1
            )
        elif placed := _PLACED.match(text):
            action = _ACTION.match(placed["message"])
            message = (action["what"] if action and action["what"] else placed["message"]).strip()
            find = spotted(
                NAME, "build", "bazel action" if action else "ERROR", message, line, [line], language="bazel", weight=1
            )
        elif plain := _PLAIN.match(text):
            if _DONE.match(plain["message"]) or _FETCH.search(plain["message"]):
                find = spotted(NAME, "build", "bazel", plain["message"], line, [line], weight=1)
            elif _OWN.match(plain["message"]):
                find = spotted(NAME, "build", "ERROR", plain["message"], line, [line], language="bazel", weight=1)
        elif text.startswith("//") and (test := _TEST.match(text)):
            find = spotted(NAME, "test-name", "bazel test", f"{test['target']} {test['why']}", line, [line], weight=2)
        if find is None:
            continue
        if first_said(seen, (find.type, find.message), find):
            yield find
