"""Logs of CI jobs: what a tool printed when it failed, put between the lines that a CI service prints around it.

The outputs are in `ci_logs/*.txt`. A job begins with `=== name | service | command | setup`; the lines between `<<<`
and `>>>` are those that describe the failure, chosen before kb had read the log.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).with_name("ci_logs")

_JOB = re.compile(r"^=== (?P<name>[a-z0-9-]+) \| (?P<service>\w+) \| (?P<command>.+) \| (?P<setup>\w+)$", re.MULTILINE)
_BEGIN, _END = "<<<", ">>>"


class Job(NamedTuple):
    """A log, and the 1-based numbers of the first and last line that describe the failure."""

    name: str
    text: str
    first: int
    last: int

    @property
    def described(self) -> list[str]:
        """The lines that describe the failure."""
        return self.text.split("\n")[self.first - 1 : self.last]


def jobs(name: str, *, long: bool = False) -> list[Job]:
    """The jobs of `ci_logs/NAME.txt`; `long` ones say much before and after the failure, as real ones do."""
    services = tomllib.loads((FOLDER / "platforms.toml").read_text("utf-8"))
    text = (FOLDER / f"{name}.txt").read_text("utf-8")
    heads = list(_JOB.finditer(text))
    ends = [*(head.start() for head in heads[1:]), len(text)]
    return [
        _job(head, _around(text[head.end() + 1 : end].rstrip("\n"), services["long"] if long else None), services)
        for head, end in zip(heads, ends, strict=True)
    ]


def _around(output: str, long: dict[str, Any] | None) -> str:
    if long is None:
        return output
    before, after = (
        "".join(long[part].removeprefix("\n").replace("{n}", str(n)) for n in range(long["times"]))
        for part in ("before", "after")
    )
    return f"{before}\n{output}\n{after}"


def _job(head: re.Match[str], output: str, services: dict[str, Any]) -> Job:
    service = services[head["service"]]
    text = service["head"].removeprefix("\n")
    if head["setup"] != "none":
        setup = services["setup"][head["setup"]]
        text += _filled(service["step"], setup["command"], setup["output"].removeprefix("\n"))
    text += _filled(service["failed"], head["command"], output)
    if "ends" in service and service["ends"] in text:
        text = text[: text.index(service["ends"]) + len(service["ends"])] + f"\n{_END}\n"
    lines: list[str] = []
    first = last = 0
    for line in text.split("\n"):
        if line == _BEGIN:
            first = len(lines) + 1
        elif line == _END:
            last = len(lines)
        else:
            lines.append(
                f"2023-11-05T10:{len(lines) // 60:02d}:{len(lines) % 60:02d}.0000000Z {line}"
                if service.get("stamped")
                else line
            )
    return Job(head["name"], "\n".join(lines), first, last)


def _filled(template: str, command: str, output: str) -> str:
    text: str = template.removeprefix("\n")
    return text.replace("{command}", command).replace("{output}", output)
