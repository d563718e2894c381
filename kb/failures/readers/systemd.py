"""systemd and systemctl: units that failed, and whether systemd itself or the program in the unit is the cause."""

from __future__ import annotations

from collections.abc import Iterator

from kb.failures.found import Find
from kb.failures.readers.line_shapes import read_shapes, shape
from kb.failures.streams import Stream

NAME = "systemd"
ABOUT = "systemd: units that failed, could not be spawned, timed out, or were killed"
EXAMPLE = """\
Nov 29 09:01:02 node2 systemd[1]: tagger.service: Failed at step EXEC spawning /opt/tag/run: No such file or directory
Nov 29 09:01:02 node2 systemd[1]: tagger.service: Main process exited, code=exited, status=203/EXEC
Nov 29 09:01:02 node2 systemd[1]: tagger.service: Failed with result 'exit-code'.
"""

_UNIT = r"[\w@:.\\-]{1,200}\.(?:service|socket|mount|target|timer|device|scope|path|swap|automount|slice)"
_OWN = "the program in the unit ended; its own log says why"
_LATER = "systemd repeats that the unit failed"
#: Statuses from 200 on are systemd's own: it could not make the place in which the program was to run.
_SPAWN = r"status=2(?:[0-3]\d|4[0-3])/[A-Z_]+"
_SHAPES = (
    shape("spawn", rf"{_UNIT}: (?P<message>Failed at step \w+ spawning .+)$", 0),
    shape(
        "spawn",
        rf"{_UNIT}: (?P<message>Failed to (?:execute|locate executable|load environment files|set up|"
        rf"determine user|drop capabilities|run 'start' task).+)$",
        0,
    ),
    shape("spawn", rf"{_UNIT}: (?P<message>(?:Main|Control) process exited, code=exited, {_SPAWN})$", 2),
    shape(
        "signal",
        rf"{_UNIT}: (?P<message>(?:Main|Control) process exited, code=(?:killed|dumped), "
        rf"status=(?:15/TERM|2/INT|1/HUP))$",
        2,
        teardown="somebody, or a time limit, stopped the unit",
    ),
    shape(
        "signal",
        rf"{_UNIT}: (?P<message>(?:Main|Control) process exited, code=(?:killed|dumped), "
        rf"status=\d+/[A-Z]+)$",
        1,
    ),
    shape(
        "exit",
        rf"{_UNIT}: (?P<message>(?:Main|Control) process exited, code=exited, status=(?!0/)\d+/?\S*)$",
        1,
        cascade=_OWN,
    ),
    shape("OOM", rf"{_UNIT}: (?P<message>A process of this unit has been killed by the OOM killer\.)$", 0),
    shape("OOM", rf"{_UNIT}: (?P<message>Failed with result 'oom-kill'\.)$", 1),
    shape("OOM", r"(?P<message>Killed /\S+ due to memory (?:pressure|used).*)$", 0),
    shape(
        "timeout",
        rf"{_UNIT}: (?P<message>(?:[Ss]tart|State 'stop-\w+'|[Ss]top)[\w -]* (?:operation )?timed "
        rf"out\..*)$",
        0,
    ),
    shape("watchdog", rf"{_UNIT}: (?P<message>Watchdog timeout \(limit .+?\)!.*)$", 0),
    shape("systemd", rf"{_UNIT}: (?P<message>Failed with result '[\w-]+'\.)$", 1, cascade=_LATER),
    shape(
        "systemd",
        rf"{_UNIT}: (?P<message>Start request repeated too quickly\.|Scheduled restart job, restart "
        rf"counter is at \d+\.|Unit entered failed state\.)$",
        1,
        cascade=_LATER,
    ),
    shape("systemd", r"(?P<message>Failed to (?:start|mount|listen on|activate) (?!\S+: )\S.*\.)$", 1, cascade=_LATER),
    shape(
        "systemd",
        rf"(?P<message>Dependency failed for .+|{_UNIT}: Job \S+ failed with result 'dependency'\.|"
        rf"Job {_UNIT}/\w+ failed with result .+)$",
        1,
        cascade="another unit failed first",
    ),
    shape(
        "systemd",
        rf"(?P<message>Job for {_UNIT} failed because .+|Job for {_UNIT} failed\..*|A dependency job "
        rf"for {_UNIT} failed\..*)$",
        1,
        cascade=_LATER,
    ),
    shape(
        "systemd",
        r"[×x●* ] *(?P<message>(?:Active: failed \(Result: [\w-]+\)|Process: \d+ "
        r"Exec\w+=.{1,400}code=exited, status=(?!0/|2[0-4]\d/)\d+/\w+|Main PID: \d+ .{0,200}code=exited, "
        r"status=(?!0/|2[0-4]\d/)\d+/\w+).*)$",
        1,
        cascade=_LATER,
    ),
    shape("timeout", r"(?P<message>Timed out waiting for device .+)$", 0),
    shape(
        "unit",
        r"(?P<message>Failed to (?:start|restart|stop|reload|enable|get unit file state for|isolate) "
        r"\S+: .+)$",
        0,
    ),
    shape(
        "unit file",
        r"\S{1,500}\.(?:service|socket|mount|timer|target|path|slice):\d+: (?P<message>(?:Neither a valid|Executable |"
        r"Invalid |Not an absolute|Failed to (?:parse|resolve)|Missing |Unbalanced ).*?)(?<!ignoring)(?<!ignored)\.?$",
        0,
    ),
    shape(
        "unit",
        rf"(?P<message>Unit {_UNIT} (?:could not be found|not found|is masked|has a bad unit file "
        rf"setting)\.)$",
        0,
    ),
    shape(
        "unit",
        rf"(?:.{{0,200}}?)(?P<message>{_UNIT}: (?:Service has no ExecStart=|Unit configuration has fatal "
        rf"error|Bad unit file setting|Cannot add dependency job|Found ordering cycle).*)$",
        0,
    ),
    shape(
        "bus",
        r"(?P<message>Failed to connect to bus: .+|System has not been booted with systemd as init system "
        r"\(PID 1\)\. Can't operate\.)$",
        0,
    ),
    shape("core dump", r"(?P<message>Process \d+ \(.{1,64}\) of user \d+ (?:dumped core|terminated abnormally).*)$", 1),
)


def read(lines: Stream) -> Iterator[Find]:
    """One find per distinct line of systemd that tells a failure of a unit."""
    killed = False
    for find in read_shapes(NAME, "service", lines, _SHAPES):
        if killed and (find.type, find.weight) in (("OOM", 1), ("signal", 1)):
            find.cascade = "the OOM killer ended the unit"
        killed = killed or find.type == "OOM"
        yield find
