"""Steps fall into attempts by themselves."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from record_strategies import sessions, steps

from kb.capture.draft import Draft, ends_well, how_to_prove, missing, still_failing
from kb.capture.runs import only_looks
from kb.record.model import Block, Console, DeclaredFailure, Diagnosis, Fix, Log, Note, Session, Step
from kb.record.reader import read_session
from kb.record.writer import write_session

FAILED = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nValueError: no\n'


def run(command: str, exit_: int = 0, output: str = "") -> Console:
    return Console(body=f"$ {command}\n{output}", exit=exit_)


def log(source: str, body: str = "all is well\n") -> Log:
    return Log(body=body, source=source)


def fix(slug: str = "a-fix") -> Fix:
    return Fix(slug=slug, kind="config", prose="Changed.")


def empty() -> Draft:
    return Draft(Session(id="2026-03-01-x", title="X", started=datetime(2026, 3, 1, tzinfo=UTC)))


def layout(*steps_: Step) -> list[list[str]]:
    """The attempts that the steps fell into, each with the kinds of its steps."""
    draft = empty()
    for step in steps_:
        draft.add(step)
    return [[step.step for step in attempt.steps] for attempt in draft.session.attempts]


def test_what_is_run_after_a_fix_is_the_next_attempt() -> None:
    assert layout(run("make", 2), Diagnosis(prose="A."), fix(), fix("b"), Note(prose="N."), run("make")) == [
        ["console", "diagnosis", "fix", "fix", "note"],
        ["console"],
    ]


def test_what_is_run_again_after_it_failed_is_the_next_attempt() -> None:
    assert layout(run("python3 a.py", 1), run("ls"), run("ls"), run("python3 a.py --fast")) == [
        ["console", "console", "console"],
        ["console"],
    ]
    assert layout(run("FOO=1 python a.py"), run("/usr/bin/python3.12 a.py --x", 1)) == [["console"], ["console"]]
    assert layout(run("pytest a.py", 1), run("pytest b.py", 1)) == [["console", "console"]]


def test_every_rerun_of_what_failed_once_counts_for_itself() -> None:
    assert layout(run("a", 1), run("a"), run("a"), run("a")) == [["console"]] * 4


def test_an_error_that_is_only_printed_is_a_failure_too() -> None:
    assert layout(run("a", 0, FAILED), run("a")) == [["console"], ["console"]]
    assert layout(run("a", 0, "fine\n"), run("a")) == [["console", "console"]]


def test_looking_at_something_twice_begins_nothing() -> None:
    assert layout(run("python3 a.py", 1), run("nvidia-smi"), run("git diff"), run("nvidia-smi")) == [["console"] * 4]


def test_a_log_of_the_same_name_is_of_another_run() -> None:
    assert layout(log("a.log"), log("b.log"), log("a.log")) == [["log", "log"], ["log"]]
    draft = empty()
    draft.add(log("a.log", "1"), log("a.log", "2"))
    assert draft.attempts == 1


def test_a_failure_declared_after_a_fix_is_of_the_next_attempt() -> None:
    assert layout(DeclaredFailure(slug="slow"), fix(), DeclaredFailure(slug="slow")) == [
        ["failure", "fix"],
        ["failure"],
    ]


def test_attempts_have_titles_of_what_was_run() -> None:
    draft = empty()
    for step in (run("python3 a.py", 1), fix(), run("python3 a.py", 1), fix(), log("/var/log/server.log")):
        draft.add(step)
    draft.begin("by hand")
    draft.begin("better words")
    draft.add(Note(prose="Said."), title="not taken")
    titles = [attempt.title for attempt in draft.session.attempts]
    assert titles == ["python3 a.py", "python3 a.py, again", "read server.log", "better words"]


@settings(max_examples=40)
@given(sessions(), steps, steps)
def test_any_step_can_be_added_to_any_record(session: Session, one: Step, other: Step) -> None:
    draft = Draft(session)
    draft.add(one)
    draft.add(other)
    written = write_session(draft.session)
    assert read_session(written, f"{session.id}.md") == (draft.session, ())
    before = sum(len(attempt.steps) for attempt in session.attempts)
    assert sum(len(attempt.steps) for attempt in draft.session.attempts) == before + 2


def test_steps_can_be_added_to_an_earlier_attempt() -> None:
    draft = empty()
    draft.add(run("a", 1))
    draft.add(run("a"))
    draft.add_to(1, fix())
    assert [len(attempt.steps) for attempt in draft.session.attempts] == [2, 1]
    for number in (0, 3):
        with pytest.raises(ValueError, match="no attempt"):
            draft.add_to(number, fix())


def test_what_is_stated_stays() -> None:
    draft = Draft(empty().session.model_copy(update={"components": {"vllm": "by hand"}}))
    draft.state({"vllm": "0.1", "torch": "2.6"}, {"os": "Debian 13"})
    assert draft.session.components == {"vllm": "by hand", "torch": "2.6"}
    assert draft.session.environment == {"os": "Debian 13"}


def test_what_a_person_should_still_say() -> None:
    draft = empty()
    assert [one.code for one in missing(draft.session)] == ["evidence", "resolution", "sentence"]
    draft.add(run("a", 1))
    draft.add(Console(body="$ b\n"))
    draft.finish("fixed", datetime(2026, 3, 2, tzinfo=UTC), closing="It was so.")
    assert [one.code for one in missing(draft.session)] == ["fix", "exit", "proof"]
    draft.add(Fix(slug="f", kind="patch"))
    draft.add(run("a"))
    assert [one.code for one in missing(draft.session)] == ["exit", "change"]
    draft.add(run("a", 1))
    assert [one.code for one in missing(draft.session)] == ["exit", "change", "proof"]
    assert missing(draft.session)[-1].message == "a run of `a` after the fix, which shows that it helped"


def test_a_session_ends_well_when_what_failed_does_so_no_more() -> None:
    draft = empty()
    assert not ends_well(draft.session)
    draft.add(run("a"))
    assert not ends_well(draft.session), "nothing ever failed"
    draft.add(run("a", 1))
    assert not ends_well(draft.session)
    draft.add(Fix(slug="f", kind="patch", blocks=(Block(language="diff", body="-a\n"),)))
    assert not ends_well(draft.session)
    draft.add(run("a"))
    assert ends_well(draft.session)


def test_what_an_attempt_says_it_tried_again_shows_that_it_ends_well_under_any_name() -> None:
    draft = empty()
    failed = Log(body="ValueError: bad\n", source="a.log")
    draft.add(failed)
    draft.begin("elsewhere", reruns=1)
    assert still_failing(draft.session) == failed
    draft.add(Log(body="ready\n", source="b.log"))
    assert still_failing(draft.session) is None


def test_only_the_same_run_again_shows_that_it_ends_well() -> None:
    draft = empty()
    assert still_failing(draft.session) is None
    failed = run("python3 a.py", 1)
    draft.add(failed)
    for other in (run("true"), run("python3 a.py --help"), Console(body="$ python3 a.py\n"), run("pyhton3 a.py", 127)):
        draft.add(other)
        assert still_failing(draft.session) == failed, other
    draft.add(run("python3  a.py"))
    draft.add(run("grep -r fixme .", 1))
    draft.add(run("git diff"))
    assert still_failing(draft.session) is None
    draft.add(DeclaredFailure(slug="slow"))
    assert how_to_prove(last(draft)) == "a run after the fix without slow"
    draft.add(Log(body="ValueError: bad\n", source="logs/a.log"))
    draft.add(Log(body="ready\n", source="logs/b.log"))
    assert how_to_prove(last(draft)) == "a.log of a run after the fix"
    draft.add(Log(body="ready\n", source="logs/a.log"))
    assert still_failing(draft.session) is None


def test_what_stands_beside_the_failing_command_proves_nothing() -> None:
    draft = empty()
    draft.add(Console(body="$ cd /srv\n$ make test\nboom\n", exit=2))
    draft.add(Console(body="$ cd /srv\n$ ls\n", exit=0))
    assert still_failing(draft.session) is not None
    draft.add(run("make test"))
    assert still_failing(draft.session) is None
    draft.add(Log(body=FAILED))
    draft.add(Log(body="something else\n"))
    assert still_failing(draft.session) is not None, "nothing says that the two logs are of the same"


def last(draft: Draft) -> Step:
    step = still_failing(draft.session)
    assert step is not None
    return step


@pytest.mark.parametrize(
    ("command", "looks"),
    [
        ("git diff HEAD~1", True),
        ("cat a.log | grep -E 'a|b > c' 2>/dev/null | wc -l", True),
        ("dmesg 2>&1", True),
        ("echo 1 > /proc/sys/vm/drop_caches", False),
        ("cat a.sql | psql", False),
        ("env A=1 python3 a.py", False),
        ("ls; make", False),
        ("", False),
    ],
)
def test_what_only_looks_changes_nothing_in_any_of_its_parts(command: str, looks: bool) -> None:
    assert only_looks(command) is looks
