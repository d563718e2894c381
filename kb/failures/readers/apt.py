"""apt and dpkg: packages that cannot be had, dependencies that do not fit, maintainer scripts that failed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.streams import Stream

NAME = "apt"
ABOUT = "apt and dpkg: missing packages, unmet dependencies, locks, failed scripts"
EXAMPLE = """\
Reading package lists...
E: Unable to locate package libzstd9-dev
"""

_E = re.compile(r"(?P<type>E): (?P<message>\S.*)$")
_DPKG = re.compile(
    r"dpkg(?:-deb|-query)?: (?P<type>error|unrecoverable fatal error)(?: processing (?:package|"
    r"archive) (?P<package>\S{1,300}) \(--\w+\))?(?:, aborting)?:\s?(?P<message>.*)$"
)
_UNMET = re.compile(r"The following packages have unmet dependencies:$")
_DEPENDS = re.compile(
    r" \S{1,200}(?:\s:)? (?:: )?(?:Pre-)?(?:Depends|Conflicts|Breaks|Recommends): \S.*$|"
    r"\s{5,}(?:Depends|Conflicts|Breaks): \S.*$"
)
_PROBLEM = re.compile(r"dpkg: dependency problems prevent (?:configuration|removal) of (?P<package>\S{1,200}):$")
_RPM = re.compile(
    r"(?P<type>Error): (?P<message>(?:Unable to find a match|Problem: |Failed to download metadata|"
    r"Transaction (?:test|check) error|GPG check FAILED).*)$"
)
_SCRIPT = re.compile(
    r"(?:installed|new|old) .{1,300} (?:script|package \S+ script) subprocess |"
    r".{0,300}subprocess .{0,60} (?:returned error|was (?:killed|interrupted))"
)
_ABOVE = 40
#: Sentences of apt that only say that something above failed.
_AFTER = re.compile(
    r"(?:Sub-process \S+ returned an error code|"
    r"Unable to correct problems, you have held broken packages|Unmet dependencies\. Try|"
    r"Some index files failed|Problem executing scripts|Unable to fetch some archives|Broken packages)"
)


def read(lines: Stream) -> Iterator[Find]:
    """One find per error of apt or dpkg; sentences that only close a failed run are wrappers of it."""
    index = 0
    while index < len(lines):
        text = lines[index].text.rstrip()
        find, end = None, index + 1
        if len(text) > 10_000:
            pass
        elif _UNMET.match(text):
            find, end = _unmet(lines, index)
        elif match := _DPKG.match(text):
            find, end = _dpkg(lines, index, match)
        elif match := _PROBLEM.match(text):
            find, end = _problem(lines, index, match["package"])
        elif (match := _E.match(text)) or (match := _RPM.match(text)):
            if match["message"].startswith("Some index files failed") and (fetched := _fetched(lines, index)):
                yield fetched
            name = "apt" if _AFTER.match(match["message"]) else match["type"]
            find = spotted(
                NAME, "packages", name, match["message"], lines[index], [lines[index]], language="apt", weight=1
            )
        if find is not None:
            yield find
        index = end


def _fetched(lines: Stream, index: int) -> Find | None:
    """The warnings that say which of a repository's files apt could not fetch, above the error that it goes on to."""
    start = max(index - _ABOVE, 0)
    block = [line for line in lines[start:index] if line.text.startswith(("W: Failed to fetch ", "W: GPG error: "))]
    if not block:
        return None
    said = block[0].text.removeprefix("W: ").rstrip()
    return spotted(NAME, "packages", "W", said, block[0], block, language="apt", weight=1)


def _unmet(lines: Stream, index: int) -> tuple[Find | None, int]:
    end = index + 1
    while end < len(lines) and _DEPENDS.match(lines[end].text):
        end += 1
    if end == index + 1:
        return None, end
    body = [" ".join(line.text.split()) for line in lines[index + 1 : end]]
    find = spotted(
        NAME,
        "packages",
        "unmet dependencies",
        "\n".join(body),
        lines[index + 1],
        lines[index:end],
        language="apt",
        weight=1,
    )
    return find, end


def _dpkg(lines: Stream, index: int, match: re.Match[str]) -> tuple[Find, int]:
    end, message = index + 1, match["message"].strip()
    while end < len(lines) and lines[end].text.startswith(" ") and end - index < 10:
        message = f"{message}\n{lines[end].text.strip()}".strip("\n")
        end += 1
    name = "dpkg"
    if _SCRIPT.match(message):
        name = "dpkg script"
    find = spotted(NAME, "packages", name, message, lines[index], lines[index:end], language="apt", weight=1)
    if message.startswith("dependency problems - leaving"):
        find.cascade = "a dependency that is not there is named before"
    return find, end


def _problem(lines: Stream, index: int, package: str) -> tuple[Find, int]:
    end = index + 1
    while end < len(lines) and lines[end].text.startswith(" ") and end - index < 40:
        end += 1
    body = [line.text.strip() for line in lines[index + 1 : end]]
    missing = next((part for part in body if part.startswith("Package ")), body[0] if body else package)
    at = next((line for line in lines[index + 1 : end] if line.text.strip() == missing), lines[index])
    return (
        spotted(NAME, "packages", "dpkg", "\n".join([missing, *body]), at, lines[index:end], language="apt", weight=1),
        end,
    )
