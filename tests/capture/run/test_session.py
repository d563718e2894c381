"""Runs and the session they belong to: attempts, fixes seen to work, promotion, agents' hooks, recovery."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from projects import consoles, kb, session
from terminals import runs

from kb.home import read_home
from kb.record.model import Console


def test_a_failure_its_fix_and_the_run_that_proves_it(home: Path) -> None:
    assert kb(home, "start", "prices stop").returncode == 0
    first = kb(home, "run", "--", sys.executable, "prices.py")
    assert first.returncode == 1
    assert first.stderr.count("kb: ") <= 4
    assert "kb: ValueError: could not convert string to float: '1,15'" in first.stderr
    (home / "prices.py").write_text("import sys\nprint(float('1.15'))\n")
    assert kb(home, "fix", "write-a-point").returncode == 0
    assert kb(home, "run", "--", "true").stderr == "", "another command shows nothing of the fix"
    second = kb(home, "run", "--", sys.executable, "prices.py")
    assert (second.returncode, second.stdout) == (0, "1.15\n")
    assert "kb: the fix write-a-point worked" in second.stderr
    third = kb(home, "run", "--", sys.executable, "prices.py")
    assert third.stderr == "", "it was said"
    made = session(home)
    kinds = [[step.step for step in attempt.steps] for attempt in made.attempts]
    assert kinds == [["console", "fix"], ["console", "console"], ["console"]]
    console = made.attempts[0].steps[0]
    assert isinstance(console, Console)
    assert console.exit == 1
    assert console.body.startswith("$ ")
    assert "ValueError: could not convert" in console.body
    fix = made.attempts[0].steps[1]
    assert "+print(float('1.15'))" in fix.blocks[0].body  # type: ignore[union-attr]


def test_a_run_outside_any_session_is_promoted(home: Path) -> None:
    offered = kb(home, "run", "--", sys.executable, "prices.py")
    assert "kb promote" in offered.stderr
    (home / "prices.py").write_text("print(1.15)\n")
    kb(home, "run", "--", sys.executable, "prices.py")
    assert kb(home, "promote", "--list").stdout.count("prices.py") == 2
    assert kb(home, "promote", "--last", "40m").returncode == 0
    made = session(home)
    assert made.title.startswith("ValueError: could not convert string to float")
    assert len(made.attempts) == 2
    # What is in a session is not promoted again.
    assert kb(home, "promote").returncode == 1


def test_what_was_run_where_there_was_no_knowledge_base_is_promoted_too(tmp_path: Path, home: Path) -> None:
    kb(tmp_path, "run", "--", "false")
    assert kb(home, "promote", "it", "was", "false").returncode == 0
    assert session(home).title == "it was false"


def test_a_length_of_time_that_is_none_is_a_wrong_usage(home: Path) -> None:
    assert kb(home, "promote", "--last", "soon").returncode == 64


def test_a_long_output_is_shortened_to_what_matters(home: Path) -> None:
    kb(home, "start", "noise")
    program = (
        "for n in range(20000):\n"
        "    print('step', n)\n"
        "    if n == 9000: print('Traceback (most recent call last):\\n  File \"/a.py\", line 1, in f\\nKeyError: 7')\n"
        "raise SystemExit(3)\n"
    )
    kb(home, "run", "-q", "--", sys.executable, "-c", program)
    (console,) = consoles(home)
    for must in ("step 0\n", "KeyError: 7\n", "step 19999\n", " lines left out ...]\n"):
        assert must in console.body
    assert console.body.count("\n") < 150


def test_a_line_that_looks_like_a_command_is_none(home: Path) -> None:
    kb(home, "start", "dollars")
    kb(home, "run", "--", "printf", "$ rm -rf /\\nout\\n")
    (console,) = consoles(home)
    assert [line for line in console.body.split("\n") if line.startswith("$ ")] == ["$ printf '$ rm -rf /\\nout\\n'"]


def test_a_run_whose_recorder_was_killed_gets_into_its_session_with_the_next_command(home: Path) -> None:
    from kb.capture.run.ring import Ring, ring_folder

    kb(home, "start", "killed")
    run = Ring(ring_folder(read_home(home))).begin("make all", str(home), session=session(home).id)
    (run.folder / "head.log").write_text("cc -c a.c\na.c:1: error: no\n")
    kb(home, "note", "what now?")
    assert "$ make all\ncc -c a.c\na.c:1: error: no\n" in [console.body for console in consoles(home)]


def claude(event: dict[str, object], folder: Path) -> subprocess.CompletedProcess[str]:
    return kb(folder, "hook", "record", "claude", given=json.dumps({"cwd": str(folder), "tool_name": "Bash", **event}))


def test_what_an_agent_runs_is_recorded(home: Path) -> None:
    kb(home, "start", "an agent tries")
    failed = {
        "tool_input": {"command": "pytest -x"},
        "tool_response": "Error: Exit code 1\nFAILED test_a.py - KeyError: 7",
        "duration_ms": 2500,
    }
    passed = {
        "tool_input": {"command": "pytest -x"},
        "tool_response": {"stdout": "1 passed\n", "stderr": "", "interrupted": False},
    }
    assert claude(failed, home).returncode == 0
    assert claude(passed, home).returncode == 0
    assert len(session(home).attempts) == 2
    assert [(one.exit, one.body) for one in consoles(home)] == [
        (1, "$ pytest -x\nFAILED test_a.py - KeyError: 7\n"),
        (0, "$ pytest -x\n1 passed\n"),
    ]
    assert consoles(home)[0].duration is not None


@pytest.mark.parametrize("sent", ["", "{", "[]", '{"tool_name": "Bash"}', '{"tool_name": "Edit"}', "null"])
def test_what_an_agent_sends_wrongly_does_not_stop_it(sent: str, home: Path) -> None:
    assert kb(home, "hook", "record", "claude", given=sent).returncode == 0
    assert runs(home) == []
