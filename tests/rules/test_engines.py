"""Every engine that is installed reads the portable patterns alike: it finds each hit and no near miss."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import hyperscan
import pytest
import re2
from rule_corpus import Case, corpus

ENGINES = Path(__file__).parent / "engines"
CASES = corpus()

Answers = Callable[[list[tuple[str, str]], Path], list[bool]]


def needs(*programs: str) -> None:
    """Skip where one of `programs` is missing."""
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


def run(command: list[str], text: str, **more: object) -> list[str]:
    """The lines that `command` prints for `text` on standard input."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True, encoding="utf-8", **more)  # type: ignore[call-overload]
    return done.stdout.splitlines()


def as_json(pairs: list[tuple[str, str]]) -> str:
    return "".join(json.dumps({"pattern": pattern, "text": text}) + "\n" for pattern, text in pairs)


def as_words(pairs: list[tuple[str, str]]) -> str:
    return "".join(" ".join(base64.b64encode(part.encode()).decode() for part in pair) + "\n" for pair in pairs)


def python(pairs: list[tuple[str, str]], folder: Path) -> list[bool]:
    return [bool(re.search(pattern, text)) and bool(re.search(pattern, text, re.ASCII)) for pattern, text in pairs]


def google_re2(pairs: list[tuple[str, str]], folder: Path) -> list[bool]:
    return [bool(re2.search(pattern, text)) for pattern, text in pairs]


def hyperscan_utf8(pairs: list[tuple[str, str]], folder: Path) -> list[bool]:
    answers = []
    for pattern, text in pairs:
        database = hyperscan.Database()
        flags = hyperscan.HS_FLAG_DOTALL | hyperscan.HS_FLAG_SINGLEMATCH
        database.compile(expressions=[pattern.encode()], flags=flags)
        found: list[int] = []
        database.scan(text.encode(), match_event_handler=lambda *event, found=found: found.append(1))
        answers.append(bool(found))
    return answers


def node(pairs: list[tuple[str, str]], folder: Path) -> list[bool]:
    needs("node")
    lines = run(["node", str(ENGINES / "match.js")], as_json(pairs))
    assert set(lines) <= {"-uv", ""}, "the three kinds of JavaScript expression disagree"
    return [line == "-uv" for line in lines]


def rust(pairs: list[tuple[str, str]], folder: Path) -> list[bool]:
    """The engine of ripgrep."""
    needs("rg")
    return [subprocess.run(["rg", "-q", "-e", p], input=t.encode(), check=False).returncode == 0 for p, t in pairs]


def pcre2(pairs: list[tuple[str, str]], folder: Path) -> list[bool]:
    needs("pcre2grep")
    command = ["pcre2grep", "-u", "-q", "-e"]
    return [subprocess.run([*command, p], input=t.encode(), check=False).returncode == 0 for p, t in pairs]


def ruby(pairs: list[tuple[str, str]], folder: Path) -> list[bool]:
    needs("ruby")
    return told(run(["ruby", str(ENGINES / "match.rb")], as_json(pairs)), "1")


def perl(pairs: list[tuple[str, str]], folder: Path) -> list[bool]:
    needs("perl")
    return told(run(["perl", str(ENGINES / "match.pl")], as_words(pairs)), "1")


def java(pairs: list[tuple[str, str]], folder: Path) -> list[bool]:
    needs("java", "javac")
    subprocess.run(["javac", "-d", folder, ENGINES / "Match.java"], check=True)
    return told(run(["java", "-Xshare:auto", "-cp", str(folder), "Match"], as_words(pairs)), "1")


def go(pairs: list[tuple[str, str]], folder: Path) -> list[bool]:
    needs("go")
    return told(run(["go", "run", str(ENGINES / "match.go")], as_json(pairs)), "1")


def mono(pairs: list[tuple[str, str]], folder: Path) -> list[bool]:
    needs("mono", "mcs")
    subprocess.run(["mcs", f"-out:{folder}/match.exe", ENGINES / "Match.cs"], check=True)
    return told(run(["mono", f"{folder}/match.exe"], as_words(pairs)), "11")


def told(lines: list[str], yes: str) -> list[bool]:
    """The answers of an engine, none of which may be a refusal."""
    assert not [line for line in lines if "refused" in line]
    return [line == yes for line in lines]


#: Those that are not demanded: they are used where a machine has them.
OPTIONAL = (go, mono)
DEMANDED = (python, google_re2, hyperscan_utf8, node, rust, pcre2, ruby, perl, java)


@pytest.mark.parametrize("engine", DEMANDED, ids=lambda engine: engine.__name__)
def test_an_engine_finds_every_hit_and_no_near_miss(engine: Answers, tmp_path: Path) -> None:
    agrees(engine, tmp_path)


@pytest.mark.parametrize("engine", OPTIONAL, ids=lambda engine: engine.__name__)
def test_an_engine_that_some_machines_have_agrees(engine: Answers, tmp_path: Path) -> None:
    programs = {"go": ("go",), "mono": ("mono", "mcs")}[engine.__name__]
    if missing := [name for name in programs if shutil.which(name) is None]:
        pytest.skip(f"{missing[0]} is optional and absent")
    agrees(engine, tmp_path)


def agrees(engine: Answers, folder: Path) -> None:
    hits = engine([(case.rule.pattern, case.hit) for case in CASES], folder)
    misses = engine([(case.rule.pattern, case.miss) for case in CASES], folder)
    wrong = [(case.rule.pattern, case.hit) for case, hit in zip(CASES, hits, strict=True) if not hit]
    wrong += [(case.rule.pattern, case.miss) for case, miss in zip(CASES, misses, strict=True) if miss]
    assert not wrong


def test_the_corpus_is_large_enough() -> None:
    assert len(CASES) >= 170
    assert all(isinstance(case, Case) and case.hit != case.miss for case in CASES)
