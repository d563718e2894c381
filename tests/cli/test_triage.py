"""`kb triage`: the verdict first, then the failure, the best fix, and the symptoms; JSON for programs."""

from __future__ import annotations

import json
import os
from pathlib import Path

import jsonschema
import pytest

from kb.cli import terminal, triage_text
from kb.triage.schema import triage_schema

from .conftest import Kb

TWO = """\
(Worker pid=812) Traceback (most recent call last):
(Worker pid=812)   File "/srv/app/worker.py", line 33, in read_weights
(Worker pid=812)     return table["d2t"]
(Worker pid=812) KeyError: 'd2t'
(Engine pid=790) Traceback (most recent call last):
(Engine pid=790)   File "/srv/app/engine.py", line 20, in start
(Engine pid=790)     raise RuntimeError("Engine core initialization failed. See root cause above.")
(Engine pid=790) RuntimeError: Engine core initialization failed. See root cause above.
"""
FINE = "INFO all is well\n"


def test_a_known_failure_exits_with_0_and_names_its_fix(kb: Kb, base: Path) -> None:
    ran = kb("triage", "new.log")
    assert ran.status == 0
    lines = ran.out.splitlines()
    assert lines[0] == "known  ValueError · new.log (10 lines)"
    assert "  ValueError: could not convert string to float: '7,20'" in lines
    assert "  fix       accept-decimal-comma (patch)" in lines
    assert "  dead end  strip-the-cell (patch)" in lines
    assert lines.index("  fix       accept-decimal-comma (patch)") < lines.index("  dead end  strip-the-cell (patch)")


def test_the_index_is_built_when_it_is_missing_and_only_then(kb: Kb, base: Path) -> None:
    assert "the index is missing; building it" in kb("triage", "new.log").err
    assert kb("triage", "new.log").err == ""


def test_an_index_that_cannot_be_used_is_built_again(kb: Kb, base: Path) -> None:
    kb("index")
    (base / ".kb" / "index.sqlite").write_bytes(b"no database")
    ran = kb("triage", "new.log")
    assert ran.status == 0
    assert "building it again" in ran.err
    assert kb("triage", "new.log").err == ""


def test_an_index_that_is_out_of_date_is_said_to_be(kb: Kb, base: Path) -> None:
    kb("index")
    record = base / "sessions" / "2026-01-31-parser-eats-commas.md"
    record.write_text(record.read_text().replace("nightly", "weekly"))
    assert "run `kb index`" in kb("triage", "new.log").err


def test_a_new_failure_exits_with_1(kb: Kb, base: Path) -> None:
    ran = kb("triage", stdin=b"KeyError: 'nobody knows me'\n")
    assert ran.status == 1
    assert ran.out.startswith("new  KeyError · <stdin> (1 line)\n")


def test_without_a_knowledge_base_everything_is_new(
    kb: Kb, sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = kb("triage", sample / "new.log")
    assert ran.status == 1
    assert "No knowledge base here" in ran.out


def test_a_log_without_a_failure_exits_with_2(kb: Kb, base: Path) -> None:
    ran = kb("triage", "-", stdin=FINE.encode())
    assert ran.status == 2
    assert ran.out.startswith("no-failure  <stdin> (1 line)\n")
    assert kb("triage", stdin=b"").status == 2


def test_only_symptoms_exit_with_1_and_say_where_to_look(kb: Kb, base: Path) -> None:
    ran = kb("triage", stdin=TWO.split("\n", 4)[4].encode())
    assert ran.status == 1
    assert ran.out.startswith("symptom-only  ")
    assert "  > " in ran.out


def test_symptoms_stand_below_the_root_failure(kb: Kb, base: Path) -> None:
    out = kb("triage", stdin=TWO.encode()).out
    assert out.startswith("new  KeyError in Worker")
    assert out.index("KeyError: 'd2t'") < out.index("Symptoms in this log:") < out.index("Engine core init")


def test_json_is_one_line_an_input_and_what_the_schema_says(kb: Kb, base: Path) -> None:
    (base / "two.log").write_text(TWO)
    ran = kb("triage", "--json", "new.log", "two.log")
    answers = [json.loads(line) for line in ran.out.splitlines()]
    assert [answer["verdict"] for answer in answers] == ["known", "new"]
    for answer in answers:
        jsonschema.validate(answer, triage_schema())


@pytest.mark.parametrize(
    ("names", "status"),
    [(("fine.log", "two.log"), 1), (("two.log", "new.log"), 0), (("fine.log",), 2), (("fine.log", "missing.log"), 66)],
)
def test_of_several_inputs_the_lowest_status_counts_unless_one_cannot_be_read(
    kb: Kb, base: Path, names: tuple[str, ...], status: int
) -> None:
    (base / "two.log").write_text(TWO)
    (base / "fine.log").write_text(FINE)
    assert kb("triage", *names).status == status


def test_an_input_that_cannot_be_read_does_not_keep_the_others_from_their_answer(kb: Kb, base: Path) -> None:
    ran = kb("triage", "missing.log", "new.log")
    assert ran.err.splitlines()[-1] == "kb: missing.log: cannot be read: No such file or directory"
    assert ran.out.startswith("known")


def test_nothing_in_a_log_reaches_the_terminal_as_a_command(kb: Kb, base: Path) -> None:
    hostile = "ValueError: \x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp.exe\x00 and \x1b[8mhidden\n"
    for arguments in (("triage",), ("triage", "--all"), ("triage", "--json"), ("explain", "-")):
        ran = kb(*arguments, stdin=hostile.encode())
        assert not set(ran.out + ran.err) & set("\x1b\x07\x9b\u202e\x00"), arguments


@pytest.mark.parametrize("option", ["--all", "--json"])
def test_bytes_that_are_no_text_are_no_problem(kb: Kb, base: Path, option: str) -> None:
    assert kb("triage", option, stdin=b"RuntimeError: \xff\xfe\x80 bad\n" + os.urandom(2000)).status in {0, 1, 2}


@pytest.mark.parametrize("broken", ["folder", "lock"])
def test_a_log_is_answered_even_when_there_can_be_no_index(kb: Kb, base: Path, broken: str) -> None:
    if broken == "folder":
        (base / ".kb").write_text("a file")
    else:
        (base / ".kb").mkdir()
        (base / ".kb" / "index.lock").write_bytes(b"no database at all" * 100)
    ran = kb("triage", "new.log")
    assert ran.status == 1
    assert ran.out.startswith("new  ValueError")
    assert "The knowledge base cannot be asked" in ran.out
    assert ".kb" in ran.err
    assert "Traceback" not in ran.err


def test_log_lines_and_paths_are_whole_when_piped(kb: Kb, base: Path) -> None:
    path = "/srv/" + "long/" * 40 + "app.py"
    text = f'Traceback (most recent call last):\n  File "{path}", line 1, in f\nKeyError: {"many words " * 20}end\n'
    lines = kb("triage", stdin=text.encode()).out.splitlines()
    assert f"  at f, {path}:1" in lines
    assert f"  KeyError: {'many words ' * 20}end" in lines


def test_a_failure_inside_a_package_is_shown_with_the_call_of_the_program_s_own(kb: Kb, base: Path) -> None:
    package = "/opt/venv/lib/python3.11/site-packages/torch/serialization.py"
    frames = [("/opt/venv/bin/train", "<module>"), ("/srv/app/train.py", "save"), (package, "__init__")]
    head = "Traceback (most recent call last):\n"
    calls = [f'  File "{file}", line {n}, in {name}\n' for n, (file, name) in enumerate(frames, 1)]
    lines = kb("triage", stdin=(head + "".join(calls) + "RuntimeError: no folder\n").encode()).out.splitlines()
    assert lines[lines.index(f"  at __init__, {package}:3") + 1] == "  called from save, /srv/app/train.py:2"
    lines = kb("triage", stdin=(head + "".join(calls[:2]) + "RuntimeError: no folder\n").encode()).out.splitlines()
    assert not any("called from" in line for line in lines)
    calls.insert(2, '  File "uvloop/loop.pyx", line 1517, in uvloop.loop.Loop.run_until_complete\n')
    lines = kb("triage", stdin=(head + "".join(calls) + "RuntimeError: no folder\n").encode()).out.splitlines()
    assert "  called from save, /srv/app/train.py:2" in lines


def test_a_frame_without_a_file_is_named_by_its_function_alone(kb: Kb, base: Path) -> None:
    text = "java.net.ConnectException: Connection refused\n\tat java.base/java.net.Socket.connect(Native Method)\n"
    lines = kb("triage", stdin=text.encode()).out.splitlines()
    assert "  at java.net.Socket.connect" in lines


def record_of_a_chain(base: Path) -> None:
    """A session with a failure whose fix leads to another one, and the fix of that."""
    record = base / "sessions" / "2026-01-31-parser-eats-commas.md"
    record.write_text(
        "---\nkb: 1\nid: 2026-01-31-parser-eats-commas\ntitle: a chain\nstarted: 2026-01-31T09:00:00Z\n"
        "resolution: fixed\n---\n\n## Attempt 1: run\n\n```console {exit=1}\n$ ./run\n"
        f"{TWO}```\n\n### Fix: map-the-tokens {{kind=patch}}\n\n## Attempt 2: again\n\n```console {{exit=1}}\n$ ./run\n"
        "OSError: the worker count is nested wrongly\n```\n\n### Fix: nest-worker-count {kind=config}\n\n"
        "## Attempt 3: again\n\n```console {exit=0}\n$ ./run\nready\n```\n"
    )


def test_a_fix_that_only_led_on_comes_with_the_end_of_its_session(kb: Kb, base: Path) -> None:
    record_of_a_chain(base)
    ran = kb("triage", stdin=TWO.encode())
    assert ran.status == 0, ran.out
    assert "1 of 1 got past it to another failure" in ran.out
    ending = "the session ended fixed by nest-worker-count (after 1 more failure)"
    assert ending in " ".join(ran.out.split())
    answer = kb("triage", "--json", stdin=TWO.encode()).json
    match = answer["failures"][answer["primary"]]["matches"][0]
    assert match["fixes"][0]["ended_by"] == ["nest-worker-count"]
    assert ending in " ".join(kb("show", match["id"]).out.split())


def test_a_symptom_alone_comes_with_the_causes_of_the_sessions_that_hold_it(kb: Kb, base: Path) -> None:
    record_of_a_chain(base)
    ran = kb("triage", stdin=TWO.split("\n", 4)[4].encode())
    assert ran.out.startswith("symptom-only  ")
    assert "  In the sessions that hold this symptom, the cause was:" in ran.out
    assert "KeyError: 'd2t'" in ran.out
    assert "its fix   map-the-tokens (patch)" in ran.out


def test_every_line_fits_the_terminal(kb: Kb, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(triage_text, "piped", lambda: False)
    monkeypatch.setattr(terminal, "piped", lambda: False)
    long = "RuntimeError: " + "x" * 500 + " " + "wörd " * 200
    ran = kb("triage", stdin=(TWO + long + "\n").encode())
    assert [line for line in ran.out.splitlines() if len(line) > 80] == []


def test_all_shows_every_failure_and_its_reasons(kb: Kb, base: Path) -> None:
    many = "".join(f"Traceback (most recent call last):\nKeyError: 'key {letter}'\n\n" for letter in "abcdefghijk")
    short, full = (kb("triage", *more, stdin=many.encode()).out for more in ((), ("--all",)))
    assert "5 more with --all" in short
    assert "with --all" not in full
    assert full.count("KeyError: 'key") > short.count("KeyError: 'key")


PRIVATE = f"""\
Traceback (most recent call last):
  File "/home/jane/app.py", line 3, in start
    connect()
ConnectionError: db1.prod.internal refused the token {"ghp_" + "a1B2c3D4e5F6" * 3} of jane.roe@corp.io
"""


@pytest.mark.parametrize("form", [(), ("--all",), ("--json",)], ids=" ".join)
def test_an_answer_for_a_ticket_holds_nothing_private(kb: Kb, base: Path, form: tuple[str, ...]) -> None:
    (base / "private.log").write_text(PRIVATE)
    shown, clean = kb("triage", *form, "private.log"), kb("triage", *form, "--redact", "private.log")
    assert shown.status == clean.status == 1
    assert "jane.roe@corp.io" in shown.out
    assert [word for word in ("ghp_", "jane", "db1.prod") if word in clean.out] == []
    assert "<secret:github>" in clean.out
    if form == ("--json",):
        signatures = [json.loads(ran.out)["failures"][0]["signature"] for ran in (shown, clean)]
        assert signatures[0] == signatures[1]
        jsonschema.validate(json.loads(clean.out), triage_schema())


def test_what_a_ci_system_shows_holds_no_secret(kb: Kb, base: Path) -> None:
    (base / "private.log").write_text(PRIVATE)
    for form in ("github", "gitlab", "buildkite"):
        ran = kb("annotate", "--format", form, "private.log")
        assert ran.out
        assert [word for word in ("ghp_", "a1B2c3") if word in ran.out] == []
