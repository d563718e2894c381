"""The outcome of a fix is what the next attempts show, and nothing else."""

from __future__ import annotations

import pytest
from sessions_made import INDEX, KEY, attempt, clean, facts_of, failed, fix, log, ran, traceback, tries_of

from kb.record.model import Attempt, DeclaredFailure, Diagnosis, Note


def only(*attempts: Attempt) -> tuple[str, str, str]:
    """Outcome, strength and reason of the single try in these attempts."""
    (tried,) = tries_of(*attempts)
    return tried.outcome, tried.strength, tried.because


def test_a_rerun_without_the_failure_is_fixed() -> None:
    outcome, strength, because = only(attempt(failed(), fix()), attempt(clean()))
    assert (outcome, strength) == ("fixed", "absent")
    assert "attempt 2" in because


def test_a_rerun_that_prints_nothing_proves_its_exit_status_only() -> None:
    assert only(attempt(failed(), fix()), attempt(clean(output="")))[:2] == ("fixed", "exit-0")


def test_another_failure_is_progress_and_a_chain() -> None:
    first, second = attempt(failed(), fix()), attempt(failed(KEY))
    (tried,) = tries_of(first, second)
    assert tried.outcome == "progressed"
    assert tried.next_id == facts_of(second).occurrences[-1].signature.id
    assert "KeyError" in tried.because


def test_the_same_failure_again_is_failed() -> None:
    assert only(attempt(failed(), fix()), attempt(failed()))[0] == "failed"


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        ((), "nothing was run after it"),
        ((attempt(Diagnosis(prose="It was the list.")),), "ran nothing"),
        ((attempt(clean("ls -l")),), "ran `ls`, not `python`"),
        ((attempt(clean("python other.py --port 8000")),), "`other.py`"),
        ((attempt(clean("python serve.py --port 9000")),), "--port 9000"),
        ((attempt(ran("python serve.py --port 8000", "ready")),), "no exit status"),
        ((attempt(ran("python serve.py --port 8000", "ready", status=130)),), "stopped by hand"),
        ((attempt(log("all is well", "other.log")),), "names no command"),
        ((attempt(failed("ls: cannot access", "ls /srv/nothing")),), "ran `ls`"),
    ],
)
def test_what_does_not_repeat_the_run_proves_nothing(after: tuple[Attempt, ...], reason: str) -> None:
    outcome, strength, because = only(attempt(failed(), fix()), *after)
    assert (outcome, strength) == ("unverified", "")
    assert reason in because


def test_the_reason_says_how_to_tell_kb_that_it_was_the_same() -> None:
    assert "{reruns=1}" in only(attempt(failed(), fix()), attempt(clean("make start")))[2]


def test_a_heading_can_say_that_it_was_the_same() -> None:
    assert only(attempt(failed(), fix()), attempt(clean("make start"), reruns=1))[0] == "fixed"


def test_a_rerun_of_an_attempt_with_the_same_command_counts() -> None:
    first, second = attempt(failed()), attempt(failed(), fix())
    assert only(first, second, attempt(clean("make start"), reruns=1))[0] == "fixed"


@pytest.mark.parametrize(
    ("made", "command"),
    [
        (fix("shorten-context", "config", blocks=({"body": "--max-len 4096"},)), "python serve.py --max-len 4096"),
        (fix("no-expert-parallel", "config"), "python serve.py"),
        (fix("lower-max-len", "config", prose="Set `--max-len` to what fits."), "python serve.py --max-len=1000"),
    ],
)
def test_what_the_fix_names_may_differ(made: object, command: str) -> None:
    before = "python serve.py --enable-expert-parallel" if "expert" in made.slug else "python serve.py --max-len 8192"  # type: ignore[attr-defined]
    assert only(attempt(failed(command=before), made), attempt(clean(command)))[0] == "fixed"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "command",
    [
        "sudo -E python serve.py --port 8000",
        "NCCL_DEBUG=INFO python3 serve.py --port 8000 2>&1 | tee out.log",
        "time python3.12 serve.py --port 8000 > out.log",
        "ssh -p 22 gpu1 'cd /srv && CUDA_VISIBLE_DEVICES=0 python serve.py --port 8000'",
        "bash -lc 'python serve.py --port 8000'",
        "timeout -s INT 60 env A=1 /usr/bin/python serve.py --port 8000",
        "python serve.py \\\n  --port 8000",
    ],
)
def test_how_a_command_is_wrapped_does_not_matter(command: str) -> None:
    assert only(attempt(failed(), fix()), attempt(clean(command)))[0] == "fixed"


def test_among_several_commands_the_failing_one_is_what_was_tried() -> None:
    first = attempt(clean("nvidia-smi"), failed(), clean("free -g"), fix())
    assert only(first, attempt(clean("nvidia-smi")))[0] == "unverified"
    assert only(first, attempt(clean("pip list"), clean()))[0] == "fixed"


def test_a_bad_status_of_a_mere_check_beside_a_good_rerun_is_no_failure() -> None:
    assert only(attempt(failed(), fix()), attempt(ran("grep -c ERROR out.log", "0", status=1), clean()))[0] == "fixed"


def test_a_log_of_the_same_source_is_the_same_run() -> None:
    before = attempt(log(traceback()), fix())
    assert only(before, attempt(log("ready", "server.log")))[:2] == ("fixed", "absent")
    assert only(before, attempt(log(traceback(), "server.log")))[0] == "failed"


def test_without_a_command_in_the_first_attempt_nothing_can_be_compared() -> None:
    assert "no command to compare" in only(attempt(log(traceback(), None), fix()), attempt(clean()))[2]


def test_a_bad_exit_status_without_a_readable_error_is_a_failure() -> None:
    silent = ran("python serve.py", "loading", status=3)
    facts = facts_of(attempt(silent, fix()), attempt(silent))
    assert facts.occurrences[0].failure.kind == "exit"
    assert facts.occurrences[0].failure.type == "exit status 3"
    assert facts.tries[0].outcome == "failed"
    assert only(attempt(failed(command="python serve.py"), fix()), attempt(silent))[0] == "progressed"


def test_a_signal_is_a_failure_too() -> None:
    facts = facts_of(attempt(ran("python serve.py", "loading", signal="KILL")))
    assert facts.occurrences[0].failure.type == "signal KILL"


def test_fixes_made_together_share_the_outcome_and_say_so() -> None:
    one, two = tries_of(attempt(failed(), fix("a"), fix("b")), attempt(clean()))
    assert (one.fix, one.together, one.outcome) == ("a", ("b",), "fixed")
    assert (two.fix, two.together, two.outcome) == ("b", ("a",), "fixed")


def test_a_fix_without_a_failure_before_it_is_no_try() -> None:
    assert tries_of(attempt(clean(), fix()), attempt(clean())) == ()


def test_a_declared_failure_takes_part() -> None:
    slow = DeclaredFailure(slug="slow-first-token", observed="9 s", expected="1 s")
    assert only(attempt(clean(), slow, fix()), attempt(clean()))[0] == "fixed"
    assert only(attempt(clean(), slow, fix()), attempt(clean(), slow))[0] == "failed"


def test_who_declares_a_failure_again_has_tried_again_what_showed_it() -> None:
    slow, fast = (DeclaredFailure(slug=f"slow-{what}-token", observed="9 s") for what in ("first", "last"))
    assert only(attempt(slow, fix()), attempt(slow))[0] == "failed"
    assert only(attempt(clean(), slow, fix()), attempt(slow))[0] == "failed"
    assert only(attempt(slow, fix()), attempt(fast))[0] == "unverified"
    assert only(attempt(slow, fix()), attempt(Note(prose="It is fast.")))[0] == "unverified"


def test_three_clean_runs_in_a_row_are_a_soak() -> None:
    runs = (attempt(clean()), attempt(clean()), attempt(clean()))
    assert only(attempt(failed(), fix()), *runs)[:2] == ("fixed", "soaked")


def test_a_stated_number_of_runs_is_a_soak() -> None:
    again = attempt(clean(), Note(prose="Ran it 50 times."), reruns=1, title="soak")
    assert only(attempt(failed(), fix()), again)[:2] == ("fixed", "soaked")


def test_running_three_times_as_long_is_a_soak() -> None:
    first = attempt(failed(seconds=60), fix())
    assert only(first, attempt(clean(seconds=180), reruns=1))[1] == "soaked"
    assert only(first, attempt(clean(seconds=90), reruns=1))[1] == "absent"


def test_taking_the_fix_back_and_seeing_the_failure_again_is_the_strongest_proof() -> None:
    first, again = tries_of(attempt(failed(), fix()), attempt(clean(), fix("revert-pad-the-list")), attempt(failed()))[
        :2
    ] + (None,)
    assert (first.outcome, first.strength) == ("fixed", "reverted")
    assert again is None


def test_a_failure_that_comes_back_with_nothing_changed_was_not_fixed() -> None:
    outcome, _, because = only(attempt(failed(), fix()), attempt(clean()), attempt(failed()))
    assert outcome == "failed"
    assert "attempt 3" in because


def test_a_failure_that_comes_back_after_another_change_does_not_count_against_the_fix() -> None:
    first = tries_of(attempt(failed(), fix()), attempt(clean(), fix("speed-up")), attempt(failed()))[0]
    assert first.outcome == "fixed"


def test_a_flaky_failure_needs_enough_clean_runs() -> None:
    flaky = (attempt(clean()), attempt(failed()), attempt(clean()), attempt(failed(), fix()))
    outcome, _, because = only(*flaky, *[attempt(clean())] * 2)
    assert outcome == "unverified"
    assert "2 of 4 runs" in because
    assert "5 clean runs" in because
    assert "3 of them are missing" in because
    assert only(*flaky, *[attempt(clean())] * 5)[:2] == ("fixed", "soaked")


def test_a_fix_made_after_a_clean_run_of_a_flaky_failure_is_for_that_failure() -> None:
    (tried,) = tries_of(attempt(failed()), attempt(clean(), fix()), attempt(failed()))
    assert tried.outcome == "failed"
    assert tried.signature_id == facts_of(attempt(failed())).occurrences[0].signature.id


def test_what_came_and_went_before_an_earlier_fix_does_not_make_it_flaky() -> None:
    tries = tries_of(
        attempt(failed(), fix("a")), attempt(clean(), fix("b")), attempt(failed(), fix("c")), attempt(clean())
    )
    assert tries[-1].outcome == "fixed"


def test_a_stated_share_of_failing_runs_makes_a_failure_flaky() -> None:
    first = attempt(failed(), Note(prose="Fails in 3 of 20 runs."), fix())
    assert "19 clean runs" in only(first, attempt(clean()))[2]
    assert only(first, attempt(clean(), Note(prose="20 runs, none failed."), reruns=1))[:2] == ("fixed", "soaked")


def test_the_log_of_the_server_beats_a_client_that_only_saw_the_symptom() -> None:
    client = ran(
        "curl http://localhost:8000/v1",
        "RuntimeError: Engine core initialization failed. See root cause above.",
        status=1,
    )
    facts = facts_of(attempt(client, log(traceback(INDEX))))
    (root,) = [one for one in facts.occurrences if one.primary]
    assert root.failure.type == "IndexError"


def test_a_console_that_shows_an_excerpt_of_the_log_leaves_the_judgement_to_the_log() -> None:
    last = "ValueError: the model cannot be inspected"
    whole = traceback("ModuleNotFoundError: No module named 'torchvision'") + "\nsome lines\n" + last
    facts = facts_of(attempt(ran("./serve", f"the last line of server.log:\n{last}", status=1), log(whole)))
    (root,) = [one for one in facts.occurrences if one.primary]
    assert root.failure.type == "ModuleNotFoundError"


def test_taking_back_a_fix_that_did_not_help_is_no_other_run() -> None:
    first = attempt(failed(), fix("verbose", "config", prose="Add `--verbose`."))
    second = attempt(failed(command="python serve.py --port 8000 --verbose"), fix("pad-the-list"))
    assert [tried.outcome for tried in tries_of(first, second, attempt(clean()))] == ["failed", "fixed"]


def test_a_rerun_that_shows_only_the_last_line_of_the_traceback_shows_the_same_failure() -> None:
    error = "AttributeError: 'FooConfig' object has no attribute 'token_index'"
    short = ran("python serve.py --port 8000", error, status=1)
    assert only(attempt(failed(error), fix()), attempt(short))[0] == "failed"
    assert only(attempt(short, fix()), attempt(failed(error)))[0] == "failed"


def test_a_failure_that_is_still_there_beside_another_one_is_not_gone() -> None:
    both = ran("python serve.py --port 8000", traceback(KEY) + "\n" + traceback(INDEX), status=1)
    outcome, _, because = only(attempt(failed(), fix()), attempt(both))
    assert outcome == "failed"
    assert "beside another one: KeyError" in because


def test_a_rerun_that_shows_only_a_symptom_it_had_before_proves_nothing() -> None:
    symptom = "RuntimeError: Engine core initialization failed. See root cause above."
    first = attempt(ran("./serve", symptom, status=1), log(traceback()), fix())
    outcome, _, because = only(first, attempt(ran("./serve", symptom, status=1)))
    assert outcome == "unverified"
    assert "only what followed from it before" in because
