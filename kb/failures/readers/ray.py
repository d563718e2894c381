"""Ray: what its daemons say when a worker, a node or a placement fails."""

from __future__ import annotations

from collections.abc import Iterator

from kb.failures.found import Find
from kb.failures.readers.line_shapes import read_shapes, shape
from kb.failures.streams import Stream

NAME = "ray"
ABOUT = "Ray: workers that died, memory pressure, lost nodes, requests that nothing can serve"
EXAMPLE = """\
(raylet) A worker died or was killed while executing a task by an unexpected system error. To troubleshoot the \
problem, check the logs for the dead worker. Worker ID: 11aa Worker PID: 400 Worker exit type: SYSTEM_ERROR
"""

_SHAPES = (
    shape(
        "OOM",
        r"(?:\[.{0,80}\] (?:\(raylet\) )?\S{1,60}:\d+: )?(?P<message>\d+ Workers \(tasks / actors\) "
        r"killed due to memory pressure \(OOM\)).*",
        0,
    ),
    shape(
        "WorkerCrashed",
        r"(?P<message>A worker died or was killed while executing a task by an unexpected "
        r"system error\.)",
        1,
    ),
    shape("WorkerCrashed", r"(?P<message>The actor is dead because its worker process has died\.)", 1),
    shape(
        "NodeDied",
        r"(?:\[.{0,80}\] (?:\(raylet\) )?\S{1,60}:\d+: )?(?P<message>The node with node id: \w+ and "
        r"address: \S+ and node name: \S+ has been marked dead.*)",
        1,
    ),
    shape(
        "RayletDied",
        r"(?P<message>Raylet is terminated\..*|The raylet process (?:has )?(?:died|exited).*|"
        r".*Some workers of the worker process\(\d+\) have not registered within the timeout.*)",
        1,
    ),
    shape(
        "GcsUnavailable",
        r"(?:.{0,200}?)(?P<message>Failed to connect to GCS (?:at address|within) .*|Failed to "
        r"register worker .{0,80}to Raylet.*|The GCS has failed.*)",
        1,
    ),
    shape(
        "Infeasible", r"(?:Error|Warning): (?P<message>No available node types can fulfill resource requests? .*)", 1
    ),
    shape("SpillFailed", r".{0,120}?(?P<message>(?:Local disk is full|Object store is full|out-of-disk).*)", 1),
    shape(
        "VersionMismatch",
        r"(?P<message>Version mismatch: The cluster was started with:)$",
        1,
        more=r"\s|$|This process",
    ),
)


def read(lines: Stream) -> Iterator[Find]:
    """One find per line that tells a failure of the cluster; its own Python tracebacks are read elsewhere."""
    yield from read_shapes(NAME, "cluster", lines, _SHAPES)
