"""Open MPI and MPICH: errors inside MPI, jobs that do not start, ranks that end all others."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, first_said, spotted
from kb.failures.streams import Line, Stream

NAME = "mpi"
ABOUT = "Open MPI and MPICH: errors inside MPI, jobs that do not start, aborts"
EXAMPLE = """\
[node1:01421] *** An error occurred in MPI_Recv
[node1:01421] *** reported by process [2340814849,1]
[node1:01421] *** on communicator MPI_COMM_WORLD
[node1:01421] *** MPI_ERR_TRUNCATE: message truncated
[node1:01421] *** MPI_ERRORS_ARE_FATAL (processes in this communicator will now abort,
[node1:01421] ***    and potentially your MPI job)
"""

_STARS = re.compile(r"(?:\[[\w.-]{1,200}:\d{1,9}\] )?\*\*\* (?P<said>.*)$")
_OCCURRED = re.compile(r"An error occurred in (?P<call>MPI_\w{1,60})")
_CODE = re.compile(r"(?P<type>MPI_ERR_\w{1,60}): (?P<message>.{1,300})$")
#: Of MPICH: `Fatal error in PMPI_Recv: Message truncated, error stack:`.
_MPICH = re.compile(
    r"(?:Abort\(\d{1,12}\) on node \d{1,7} \(rank \d{1,7} in comm \d{1,9}\): )?Fatal error in "
    r"(?P<call>(?:P?MPI_|internal_)\w{1,60}): (?P<message>.{1,300}?)(?:, error stack:)?$"
)
#: Blocks between dashes, in which Open MPI's launcher speaks; the first line tells which.
_DASHES = "-" * 74
_SAID = (
    (re.compile(r"There are not enough slots available in the system to satisfy the \d+"), "slots", ""),
    (re.compile(r"\S{1,60} (?:was unable to launch the specified application|failed to start)"), "launch", ""),
    (re.compile(r"\S{1,60} was unable to find the specified executable file"), "launch", ""),
    (re.compile(r"mpi(?:run|exec) has detected an attempt to run as root"), "root", ""),
    (re.compile(r"(?:An ORTE daemon|A daemon|ORTE was unable|PRTE)\b.*"), "daemon", ""),
    (re.compile(r"(?:No|None of the) (?:OpenFabrics|network)\b.*|Open MPI failed .*"), "network", ""),
    (re.compile(r"It looks like (?:MPI_INIT|orte_init) failed\b.*"), "init", ""),
    (
        re.compile(r"MPI_ABORT was invoked on rank \d+ in communicator\b.*"),
        "MPI_ABORT",
        "the rank that is named ended all others: what it printed before says why",
    ),
    (
        re.compile(
            r"(?:Primary job +terminated normally, but|mpi(?:run|exec) detected that one or more processes exited)\b.*"
        ),
        "exit",
        "the launcher reports that a rank ended",
    ),
)
_EXECUTABLE = re.compile(r"Executable: (?P<what>\S.{0,300})$")
_BAD = re.compile(r"=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES")
_MOST = 30


def read(lines: Stream) -> Iterator[Find]:
    """One find per error inside MPI, and per block in which the launcher says why it ends."""
    seen: dict[tuple[str, str], Find] = {}
    for index, line in enumerate(lines):
        find = _inside(lines, index) or _launcher(lines, index) or _mpich(line)
        if find is not None and first_said(seen, (find.type, find.message), find):
            yield find


def _inside(lines: Stream, index: int) -> Find | None:
    match = _STARS.match(lines[index].text)
    occurred = _OCCURRED.match(match["said"]) if match else None
    if occurred is None:
        return None
    block = [lines[index]]
    at, name, message = lines[index], "MPI", lines[index].text.strip()
    for line in lines[index + 1 : index + 12]:
        more = _STARS.match(line.text)
        if more is None or _OCCURRED.match(more["said"]):
            break
        block.append(line)
        if code := _CODE.match(more["said"]):
            at, name, message = line, code["type"], code["message"]
    return spotted(NAME, "error", name, message, at, block, notes=(occurred["call"],))


def _launcher(lines: Stream, index: int) -> Find | None:
    if not index or not lines[index - 1].text.startswith(_DASHES):
        return None
    text = lines[index].text.strip()
    told = next(((name, symptom) for expression, name, symptom in _SAID if expression.match(text)), None)
    if told is None:
        return None
    end, said = index + 1, [text]
    while end < min(index + _MOST, len(lines)) and not lines[end].text.startswith(_DASHES):
        if executable := _EXECUTABLE.match(lines[end].text):
            said.append(executable["what"])
        elif end == index + 1 and lines[end].text.strip():
            said.append(lines[end].text.strip())
        end += 1
    find = spotted(NAME, "job", told[0], "\n".join(said), lines[index], lines[index:end], weight=1)
    find.cascade = told[1]
    return find


def _mpich(line: Line) -> Find | None:
    if match := _MPICH.match(line.text):
        return spotted(NAME, "error", "MPI", match["message"], line, [line], notes=(match["call"],))
    if _BAD.match(line.text):
        find = spotted(NAME, "job", "exit", line.text.strip("= "), line, [line], weight=1)
        find.cascade = "the launcher reports that a rank ended"
        return find
    return None
