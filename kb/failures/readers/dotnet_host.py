"""The `dotnet` command and the host that starts .NET programs: what keeps them from running any code at all."""

from __future__ import annotations

from collections.abc import Iterator

from kb.failures.found import Find
from kb.failures.readers.line_shapes import read_shapes, shape
from kb.failures.streams import Stream

NAME = "dotnet_host"
ABOUT = "The dotnet command and its host: frameworks, SDKs and commands that are not there"
EXAMPLE = """\
It was not possible to find any compatible framework version
The framework 'Microsoft.NETCore.App', version '8.0.0' was not found.
  - The following frameworks were found:
      3.1.2 at [/usr/share/dotnet/shared/Microsoft.NETCore.App]
"""

_SAID_BELOW = "the lines below it say what is missing"
_SHAPES = (
    shape(
        "framework not found",
        r"(?P<message>The framework '[^']{1,200}', version '[^']{1,60}'.{0,40} was not found)\.",
        0,
    ),
    shape("framework not found", r"(?P<message>Framework: '[^']{1,200}', version '[^']{1,60}' \(\w{1,20}\))$", 0),
    shape(
        "dotnet", r"(?P<message>It was not possible to find any compatible framework version)", 1, cascade=_SAID_BELOW
    ),
    shape(
        "dotnet",
        r"(?P<message>You must install (?:or update )?\.NET to run this application\.)",
        1,
        cascade=_SAID_BELOW,
    ),
    shape(
        "SDK not found",
        r"(?P<message>A compatible (?:installed )?\.NET(?: Core)? SDK for global\.json version \[[^\]]{1,60}\]).* was "
        r"not found",
        0,
    ),
    shape("SDK not found", r"(?P<message>Requested SDK version: \S{1,60})$", 0),
    shape("dotnet", r"(?P<message>A compatible \.NET SDK was not found\.)", 1, cascade=_SAID_BELOW),
    shape(
        "dotnet",
        r"(?P<message>Could not execute because the (?:specified command or file was not found|application was not "
        r"found or a compatible \.NET SDK is not installed)\.)",
        1,
        cascade=_SAID_BELOW,
    ),
    shape(
        "command not found",
        r"\s{0,8}\* You intended to execute a \.NET(?: Core)? program, but (?P<message>\S{1,400} does not exist)\.",
        0,
    ),
    shape("dotnet", r"(?P<message>No usable version of (?:the )?\w{1,20} was found)\.?$", 0),
    shape(
        "dotnet host",
        r"(?P<message>A fatal error (?:was encountered|occurred)\. The (?:required )?library .*)$",
        0,
    ),
    shape(
        "dotnet host", r"(?P<message>Failed to run as a self-contained app\..*)$", 1, cascade="the line above says why"
    ),
)


def read(lines: Stream) -> Iterator[Find]:
    """One find per distinct line that tells what is not there."""
    yield from read_shapes(NAME, "launch", lines, _SHAPES)
