"""Where the root failure is likely to be when a log holds only symptoms."""

from __future__ import annotations

from kb.failures.roles import Judged

_WORKER_WORDS = ("worker", "WorkerProc", "DataLoader", "executor")


def hints(judged: list[Judged]) -> tuple[str, ...]:
    """What to look at next, from the symptoms alone: the other process, the cut part, the switch that shows more."""
    said: list[str] = []
    texts = " ".join(f"{j.find.type} {j.find.message.splitlines()[0] if j.find.message else ''}" for j in judged)
    if any(not j.find.complete for j in judged):
        said.append("A traceback here is cut: look a few lines further on in the original log.")
    if "ChildFailedError" in texts or "local_rank" in texts:
        said.append("The failing rank's own log holds the root: run torchrun with --redirects 3 --log-dir, or @record.")
    elif any(word in texts for word in _WORKER_WORDS) or "Engine" in texts:
        said.append(
            "Look for the worker's own traceback, before and after these lines: processes write at the same time."
        )
    if "CalledProcessError" in texts or "subprocess" in texts:
        said.append("Look at what the command itself printed, above its caller's report.")
    if not said and any(j.find.kind in ("build", "packages") for j in judged):
        said.append("A step of the build failed: what it printed itself, above these lines, says why.")
    if not said:
        said.append("These lines only report a failure elsewhere: look at the log of the process that they name.")
    return tuple(said)
