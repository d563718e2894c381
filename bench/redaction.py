"""Redaction: megabytes a CPU second beside betterleaks, hits in real logs, secrets left in made-up ones.

    bench/redaction.py [FOLDER …] [--show]

FOLDER: logs to read (`*.log`, `*.txt`); without one, the labelled logs of others (`--data`), where they are, and the
golden logs of the tests. None was made for redaction: --show shows each line that `secrets` changes, to be judged.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from kb.capture.redaction.policy import Policy
from kb.capture.redaction.redactor import Redactor

ROOT = Path(__file__).resolve().parent.parent
LARGEST = 32 << 20
_HANDED_OUT = 4095


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--show", action="store_true", help="show each line that the policy secrets changes")
    given = parser.parse_args()
    texts = list(_texts(given.folders or [given.data, ROOT / "tests" / "failures" / "golden"]))
    lines = sum(text.count("\n") for text in texts)
    print(f"{len(texts)} logs, {lines} lines, {_size(texts) / 1e6:.1f} MB\n")
    _speed(texts)
    _hits(texts, lines, show=given.show)
    _recall()


def _texts(folders: list[Path]) -> Iterator[str]:
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".log", ".txt") and path.is_file() and path.stat().st_size <= LARGEST:
                yield path.read_text("utf-8", "replace")


def _size(texts: list[str]) -> int:
    return sum(len(text.encode()) for text in texts)


def _speed(texts: list[str]) -> None:
    print("| what | MB a CPU second |\n|---|---|")
    for policy in (Policy.SECRETS, Policy.PERSONAL):
        redactor = Redactor(policy)
        redactor.text("".join(text[:2000] for text in texts))  # rules are compiled when they are first needed
        _row(f"**kb, {policy.value}**", lambda redact=redactor.text: [redact(text) for text in texts], texts)
    sample = [line for text in texts for line in text.splitlines(keepends=True)][:200_000]
    redactor = Redactor()
    _row("**kb, personal, line by line**", lambda: [redactor.line(line) for line in sample], sample)
    steps = list(_steps(sample))
    redactor = Redactor()
    _row("**kb, personal, as a terminal's output is read**", lambda: [redactor.line(step) for step in steps], steps)
    try:
        import betterleaks
    except ImportError:
        print("| betterleaks | not installed |")
        return
    some, size = [], 0
    for text in texts[:: max(1, len(texts) // 40)]:
        some.append(text[:100_000])
        size += len(some[-1])
        if size > 1 << 20:
            break
    version = betterleaks.__upstream_version__
    _row(f"betterleaks {version}, finds only", lambda: [betterleaks.scan_string(text) for text in some], some)


def _steps(lines: list[str]) -> Iterator[str]:
    """The finished lines of steps as large as what a pseudo-terminal hands out at once."""
    step, size = [], 0
    for line in lines:
        step.append(line)
        size += len(line)
        if size >= _HANDED_OUT:
            yield "".join(step)
            step, size = [], 0
    yield "".join(step)


def _row(name: str, run: Callable[[], object], texts: list[str]) -> None:
    begin = time.process_time()
    run()
    print(f"| {name} | {_size(texts) / 1e6 / (time.process_time() - begin):.1f} |")


def _hits(texts: list[str], lines: int, *, show: bool) -> None:
    redactor = Redactor(Policy.SECRETS)
    changed = []
    for text in texts:
        done = redactor.text(text)
        if done != text:
            changed += [
                after for before, after in zip(text.split("\n"), done.split("\n"), strict=True) if before != after
            ]
    print(f"\nLines changed by `secrets`: {len(changed)}, {len(changed) * 130_000 / max(lines, 1):.1f} in 130,000.")
    for line in changed if show else ():
        at = max(0, line.find("<secret:") - 80)
        print("   ", line[at : at + 160].replace("\x1b", ""))


def _recall() -> None:
    sys.path.insert(0, str(ROOT / "tests" / "support"))
    from made_up_secrets import coloured, placed, secrets

    corpus = list(placed(seed=2))
    for name, form in (("plain", lambda one: one.text), ("coloured", coloured)):
        done = Redactor(Policy.SECRETS).text("\n".join(form(one) for one in corpus)).split("\n")
        left = sum(
            one.secret.value[-16:] in text.replace("\x1b[1;32m", "") for one, text in zip(corpus, done, strict=True)
        )
        print(f"Made-up secrets, {name}: {left} of {len(corpus)} left ({len(list(secrets()))} kinds).")


if __name__ == "__main__":
    main()
