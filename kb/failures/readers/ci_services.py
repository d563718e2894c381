"""CI services: their own words that a command failed, and the limits by which they end a job."""

from __future__ import annotations

from collections.abc import Iterator

from kb.failures.found import Find
from kb.failures.readers.line_shapes import read_shapes, shape
from kb.failures.streams import Stream

NAME = "ci-services"
ABOUT = "Travis CI, CircleCI, AppVeyor and others: commands that failed, limits that ended a job"
EXAMPLE = """\
$ make test
No output has been received in the last 10m0s, this potentially indicates a stalled build
"""

_SHAPES = (
    shape(
        "timeout",
        r"(?P<message>No output has been received in the last \d{1,4}(?:m[\w.]{0,8}| minutes?)\b.{0,200})",
        more=r"Check the details on how to adjust your build|$|The build has been terminated",
    ),
    shape("timeout", r"(?P<message>The job exceeded the maximum (?:time limit for jobs|log length).{0,200})"),
    shape("timeout", r"(?P<message>The job has exceeded the maximum (?:execution time|log length).{0,200})"),
    shape("timeout", r"(?P<message>(?:ERROR: Job failed: )?execution took longer than \S{1,40} seconds.{0,100})"),
    shape("timeout", r"(?P<message>Too long with no output \(exceeded \S{1,40}\).{0,200})"),
    shape("timeout", r"(?P<message>Build execution time has reached the maximum allowed time.{0,200})"),
    shape(
        "failed command",
        r"(?P<message>The command \\?[\"'].{1,1500} (?:failed and )?exited with (?:status )?[1-9]\d{0,4}.{0,40})$",
        2,
    ),
    shape(
        "failed command",
        r"(?P<message>Command did not exit successfully .{1,1500} exit status [1-9]\d{0,4})$",
        2,
    ),
    shape("failed command", r"(?P<message>Process exited with code [1-9]\d{0,4}(?: \(Step: .{1,300}\))?)$", 2),
    shape("failed command", r"(?P<message>(?:Command e|E)xited with code (?:exit status )?[1-9]\d{0,4})$", 2),
)


def read(lines: Stream) -> Iterator[Find]:
    """One find per command that failed and per limit that was reached."""
    yield from read_shapes(NAME, "build", lines, _SHAPES)
