"""Where the root failure is likely to be when a log holds only symptoms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from kb.expressions import late
from kb.failures.lines import clean
from kb.failures.roles import Judged

_WORKER_WORDS = ("worker", "WorkerProc", "DataLoader", "executor")
#: What keeps programs running knows nothing of their parts.
_PLATFORMS = frozenset({"systemd", "kubernetes", "docker"})
_LONGEST = 300
_LOOKED_BACK = 200
#: Two pieces of advice that begin alike are the same, one of them with names.
_SAME = 24
_MOST = 50


#: What each system keeps elsewhere, and the switch that shows it: words of which a symptom holds one, and what to do.
_CLUES: tuple[tuple[tuple[str, ...], str], ...] = (
    (("vllm", "EngineCore", "Engine core", "WorkerProc"), "Set VLLM_LOGGING_LEVEL=DEBUG, and keep the whole output."),
    (("Signal 9", "SIGKILL", "exit code: -9", "exitcode: -9", "OOMKilled", "exit code 137", "status 137"),
     "A process that is killed says nothing itself: look for `Out of memory` in `dmesg -T` or `journalctl -k`."),
    (("ActorDiedError", "RayActorError", "WorkerCrashedError", "RayTaskError", "raylet"),
     "The worker's own output is in /tmp/ray/session_latest/logs/worker-*.err on its node."),
    (("KilledWorker",), "Each worker's own log says what ended it: its memory limit, in most cases."),
    (("node assignment", "Broker transport failure", "broker connections are down"),
     "Is the broker up, and reachable by the names it advertises (advertised.listeners)? Ask: kcat -L -b HOST:PORT."),
    (("CrashLoopBackOff", "Back-off restarting failed container", "restarting failed container"),
     "The container's own words: kubectl logs POD -c CONTAINER --previous."),
    (("ImagePullBackOff", "ErrImagePull"), "Why the pull failed: kubectl describe pod POD, its events."),
    (("timed out waiting for the condition", "exceeded its progress deadline", "ProgressDeadlineExceeded",
      "INSTALLATION FAILED", "UPGRADE FAILED"),
     "Which pod did not come up, and why: kubectl get pods, then kubectl describe pod POD, and its log."),
    (("start-limit-hit", "Main process exited", "Failed with result", "control process exited"),
     "What the service itself printed: journalctl -u UNIT -b, above these lines."),
    (("subprocess-exited-with-error", "metadata-generation-failed", "Failed building wheel", "Failed to build"),
     "The build's own output: run pip again with -v, for that package alone."),
    (("npm script", "ELIFECYCLE", "npm error", "npm ERR!"),
     "npm's debug log names the step: run again with --loglevel verbose (pnpm: --reporter=append-only)."),
    (("BUILD FAILED", "Build failed with an exception", "Execution failed for task",
      "There were failing tests"),
     "Run gradle again with --stacktrace, and look at the report of the task that failed."),
    (("Failed to execute goal", "MojoFailureException", "MojoExecutionException"),
     "Run Maven again with -e, and look at target/surefire-reports."),
    (("ninja: build stopped", "make: ***", "make["),
     "With several jobs at once the first error may stand far above: run again with -j1, or ninja -k1 -v."),
    (("Build did NOT complete", "bazel"), "Run bazel again with --verbose_failures and --test_output=errors."),
    (("failed to solve", "did not complete successfully"),
     "The command's output is cut: docker build --progress=plain --no-cache shows all of it."),
    (("Process completed with exit code", "##[error]"),
     "The step's own output stands above its last line; without it, run the job again with debug logging on."),
    (("Job failed: exit", "ERROR: Job failed"), "The command that the job echoed last says why: see its script."),
    (("Connection closed by peer", "Connection reset by peer", "server closed the connection", "Broken pipe"),
     "The other side ended first: look at its log at the same time."),
    (("mpirun detected", "Primary job  terminated", "BAD TERMINATION"),
     "Which rank ended first these lines tell; mpirun --output-filename DIR keeps what each rank printed apart."),
    (("test failed", "pytest"), "What failed in the test: run it alone with pytest -vv, without --tb=no."),
    (("exited with 'exitcode",), "What the worker printed before it ended stands above, or in its own log file."),
    (("NCCL", "watchdog", "ProcessGroup"),
     "Which rank stopped first: set TORCH_NCCL_TRACE_BUFFER_SIZE=2000 and TORCH_NCCL_DUMP_ON_TIMEOUT=1."),
)  # fmt: skip
#: Names of one process among several, as a symptom gives them.
_PEERS = (
    r"\b(?:EngineCore(?:_DP\d{1,4})?(?=['\"])|(?:local_)?rank ?[:=]? ?\d{1,6}|pid ?[:=]? ?\d{1,9}"
    r"|Worker(?:_[A-Z]{2}\d{1,4}){1,4})"
)


def hints(judged: list[Judged], line: Callable[[int], str] | None = None) -> tuple[str, ...]:
    """What to look at next, from the symptoms alone: the other process, the cut part, the switch that shows more.

    `line` gives the raw line of a symptom by its number.
    """
    said: list[str] = []
    texts = " ".join(f"{j.find.type} {j.find.message.splitlines()[0] if j.find.message else ''}" for j in judged)
    own = " ".join(f"{j.find.type} {j.find.message[:_LONGEST]}" for j in judged if j.find.reader not in _PLATFORMS)
    if any(not j.find.complete for j in judged):
        said.append("A traceback here is cut: look a few lines further on in the original log.")
    if "ChildFailedError" in texts or "local_rank" in texts:
        said.append("The failing rank's own log holds the root: run torchrun with --redirects 3 --log-dir, or @record.")
    elif any(word in own for word in _WORKER_WORDS) or "Engine" in own:
        said.append(
            "Look for the worker's own traceback, before and after these lines: processes write at the same time."
        )
    if "CalledProcessError" in texts or "subprocess" in texts:
        said.append("Look at what the command itself printed, above its caller's report.")
    if not said and any(j.find.kind in ("build", "packages") for j in judged):
        said.append("A step of the build failed: what it printed itself, above these lines, says why.")
    raw = [line(j.find.at.number)[:_LONGEST] for j in judged[:_MOST]] if line is not None else []
    clues = [clue for words, clue in _CLUES if any(word in texts or any(word in one for one in raw) for word in words)]
    peers = list(_peers(judged))
    tellers = (_ranks, _steps, _commands, _places)
    steps = [step for tell in tellers for step in tell(judged, line)] if line is not None else []
    if not said and not clues and not peers and not steps:
        said.append("These lines only report a failure elsewhere: look at the log of the process that they name.")
    told = {hint[:_SAME] for hint in steps}
    return (*said, *peers, *steps, *(clue for clue in clues if clue[:_SAME] not in told))


def _peers(judged: list[Judged]) -> Iterator[str]:
    """Which process the symptoms name."""
    named: dict[str, int] = {}
    for j in judged[:_MOST]:
        for match in re.finditer(_PEERS, j.find.message[:_LONGEST], re.IGNORECASE):
            named.setdefault(match[0], j.find.at.number)
    if named:
        name, number = next(iter(named.items()))
        yield f"Line {number} names {name}: look at what that process printed last."


#: The rows of the table that torchrun prints of the rank that failed first.
_RANK = late(
    r"\s{1,8}(?P<name>host|rank|exitcode)\s*: (?P<value>\S{1,200})(?: \((?:local_rank|pid): (?P<number>\d{1,9})\))?"
)
_TABLE = 60


def _ranks(judged: list[Judged], line: Callable[[int], str]) -> Iterator[str]:
    """The rank that torchrun saw fail first: the last of its table."""
    at = next((j.find.at.number for j in judged[:_MOST] if j.find.type.endswith("ChildFailedError")), 0)
    told: dict[str, re.Match[str]] = {}
    for number in range(at + 1, at + _TABLE) if at else ():
        try:
            text = line(number)
        except IndexError:
            break
        if row := _RANK.match(clean(text[:_LONGEST])):
            told[row["name"]] = row
    if "rank" in told and "exitcode" in told:
        where = f" of {told['host']['value']}" if "host" in told else ""
        pid = f", pid {told['exitcode']['number']}" if told["exitcode"]["number"] else ""
        code = told["exitcode"]["value"]
        yield f"Rank {told['rank']['value']}{where} failed first (exit code {code}{pid}): look at what it printed."


def _steps(judged: list[Judged], line: Callable[[int], str]) -> Iterator[str]:
    """The job and the step of a CI run, where each line carries them."""
    job, tab, rest = line(judged[0].find.at.number)[:_LONGEST].partition("\t")
    step, second, _ = rest.partition("\t")
    if tab and second and job and step and len(job) <= 100:
        yield f"The step that failed is `{step}` of the job `{job}`."


#: How runners show the command that they run.
_ECHOES = late(r"(?:##\[group\]Run |##\[command\]|\$ |\+ )(?P<command>\S.{0,200})$")
_RUNNERS = late(r"Process completed with exit code|ERROR: Job failed|script returned exit code|Bash exited with")


def _commands(judged: list[Judged], line: Callable[[int], str]) -> Iterator[str]:
    """The command that a runner of CI had echoed last before it gave up."""
    at = next((j.find.at.number for j in judged if _RUNNERS.search(j.find.at.text[:_LONGEST])), 0)
    for number in range(at - 1, max(at - _LOOKED_BACK, 0), -1):
        if echo := _ECHOES.search(clean(line(number)[:_LONGEST])):
            command = echo["command"].strip()
            yield f"The command that the job ran last is `{command}` (line {number}): see what it printed."
            return


#: Who is meant, as kubelet and systemd name them, and the command that shows what they said.
_NAMED = (
    (
        late(r"failed container (?P<container>[\w.-]{1,63}) in pod (?P<pod>[\w.-]{1,253})_(?P<space>[\w-]{1,63})\("),
        "The container's own words: kubectl logs -n {space} {pod} -c {container} --previous.",
    ),
    (
        late(r"(?P<unit>[\w@.-]{1,100}\.service): (?:Main|Control) process exited"),
        "What the service itself printed: journalctl -u {unit} -b.",
    ),
    (
        late(r"^(?P<container>[a-zA-Z0-9][\w.-]{0,100}) exited with code [1-9]"),
        "The container's own words: docker logs {container}.",
    ),
    (
        late(r"See the report at: (?P<report>\S{1,400})"),
        "Which tests failed, and why: the report at {report}.",
    ),
    (
        late(r"^(?:FAILED|ERROR) (?P<test>\S{1,300}::\S{1,300})$"),
        "What failed in the test: pytest -vv '{test}'.",
    ),
)


def _places(judged: list[Judged], line: Callable[[int], str]) -> Iterator[str]:
    """Where the program that a platform speaks of has left its own words."""
    for expression, advice in _NAMED:
        for j in judged[:_MOST]:
            if found := expression.search(line(j.find.at.number)[:_LONGEST]):
                yield advice.format(**found.groupdict())
                break
