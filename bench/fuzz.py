"""Every reader on hostile logs: no exception, spans inside the log, a signature with a pattern that compiles.

    python bench/fuzz.py                        # 60 s of random splicing, without further packages
    python bench/fuzz.py --atheris -- -runs=20000 -max_total_time=300    # guided by coverage (pip install atheris)
    python bench/fuzz.py --growth               # operations at n and 2n lines, seconds for one long line

Inputs are spliced from the lines of the golden logs and of the readers' own examples, and then mutated. With
`--atheris` the arguments after `--` are libFuzzer's; a failing input is left as `crash-…` in the current folder, and
`python bench/fuzz.py FILE…` reads such files again.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.path.insert(0, str(ROOT / "tests" / "failures"))

GUIDED = "--atheris" in sys.argv
if GUIDED:
    import atheris

    with atheris.instrument_imports(include=["kb.failures", "kb.signature"]):
        from kb.failures.find import find_failures
        from kb.failures.lines import clean, decode, raw_lines
        from kb.failures.registry import READERS, load
        from kb.failures.streams import split_streams
        from kb.signature.sign import sign

        ALL = [load(entry) for entry in READERS]
else:
    from kb.failures.find import find_failures
    from kb.failures.lines import clean, decode, raw_lines
    from kb.failures.registry import READERS, load
    from kb.failures.streams import split_streams
    from kb.signature.sign import sign

    ALL = [load(entry) for entry in READERS]

#: What turns a line into another: prefixes, ends, and bytes that logs should not hold.
MARKS = (
    b"",
    b"",
    b"",
    b"(Worker_TP0 pid=1) ",
    b"[rank1]: ",
    b"2026-07-30T13:21:30.7846808Z ",
    b"app-1  | ",
    b"\x1b[31m",
)
MARKS += (
    b"\r",
    b"\t",
    b"    ",
    b"\x00",
    b"\xff\xfe",
    b"E   ",
    b"> ",
    b"{",
    b'{"level": "error", "msg": "',
    b"\xe2\x80\xa8",
)


def pool() -> list[bytes]:
    """The lines of all golden logs and examples."""
    lines: dict[bytes, None] = {}
    for log in sorted((ROOT / "tests" / "failures" / "golden").glob("*/input.log")):
        lines.update(dict.fromkeys(log.read_bytes().split(b"\n")))
    for reader in ALL:
        lines.update(dict.fromkeys(reader.EXAMPLE.encode().split(b"\n")))
    return [line for line in lines if len(line) < 2_000]


def blocks() -> list[list[bytes]]:
    """Whole short reports: the examples, and the golden logs of at most 200 lines."""
    found = [reader.EXAMPLE.encode().split(b"\n") for reader in ALL]
    logs = sorted((ROOT / "tests" / "failures" / "golden").glob("*/input.log"))
    found += [lines for log in logs if len(lines := log.read_bytes().split(b"\n")) <= 200]
    return found


def splice(dice: random.Random, lines: list[bytes], whole: list[list[bytes]]) -> bytes:
    """A log of up to some dozen lines: parts of reports, single lines, both cut, repeated, marked and mutated."""
    out: list[bytes] = []
    for _ in range(dice.randint(1, 6)):
        if dice.random() < 0.6:
            block = dice.choice(whole)
            start = dice.randrange(len(block))
            part = block[start : start + dice.randint(1, 40)] if dice.random() < 0.7 else list(block)
        else:
            part = [dice.choice(lines) for _ in range(dice.randint(1, 6))]
        if dice.random() < 0.2:
            part = part * dice.randint(2, 4)
        if dice.random() < 0.3:
            dice.shuffle(part)
        mark = dice.choice(MARKS)
        out += [mark + line for line in part]
    for _ in range(dice.randint(0, 6)):
        at = dice.randrange(len(out))
        out[at] = mutated(dice, out[at], lines)
    return b"\n".join(out)


def mutated(dice: random.Random, line: bytes, lines: list[bytes]) -> bytes:
    """`line` cut, doubled, crossed with another, or with bytes changed."""
    at = dice.randint(0, len(line))
    match dice.randrange(6):
        case 0:
            return line[:at]
        case 1:
            return line[at:]
        case 2:
            return line[:at] + dice.choice(lines)
        case 3:
            return line[:at] + dice.choice(MARKS) + line[at:]
        case 4:
            return line[:at] + line[at : at + 9] * dice.randint(2, 30) + line[at:]
        case _:
            return line[:at] + dice.randbytes(dice.randint(1, 4)) + line[at + 1 :]


def check(data: bytes) -> None:
    """Every reader on the streams of `data`, and the whole way from `data` to signatures; raises what is wrong."""
    raw = raw_lines(decode(data))
    streams = split_streams([clean(line) for line in raw])
    for stream in streams:
        for reader in ALL:
            for find in reader.read(stream):
                where = f"{reader.NAME}: {find.first} <= {find.at.number} <= {find.last} of {len(raw)}"
                assert 1 <= find.first <= find.at.number <= find.last <= len(raw), where
                assert all(1 <= number <= len(raw) for number in find.lines), f"{reader.NAME}: claims other lines"
                assert find.reader, f"{reader.NAME}: a find without its reader"
    found = find_failures(data)
    assert found.lines == len(raw)
    assert (found.primary is None) == (not found.failures)
    for failure in found.failures:
        line = raw[failure.line - 1]
        assert failure.text == line or len(line) > 4_000, f"{failure.reader}: another line's text"
        assert len(failure.text) <= 4_000, f"{failure.reader}: too long a text"
        assert failure.caused_by is None or 0 <= failure.caused_by < len(found.failures)
        assert all(0 <= link.to < len(found.failures) for link in failure.links)
        signature = sign(failure)
        assert signature.id.startswith("kb1-"), f"{failure.reader}: {signature.id!r}"
        re.compile(signature.pattern)


def unguided(seconds: float, seed: int) -> int:
    """Splice and check for `seconds`; each input follows from `seed` and its own number, so it can be made again."""
    lines, whole = pool(), blocks()
    began, number = time.monotonic(), 0
    bad: dict[str, int] = {}
    while time.monotonic() - began < seconds:
        data = splice(random.Random(f"{seed}.{number}"), lines, whole)
        try:
            check(data)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
            trace = error.__traceback__
            while trace is not None and trace.tb_next is not None:
                trace = trace.tb_next
            code = trace.tb_frame.f_code if trace else None
            named = (
                f"{type(error).__name__} {code.co_filename if code else ''}:{trace.tb_lineno if trace else 0} {error}"
            )
            if named not in bad:
                file = Path(f"crash-{seed}-{number}")
                file.write_bytes(data)
                print(f"{file}: {named}", flush=True)
            bad[named] = bad.get(named, 0) + 1
        number += 1
    print(f"{number} inputs, {sum(bad.values())} of them bad, {len(bad)} kinds")
    return 1 if bad else 0


def guided(arguments: list[str]) -> int:
    """Let libFuzzer mutate: half of its steps splice lines, the others are its own."""
    lines, whole = pool(), blocks()

    def step(data: bytes, limit: int, seed: int) -> bytes:
        dice = random.Random(seed)
        if dice.random() < 0.5:
            parts = data.split(b"\n")
            other = splice(dice, lines, whole).split(b"\n")
            at = dice.randint(0, len(parts))
            return b"\n".join(parts[:at] + other + parts[at:])[:limit]
        return bytes(atheris.Mutate(data, limit))

    atheris.Setup([sys.argv[0], "-max_len=12000", "-timeout=20", *arguments], check, custom_mutator=step)
    atheris.Fuzz()
    return 0


def growth() -> int:
    """Print readers whose work grows faster than their input, by lines (operations) and within a line (seconds)."""
    from operations import hostile, operations

    bad = 0
    for reader in ALL:
        for log in hostile(reader.EXAMPLE):
            once, twice = operations(reader, log, 300), operations(reader, log, 600)
            if twice > 2.5 * once and twice > 20_000:
                bad += 1
                print(f"{reader.NAME}: {log.name}: {once} -> {twice} operations ({twice / once:.1f} times)", flush=True)
    for reader, entry in zip(ALL, READERS, strict=True):
        for text in dict.fromkeys([*reader.EXAMPLE.split("\n"), *(word.strip("\n") for word in entry.triggers)]):
            for unit in dict.fromkeys([text, text[:-1], text[: len(text) // 2], text[len(text) // 2 :]]):
                if unit:
                    bad += long_line(reader.NAME, unit, text)
    print(f"{bad} reports")
    return 1 if bad else 0


def long_line(name: str, unit: str, text: str) -> int:
    """1 and a line for people if a line of 100 KB made of `unit` takes long, else 0."""
    shapes = [("repeated", unit * (100_000 // len(unit)))]
    if unit == text:
        shapes.append(("and spaces", text + " " * 100_000 + "x"))
    for shape, line in shapes:
        began = time.process_time()
        for failure in find_failures(line).failures:
            sign(failure)
        if (spent := time.process_time() - began) > 0.5:
            print(f"{name}: {spent:.1f} s for {unit!r} {shape}", flush=True)
            return 1
    return 0


def main() -> int:
    """Read files again, check growth, or fuzz."""
    own, _, rest = " ".join(sys.argv[1:]).partition("--atheris")
    if GUIDED:
        return guided([argument for argument in rest.split() if argument != "--"])
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--growth", action="store_true")
    told = parser.parse_args(own.split())
    for file in told.files:
        check(file.read_bytes())
    if told.files:
        return 0
    return growth() if told.growth else unguided(told.seconds, told.seed)


if __name__ == "__main__":
    sys.exit(main())
