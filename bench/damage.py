"""How well kb finds the same failure in a log that was pasted, gathered, cut or mixed, as people hand logs on.

    python bench/damage.py [--logs FOLDER] [--only WORD] [--list]

Every golden log with a failure is changed in each way; right is an answer whose primary is the failure that kb names in
the whole log (`root`), and whose signature is the same (`id`). Cuts may take away what the answer needs: then another
failure may rightly be named. The logs are kb's own, so the figures say what each kind of damage costs, no more.
"""

from __future__ import annotations

import html
import json
import re
import sys
from collections.abc import Callable

from golden_logs import logs, options, primary

from kb.failures.model import Failure
from kb.signature.sign import sign

_SAME = 40

Damage = Callable[[list[str], Failure], list[str]]


def clock(index: int) -> str:
    """The time of day of line `index`, one a second."""
    return f"{13 + index // 3600:02d}:{index // 60 % 60:02d}:{index % 60:02d}"


def each(begin: Callable[[int], str]) -> Damage:
    """`begin(number)` before every line."""
    return lambda lines, _: [begin(index) + line for index, line in enumerate(lines)]


def wrapped(width: int) -> Damage:
    """Lines broken at `width`."""
    return lambda lines, _: [line[at : at + width] for line in lines for at in range(0, max(len(line), 1), width)]


def record(index: int, line: str) -> str:
    """A line as Docker keeps it."""
    return json.dumps({"log": f"{line}\n", "stream": "stderr", "time": f"2026-03-01T{clock(index)}.123456789Z"})


ISSUE = """\
### Your current environment

<details>
<summary>The output of <code>python collect_env.py</code></summary>

```text
PyTorch version              : 2.8.0+cu128
Is debug build               : False
cuDNN version                : Could not collect
Vulnerability Retbleed:             Not affected
NCCL_DEBUG=WARN
```

</details>

### Describe the bug

When I start it, it crashes with an error after loading. It failed twice, then I rebooted and got the same exception.
Expected: no error. Here is the log:

```shell"""
AFTER = """\
```

### Before submitting a new issue...

- [x] Make sure you already searched for relevant issues.

I think the process is killed or fails, but I am not sure. Any help is appreciated, thanks!"""

DAMAGES: dict[str, Damage] = {
    "engine's label": each(lambda _: "(EngineCore_DP0 pid=3105) "),
    "rank's label": each(lambda _: "[rank3]: "),
    # All lines of one call of a logger have one time.
    "vLLM's record": each(lambda _: f"(Worker_TP1 pid=88) ERROR 11-29 {clock(0)} [multiproc_executor.py:962] "),
    "kubectl --timestamps": each(lambda i: f"2026-03-01T{clock(i)}.123456789Z "),
    "CRI": each(lambda i: f"2026-03-01T{clock(i)}.123456789Z stderr F "),
    "docker compose": each(lambda _: "trainer-1  | "),
    "journal": each(lambda i: f"Nov 29 {clock(i)} node7 python[4211]: "),
    "GitHub Actions": each(lambda i: f"2026-03-01T{clock(i)}.1234567Z "),
    "date and time": each(lambda i: f"[2026-11-29 {clock(i)}] "),
    "time": each(lambda i: f"{clock(i)} "),
    "srun -l": each(lambda _: "1: "),
    "mpirun": each(lambda _: "[prterun-node7-4211@1,3]<stderr>: "),
    "pdsh": each(lambda _: "worker7: "),
    "pm2": each(lambda _: "0|serve  | "),
    "grep -n": each(lambda i: f"{i + 1}:"),
    "docker json-file": lambda lines, _: [record(index, line) for index, line in enumerate(lines)],
    "JSON lines": lambda lines, _: [json.dumps({"level": "ERROR", "message": line}) for line in lines],
    "colours": lambda lines, _: [f"\x1b[31m{line}\x1b[0m" for line in lines],
    "quoted": each(lambda _: "> "),
    "indented": each(lambda _: "    "),
    "indented by tabs": each(lambda _: "\t"),
    "indentation lost": lambda lines, _: [line.lstrip() for line in lines],
    "filled up with spaces": lambda lines, _: [f"{line:118}  " for line in lines],
    "doubled": lambda lines, _: [text for line in lines for text in (line, "")],
    "wrapped at 80": wrapped(80),
    "wrapped at 100": wrapped(100),
    "wrapped at 120": wrapped(120),
    "HTML": lambda lines, _: [html.escape(line) for line in lines],
    "issue": lambda lines, _: [*ISSUE.split("\n"), *lines, *AFTER.split("\n")],
    "two ranks, line by line": lambda lines, _: [f"[rank{rank}]: {line}" for line in lines for rank in (0, 1)],
    "twice": lambda lines, _: [*lines, *lines],
    "cut behind the failure": lambda lines, failure: lines[: failure.line],
    "begins inside the failure": lambda lines, failure: lines[(failure.first_line + failure.line) // 2 - 1 :],
    "one text with \\n": lambda lines, _: [repr("\n".join(lines))],
}


def same(found: Failure, wanted: Failure) -> bool:
    """Whether `found` names the failure `wanted`, but for white space."""
    said, text = (re.sub(r"\s+", "", part) for part in (wanted.message.split("\n", 1)[0], found.message + found.text))
    return found.type.rsplit(".", 1)[-1] == wanted.type.rsplit(".", 1)[-1] and said[:_SAME] in text


def main() -> int:
    """Print a row per kind of damage; exit status 1 when there are no logs."""
    given = options("Measure kb on damaged logs.", "primary was another")
    whole = logs(given.logs, given.only)
    for name, damage in DAMAGES.items():
        root, ids, missed = 0, 0, []
        for log in whole:
            found = primary("\n".join(damage(log.text.splitlines(), log.failure)))
            right = found is not None and same(found, log.failure)
            root += right
            ids += found is not None and sign(found).id == log.signature
            missed += [] if right else [log.name]
        print(f"{name:26} root {root / len(whole):.3f}  id {ids / len(whole):.3f}" if whole else name, flush=True)
        if given.list and missed:
            print("    " + " ".join(missed))
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main())
