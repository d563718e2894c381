"""Logs of GitHub Actions: the archive of a run (zip), the log of a job, or what `gh run view --log` prints.

A job's log is one file `N_JOB.txt` at the top of the archive (files by step lie in folders, and repeat it). Each line
begins with its time; `##[group]Run …` begins a step, `##[error]` says that it failed.
"""

from __future__ import annotations

import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from kb.capture.importers.cut_zip import members_of_cut
from kb.capture.importers.source import Losses, Source, moment
from kb.capture.importers.told import Begins, Event, Ran, Saw, Story
from kb.failures.lines import decode

#: Bounds of an archive: files in it, bytes of one when unpacked, bytes of all.
_MOST_FILES, _LARGEST, _ALL = 2_000, 16 << 20, 48 << 20
#: What a damaged or an encrypted member raises.
_DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, RuntimeError, ValueError)
_TIME = re.compile(r"\ufeff?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z) ?")
_TABBED = re.compile(r"([^\t\n]{1,200})\t([^\t\n]{1,200})\t(?=\ufeff?\d{4}-\d\d-\d\dT)")
_LOG = re.compile(
    rb"\A(?:\xef\xbb\xbf)?(?:[^\t\n]{1,200}\t[^\t\n]{1,200}\t(?:\xef\xbb\xbf)?)?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z "
)
_JOB = re.compile(r"(-?\d+)_(.+)\.txt")
_EXIT = re.compile(r"Process completed with exit code (\d{1,10})\.")
_BLUE = re.compile(r"\x1b\[36;1m(.*?)\x1b\[0m")
_RUN = re.compile(r"##\[group\]Run (.*)")
_ACTION = re.compile(r"[\w.-]+/[\w./-]+@\S+$|\./\S*$|docker://")


@dataclass
class _Step:
    """A step being read."""

    name: str
    began: datetime | None
    script: list[str] = field(default_factory=list)
    output: list[str] = field(default_factory=list)
    failed: bool = False
    exit: int | None = None
    in_group: bool = True
    done: bool = False
    last: datetime | None = None


def knows(_path: Path, head: bytes) -> bool:
    """Whether it is an archive whose names are those of jobs, or lines that begin with the times of Actions."""
    if head.startswith(b"PK\x03\x04"):
        name = head[30 : 30 + int.from_bytes(head[26:28], "little")]
        return name.endswith((b".txt", b"/"))
    return bool(_LOG.match(head))


def read(source: Source) -> Story:
    """The commands of each job, in order; steps of published actions only where they failed."""
    losses = Losses()
    events: list[Event] = []
    jobs = [(job, text, list(_steps(text))) for job, text in _jobs(source, losses)]
    times = [when for _, _, steps in jobs for step in steps for when in (step.began, step.last) if when]
    if any(step.failed for _, _, steps in jobs for step in steps):
        # Jobs run side by side: one that went well says nothing of one that failed.
        well = [job for job, _, steps in jobs if not any(step.failed for step in steps)]
        jobs = [one for one in jobs if one[0] not in well]
        if well:
            losses.add("a job that ended well", count=len(well))
    for job, text, steps in jobs:
        kept = [step for step in steps if step.failed or not _ACTION.match(step.name)]
        if len(jobs) > 1 and kept:
            events.append(Begins(f"job {job}"))
        events.extend(_event(step, job) for step in kept)
        if not steps and text.strip():
            events.append(Saw("\n".join(_TIME.sub("", line) for line in text.split("\n")), f"job {job}"))
    return Story(
        tuple(events),
        started=min(times, default=None),
        ended=max(times, default=None),
        lost=losses.told(),
        unknown=("which commit and workflow this was: the log does not say",),
    )


def _jobs(source: Source, losses: Losses) -> Iterator[tuple[str, str]]:
    """The name and the log of each job."""
    if not source.data.startswith(b"PK"):
        by_job: dict[str, list[str]] = {}
        for line in source.text.split("\n"):
            tabbed = _TABBED.match(line)
            by_job.setdefault(tabbed[1] if tabbed else source.path.stem, []).append(
                line[tabbed.end() :] if tabbed else line
            )
        yield from ((job, "\n".join(lines)) for job, lines in by_job.items() if any(lines))
        return
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            yield from _members(archive, losses)
    except _DAMAGED as error:
        losses.add(f"the list of the archive ({error}), and what stands behind the last job that was read")
        yield from _without_list(source.data, losses)


def _without_list(data: bytes, losses: Losses) -> Iterator[tuple[str, str]]:
    """The jobs of an archive that is cut, as far as they go."""
    found = [
        (int(job[1]), job[2], content, whole)
        for name, content, whole in members_of_cut(data, _LARGEST, _MOST_FILES, _ALL)
        if (job := _JOB.fullmatch(name)) and len(job[1]) < 12
    ]
    for _, name, content, whole in sorted(found):
        if not whole:
            losses.add(f"the end of {name}")
        yield name, decode(content).replace("\r\n", "\n")


def _members(archive: zipfile.ZipFile, losses: Losses) -> Iterator[tuple[str, str]]:
    infos = archive.infolist()
    top = [
        (int(found[1]), found[2], one)
        for one in infos
        if (found := _JOB.fullmatch(one.filename)) and len(found[1]) < 12
    ]
    if not top:
        # Some archives have files by step only.
        steps = [one for one in infos if re.fullmatch(r"[^/]+/\d+_[^/]+\.txt", one.filename)]
        top = [(at, one.filename.removesuffix(".txt"), one) for at, one in enumerate(steps)]
    real = [one for one in top if one[0] >= 0] or top
    left = _ALL
    for _, name, info in sorted(real, key=lambda one: one[0])[:_MOST_FILES]:
        try:
            with archive.open(info) as stream:
                data = stream.read(min(_LARGEST, left))
                if stream.read(1):
                    losses.add(f"the end of {name}: it is too large")
        except _DAMAGED as error:
            losses.add(f"the log of {name}: {error}")
            continue
        left -= len(data)
        yield name, decode(data).replace("\r\n", "\n")
        if left <= 0:
            losses.add("the jobs behind it: the archive is too large")
            return


def _steps(text: str) -> Iterator[_Step]:
    """The steps of a job: each from its `##[group]Run` line to the next one."""
    step: _Step | None = None
    for raw in text.split("\n"):
        time = _TIME.match(raw)
        line = raw[time.end() :] if time else raw
        begun = _RUN.match(line)
        if begun:
            if step:
                step.done = True
                yield step
            step = _Step(begun[1], moment(time[1]) if time else None)
            continue
        if step is None:
            continue
        step.last = moment(time[1]) if time else step.last
        if step.in_group:
            blue = _BLUE.match(line)
            if blue:
                step.script.append(blue[1])
            step.in_group = not line.startswith("##[endgroup]")
        elif line.startswith("##[error]"):
            status = _EXIT.search(line)
            step.failed = True
            step.exit = int(status[1]) % 2**31 if status else step.exit
            if not status:
                step.output.append(f"Error: {line[9:]}")
        elif line.startswith(("Post job cleanup.", "##[group]Post ")):
            step.done = True
            yield step
            step = None
        elif not line.startswith(("##[group]", "##[endgroup]", "##[debug]")):
            step.output.append(line)
    if step:
        yield step


def _event(step: _Step, job: str) -> Event:
    """A step as a command. One after which the job went on without an error ended well."""
    output = "\n".join(step.output)
    if _ACTION.match(step.name):
        return Saw(output, f"{job}: {step.name}")
    seconds = (step.last - step.began).total_seconds() if step.began and step.last else None
    status = step.exit if step.failed else 0 if step.done else None
    return Ran("\n".join(step.script) or step.name, output, status, seconds, "", step.began)
