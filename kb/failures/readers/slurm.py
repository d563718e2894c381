"""Slurm: jobs over their limits, lost nodes, steps that ended badly, requests that were refused."""

from __future__ import annotations

from collections.abc import Iterator

from kb.failures.found import Find
from kb.failures.readers.line_shapes import read_shapes, shape
from kb.failures.streams import Stream

NAME = "slurm"
ABOUT = "Slurm: time and memory limits, lost nodes, steps, refused requests"
EXAMPLE = """\
slurmstepd: error: *** JOB 8123 ON gpu07 CANCELLED AT 2026-11-29T09:50:03 DUE TO TIME LIMIT ***
srun: Job step aborted: Waiting up to 32 seconds for job step to finish.
srun: error: gpu07: task 0: Terminated
"""

#: The step's daemon names its node from 21.08 on; `srun --label` puts the task before it.
_TOOL = (
    r"(?:\d{1,6}: )?(?:slurmstepd(?:-[\w.-]{1,200})?|srun|sbatch|salloc|slurmd|slurmctld|scontrol|squeue|sinfo): "
    r"(?:\[\S{1,40}\] )?"
)
_STOPPED = r"(?:error: )?\*\*\* (?:JOB|STEP) \S{1,60} ON \S{1,200} "
_SHAPES = (
    shape("TIMEOUT", rf"{_TOOL}{_STOPPED}(?P<message>CANCELLED AT \S+ DUE TO TIME LIMIT)", 0),
    shape(
        "NODE_FAIL",
        rf"{_TOOL}{_STOPPED}(?P<message>(?:CANCELLED|FAILED) (?:AT \S+ )?(?:DUE TO )?(?:NODE|non-responding).*?)"
        r"(?: \*\*\*)?$",
        0,
    ),
    shape("PREEMPTED", rf"{_TOOL}{_STOPPED}(?P<message>CANCELLED AT \S+ DUE TO PREEMPTION)", 0),
    shape(
        "CANCELLED",
        rf"{_TOOL}{_STOPPED}(?P<message>CANCELLED AT \S+)",
        1,
        teardown="somebody, or a failure before, cancelled the job",
    ),
    shape("OUT_OF_MEMORY", rf"{_TOOL}(?:error: )?(?P<message>Detected \d+ oom[_-]kill event(?:s|\(s\))? in \S+)", 0),
    shape("OUT_OF_MEMORY", rf"{_TOOL}error: \S+: tasks? \S+: (?P<message>Out Of Memory)$", 1),
    shape("OUT_OF_MEMORY", rf"{_TOOL}error: \S+ (?P<message>exceeded memory limit \(\d+ > \d+\)), being killed", 0),
    shape("OUT_OF_MEMORY", rf"{_TOOL}error: (?P<message>Exceeded (?:job|step) memory limit.*)", 2),
    shape(
        "exit",
        rf"{_TOOL}error: \S+: (?P<message>tasks? \S+: Exited with exit code \d+)$",
        1,
    ),
    shape(
        "exit", rf"{_TOOL}error: \S+: (?P<message>tasks? \S+: Terminated)$", 1, teardown="Slurm stopped what was left"
    ),
    shape(
        "signal",
        rf"{_TOOL}error: \S+: (?P<message>tasks? \S+: (?:Killed|Segmentation fault|Aborted|Bus error|"
        rf"Illegal instruction|Floating point exception)(?: \(core dumped\))?)$",
        2,
    ),
    shape(
        "execve",
        rf"{_TOOL}error: (?P<message>execve\(\): .*|Unable to create TMPDIR.*|couldn't chdir to .*|"
        rf"Could not open stdout file.*)",
        0,
    ),
    shape(
        "refused",
        rf"{_TOOL}error: (?P<message>(?:Unable to allocate resources|Batch job submission failed|Job "
        rf"submit/allocate failed|Unable to create step for job \d+): .*)",
        0,
    ),
    shape(
        "teardown",
        rf"{_TOOL}(?P<message>Job step aborted: .*|Force Terminated (?:job|StepId).*|forcing job termination|"
        rf"error: Timed out waiting for job step to complete)$",
        1,
        teardown="Slurm stops what is left of the job",
    ),
    shape(
        "configuration",
        rf"{_TOOL}error: (?:_parse_next_key: |s_p_\w{{1,60}}: )?(?P<message>Parsing error at unrecognized key: .*|"
        rf"Parse error in file .*)$",
        0,
    ),
    shape(
        "configuration",
        rf"{_TOOL}fatal: (?P<message>Unable to process configuration file)$",
        1,
        cascade="the error before says what is wrong in it",
    ),
    shape("configuration", rf"{_TOOL}fatal: (?P<message>.*)$", 0),
    shape("Slurm", rf"{_TOOL}error: (?P<message>.*)$", 2),
)


def read(lines: Stream) -> Iterator[Find]:
    """One find per distinct line of Slurm's programs that tells a failure."""
    yield from read_shapes(NAME, "job", lines, _SHAPES)
