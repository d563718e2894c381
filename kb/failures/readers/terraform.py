"""Terraform and OpenTofu (`│ Error: …` boxes), and Helm."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.readers.line_shapes import shape, spot
from kb.failures.streams import Stream

NAME = "terraform"
ABOUT = "Terraform, OpenTofu and Helm"
EXAMPLE = """\
╷
│ Error: Unsupported argument
│
│   on network.tf line 4, in resource "aws_vpc" "core":
│    4:   cidr = "10.0.0.0/16"
│
│ An argument named "cidr" is not expected here.
╵
"""

_HEAD = re.compile(r"│? ?(?P<type>Error|Warning): (?P<title>\S.*)$")
_PLACE = re.compile(
    r"\s*(?:on|with) (?P<file>\S{1,300}?)(?: line (?P<line>\d{1,9}))?(?:, in (?P<block>.{1,200}?):?)?,?:?$"
)
_SOURCE = re.compile(r"\s*(?:\d+:|├─|│|\(source code not available\))")
_WAITED = "helm waited for what it installed; the pods' events and logs say why they did not come up"
#: A template that cannot be rendered, as Helm 4 and its linter tell it: the place, then what was called, then why.
_RENDER = re.compile(
    r"(?:Error: |\[ERROR\] templates/: )(?P<file>\S{1,300}?/templates/\S{1,300}?):(?P<line>\d{1,9}):\d{1,9}$"
)
_RENDERING = re.compile(r"\s+\S|template: |\S{1,300}:\d{1,9}:\d{1,9}$")
_HELM = (
    shape(
        "FAILED",
        r"Error: (?P<type>(?:INSTALLATION|UPGRADE|ROLLBACK|UNINSTALL) FAILED): (?P<message>(?:resource \S{1,600} not "
        r"ready\.|.{0,300}?\bcontext deadline exceeded|.{0,300}?timed out waiting for the condition).*)$",
        1,
        more=r"context deadline exceeded$|resource \S{1,600} not ready\.",
        cascade=_WAITED,
    ),
    shape(
        "helm",
        r"Error: (?P<message>\d{1,9} chart\(s\) linted, \d{1,9} chart\(s\) failed)$",
        1,
        cascade="the linter counts what it found",
    ),
    shape("FAILED", r"Error: (?P<type>(?:INSTALLATION|UPGRADE|ROLLBACK|UNINSTALL) FAILED): (?P<message>.*)$", 0),
    shape(
        "helm",
        r"Error: (?P<message>(?:chart \"|repo |failed to download|parse error at|execution error at|"
        r"template: |no cached repo|[Kk]ubernetes cluster unreachable|cluster reachability check failed|"
        r"release: (?:not found|already exists)|uninstall: |query: failed to |looks like \"|cannot load values|"
        r"an error occurred while checking for chart|unable to "
        r"build kubernetes|non-absolute URLs|YAML parse error).*)$",
        0,
    ),
    shape("helm", r"Error: (?P<message>values don't meet .*)$", 0, more=r"\S{1,200}:$|- \S"),
    shape(
        "helm",
        r"\.\.\.(?P<message>Unable to get an update from the \"[^\"]{1,400}\" chart repository.*)$",
        0,
        more=r"\s+\S",
    ),
    shape("helmfile", r"(?P<message>in \./\S+: (?:failed|error) .*)$", 1),
)


def read(lines: Stream) -> Iterator[Find]:
    """One find per error; a warning only claims its lines."""
    index = 0
    while index < len(lines):
        text = lines[index].text.strip()
        head = _HEAD.match(text[:2000])
        boxed = text.startswith("│")
        find: Find | None = None
        end = index + 1
        rendering = None if boxed else _RENDER.match(text)
        if rendering:
            find, end = _rendering(lines, index, rendering)
        elif head and (boxed or _placed(lines, index)):
            find, end = _box(lines, index, head, boxed)
        else:
            find = spot(NAME, "deploy", lines, index, _HELM)
        if find is not None:
            yield find
        index = end


def _rendering(lines: Stream, index: int, head: re.Match[str]) -> tuple[Find, int]:
    end = index + 1
    while end < len(lines) and end - index < 40 and _RENDERING.match(lines[end].text):
        end += 1
    cause = lines[end - 1].text.strip() if end > index + 1 else "the template cannot be rendered"
    find = spotted(
        NAME,
        "deploy",
        "helm",
        cause,
        lines[index],
        lines[index:end],
        frames=(Frame(head["file"], "", int(head["line"])),),
    )
    return find, end


def _placed(lines: Stream, index: int) -> bool:
    """Whether the line, drawn without a box, is followed by the place in a configuration."""
    return any(_PLACE.match(ln.text) and ".tf" in ln.text for ln in lines[index + 1 : index + 4])


def _box(lines: Stream, index: int, head: re.Match[str], boxed: bool) -> tuple[Find, int]:
    end, detail, frames = index + 1, [], []
    blank = 0
    while end < len(lines) and end - index < 200:
        text = lines[end].text
        if boxed and not text.lstrip().startswith("│"):
            break
        if not boxed and (_HEAD.match(text) or blank > 2):
            break
        body = text.lstrip().removeprefix("│").rstrip() if boxed else text.rstrip()
        blank = blank + 1 if not body.strip() else 0
        if place := _PLACE.match(body):
            if ".tf" in place["file"]:
                frames.append(Frame(place["file"], place["block"] or "", int(place["line"] or 0)))
        elif body.strip() and not _SOURCE.match(body):
            detail.append(body.strip())
        end += 1
        if not boxed and detail and blank:
            break
    if end < len(lines) and lines[end].text.strip() == "╵":
        end += 1
    find = spotted(
        NAME,
        "deploy",
        head["type"],
        "\n".join([head["title"].strip(), *detail[:30]]),
        lines[index],
        lines[index:end],
        frames=tuple(frames),
    )
    said = _provisioner(detail) if head["title"].strip().endswith(" provisioner error") else ""
    if said:
        # Of all that provisioners run only what it said last tells the failures apart.
        find.type, find.message = head["title"].strip(), said
        find.at = next(line for line in reversed(lines[index:end]) if line.text.rstrip().endswith(said))
    if head["type"] == "Warning":
        find.harmless = "a warning"
    return find, end


def _provisioner(detail: list[str]) -> str:
    """The last that the command of a provisioner printed, "" where it printed nothing."""
    for at, text in enumerate(detail):
        _, output, first = text.partition(": exit status ")
        if output:
            _, told, first = first.partition("Output: ")
            return next((said for said in reversed([first, *detail[at + 1 :]]) if said.strip()), "") if told else ""
    return ""
