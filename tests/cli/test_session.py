"""A session as somebody in it types it: what the commands put into the record, and what they ask."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kb.capture import redacting
from kb.record.folder import read_file
from kb.record.model import Attempt, Diagnosis, Fix, Log, Session
from kb.record.writer import write_session

from .conftest import Kb, Ran

PROGRAM = """\
def parse_price(text):
    return float(text)


print(parse_price("1,15"))
"""
FAILED = """\
Traceback (most recent call last):
  File "/srv/prices.py", line 5, in <module>
    print(parse_price("1,15"))
  File "/srv/prices.py", line 2, in parse_price
    return float(text)
ValueError: could not convert string to float: '1,15'
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A knowledge base that is a Git repository with a failing program, and no terminal."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KB_SESSION", raising=False)
    monkeypatch.setattr("kb.capture.current.terminal_key", lambda: None)
    (tmp_path / "kb.toml").write_text("")
    (tmp_path / "prices.py").write_text(PROGRAM)
    (tmp_path / "out.log").write_text(FAILED)
    repository(tmp_path)
    return tmp_path


def repository(folder: Path) -> None:
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    for command in (["init", "-q"], ["add", "prices.py", "kb.toml"], [*who, "commit", "-qm", "begin"]):
        subprocess.run(["git", *command], cwd=folder, check=True)


def outside() -> dict[str, str]:
    """The environment of a kb that runs in a process of its own."""
    return {**os.environ, "TERM": "dumb", "PYTHONPATH": str(Path(__file__).parents[2])}


def mend(folder: Path) -> None:
    (folder / "prices.py").write_text(PROGRAM.replace("float(text)", 'float(text.replace(",", "."))'))


def record_of(folder: Path) -> Path:
    (path,) = (folder / "sessions").glob("*.md")
    return path


def session_in(folder: Path) -> Session:
    """The only session, whose record must be in order and in canonical form."""
    path = record_of(folder)
    session, problems = read_file(path, path.name)
    assert session is not None
    assert problems == ()
    assert write_session(session) == path.read_text("utf-8")
    return session


def kinds(session: Session) -> list[list[str]]:
    return [[step.step for step in attempt.steps] for attempt in session.attempts]


def fix_of(attempt: Attempt) -> Fix:
    (found,) = (step for step in attempt.steps if isinstance(step, Fix))
    return found


def ok(ran: Ran) -> Ran:
    assert ran.status == 0, ran.err
    return ran


def test_a_failure_its_fix_and_the_passing_run_take_five_short_commands(kb: Kb, place: Path) -> None:
    typed = [
        ["start", "comma stops the sum"],
        ["log", "out.log"],
        ["fix", "accept-decimal-comma"],
        ["log", "out.log"],
        ["finish", "decimal commas"],
    ]
    assert sum(len("kb " + " ".join(words)) + 1 for words in typed) < 200
    ok(kb(*typed[0]))
    ok(kb(*typed[1]))
    mend(place)
    ok(kb(*typed[2]))
    (place / "out.log").write_text("1.15\n")
    ok(kb(*typed[3]))
    finished = ok(kb(*typed[4]))
    assert "accept-decimal-comma: fixed (absent) for kb1-4no7bvfax6" in finished.out
    session = session_in(place)
    assert (session.resolution, session.closing) == ("fixed", "decimal commas")
    assert kinds(session) == [["log", "fix"], ["log"]]
    fix = fix_of(session.attempts[0])
    assert (fix.slug, fix.kind, fix.target) == ("accept-decimal-comma", "patch", "prices.py")
    assert fix.blocks[0].body == (
        "diff --git a/prices.py b/prices.py\n--- a/prices.py\n+++ b/prices.py\n@@ -1,5 +1,5 @@\n"
        ' def parse_price(text):\n-    return float(text)\n+    return float(text.replace(",", "."))\n \n \n'
        ' print(parse_price("1,15"))\n'
    )
    assert ok(kb("check")).out == "1 record: no problem\n"
    ok(kb("site", "build"))
    assert "fixed it" in (place / "public" / "fixes" / "accept-decimal-comma" / "index.html").read_text()
    assert kb("triage", "out.log").status == 2
    (place / "out.log").write_text(FAILED)
    assert "accept-decimal-comma" in ok(kb("triage", "out.log")).out
    assert kb("status").status == 1


def test_a_fix_named_after_the_rerun_ends_the_attempt_before_it(kb: Kb, place: Path) -> None:
    ok(kb("start", "x"))
    ok(kb("log", "out.log"))
    mend(place)
    (place / "out.log").write_text("1.15\n")
    ok(kb("log", "out.log"))
    assert "fixed (absent)" in ok(kb("finish", "--fix", "late name")).out
    session = session_in(place)
    assert kinds(session) == [["log", "fix"], ["log"]]
    assert fix_of(session.attempts[0]).prose == "Late name."


def test_a_fix_is_what_changed_since_the_last_one_commits_or_not(kb: Kb, place: Path) -> None:
    (place / "prices.py").write_text("# changed before the session\n" + PROGRAM)
    (place / "new.py").write_text("old\n")
    ok(kb("start", "x"))
    ok(kb("log", "out.log"))
    mend(place)
    ok(kb("fix", "one"))
    (place / "new.py").write_text("new\n")
    (place / "added.py").write_text("a = 1\n")
    (place / "result.csv").write_text("1\n")
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", *who, "commit", "-qam", "meanwhile"], cwd=place, check=True)
    ok(kb("fix", "two"))
    first, second = (step for step in session_in(place).attempts[0].steps if isinstance(step, Fix))
    assert "-# changed before the session\n" in first.blocks[0].body
    assert "new.py" not in first.blocks[0].body
    assert second.blocks[0].body == (
        "diff --git a/added.py b/added.py\nnew file mode 100644\n--- /dev/null\n+++ b/added.py\n@@ -0,0 +1 @@\n+a = 1\n"
        "diff --git a/new.py b/new.py\n--- a/new.py\n+++ b/new.py\n@@ -1 +1 @@\n-old\n+new\n"
    )
    assert second.target is None


def test_outside_git_the_files_of_the_folder_are_compared(
    kb: Kb, place: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = tmp_path_factory.mktemp("plain")
    (plain / "prices.py").write_text(PROGRAM)
    monkeypatch.chdir(plain)
    monkeypatch.setenv("KB_HOME", str(place))
    ok(kb("start", "x"))
    ok(kb("log", "-", stdin=FAILED.encode()))
    mend(plain)
    ok(kb("fix", "a"))
    assert '+    return float(text.replace(",", "."))\n' in fix_of(session_in(place).attempts[0]).blocks[0].body


EDITED_WHILE_IT_RUNS = """\
import pathlib, time
while not list(pathlib.Path(".kb/snapshots").glob("*/running.json")):
    time.sleep(0.01)
text = pathlib.Path("prices.py").read_text()
pathlib.Path("prices.py").write_text(text.replace("float(text)", "float(text.strip())"))
raise SystemExit("prices are wrong")
"""


def test_what_is_edited_while_a_command_runs_is_of_the_fix_after_it(kb: Kb, place: Path) -> None:
    ok(kb("start", "x"))
    (place / "slow.py").write_text(EDITED_WHILE_IT_RUNS)
    command = [sys.executable, "-m", "kb", "run", sys.executable, "slow.py"]
    ran = subprocess.run(command, cwd=place, capture_output=True, timeout=60, env=outside())
    assert ran.returncode == 1, ran
    ok(kb("fix", "strip"))
    session = session_in(place)
    assert kinds(session) == [["console", "fix"]]
    assert "+    return float(text.strip())\n" in fix_of(session.attempts[0]).blocks[0].body


@pytest.mark.parametrize(
    ("given", "kind", "block", "prose", "target"),
    [
        (["--command", "docker run --shm-size 8g"], "command", ("sh", "docker run --shm-size 8g\n"), "", None),
        (["--config", "max_len=8192"], "config", ("text", "max_len=8192\n"), "", None),
        (["--environment", "NCCL_P2P=0"], "environment", ("sh", "NCCL_P2P=0\n"), "", None),
        (["--restart", "systemctl restart x"], "restart", ("sh", "systemctl restart x\n"), "", None),
        (["--upgrade", "torch==2.6"], "upgrade", None, "Upgrade torch to 2.6.", "torch"),
        (["--downgrade", "torch==2.5", "-m", "Words."], "downgrade", None, "Words.", "torch"),
        (["--hardware", "GPU 3"], "hardware", None, "GPU 3", None),
        (["--replace", "SGLang", "--target", "server"], "replace", None, "SGLang", "server"),
        (["--patch", "-"], "patch", ("diff", "+a\n"), "", None),
    ],
)  # fmt: skip
def test_what_was_done_can_be_said(
    kb: Kb, place: Path, given: list[str], kind: str, block: tuple[str, str] | None, prose: str, target: str | None
) -> None:
    ok(kb("start", "x"))
    ok(kb("fix", "name", *given, "--applies", "vllm>=0.15,<0.16", stdin=b"+a\n"))
    fix = fix_of(session_in(place).attempts[0])
    assert (fix.kind, fix.prose, fix.target, fix.applies) == (kind, prose, target, "vllm>=0.15,<0.16")
    assert [(b.language, b.body) for b in fix.blocks] == ([block] if block else [])


@pytest.mark.parametrize(
    ("words", "slug", "prose"),
    [
        (["more-rows", "Give it more rows."], "more-rows", "Give it more rows."),
        (["more-rows", "Not this.", "-m", "This."], "more-rows-not-this", "This."),
        (["more", "rows"], "more-rows", "More rows."),
        (["give it more rows"], "give-it-more-rows", "Give it more rows."),
    ],
)
def test_a_sentence_behind_the_name_of_a_fix_is_no_part_of_its_name(
    kb: Kb, place: Path, words: list[str], slug: str, prose: str
) -> None:
    ok(kb("start", "x"))
    ok(kb("fix", *words, "--config", "rows=9"))
    fix = fix_of(session_in(place).attempts[0])
    assert (fix.slug, fix.prose) == (slug, prose)


def test_a_fix_that_changed_nothing_or_has_no_name_is_refused(kb: Kb, place: Path) -> None:
    ok(kb("start", "x"))
    ok(kb("log", "out.log"))
    for words, said in (
        (["name"], "no file changed since the attempt began"),
        ([], "the fix has no name"),
        (["???", "--command", "x"], "has no letter or digit"),
        (["a", "--command", "x", "--config", "y"], "a fix is of one kind"),
        (["a", "--upgrade", "torch"], "such as --upgrade torch==2.6.0"),
        (["a", "--command", "x", "--applies", "new ones"], "--applies new ones"),
        (["a", "--attempt", "7"], "there is no attempt 7"),
    ):
        ran = kb("fix", *words)
        assert (ran.status, said in ran.err) == (64, True), ran.err
    assert kinds(session_in(place)) == [["log"]]


def test_known_fixes_of_the_failure_are_shown_so_that_names_stay(kb: Kb, place: Path) -> None:
    ok(kb("start", "x"))
    ok(kb("log", "out.log"))
    mend(place)
    ok(kb("fix", "accept-decimal-comma"))
    ok(kb("log", "--name", "out.log", "-", stdin=b"1.15\n"))
    ok(kb("finish", "said"))
    ok(kb("start", "again"))
    ok(kb("log", "out.log"))
    assert "known for this failure: accept-decimal-comma" in kb("fix").err
    assert "accept-decimal-comma  (patch, worked 1 of 1)" in ok(kb("status")).out
    assert "has a known fix accept-decimal-comma" in ok(kb("fix", "accept-decimal-commas", "--config", "x")).err


def test_the_other_steps(kb: Kb, place: Path) -> None:
    ok(kb("start", "x", "--tag", "CI", "--tag", "Multi Process"))
    ok(kb("note", "only", "rank", "3"))
    ok(kb("note", stdin=b"## from\na pipe\n"))
    ok(kb("diagnose", "the cache", "--confidence", "low", "--rules-out", "a full disk"))
    ok(kb("fail", "Loader hangs!", "--observed", "15 %", "--expected", "> 50 %"))
    ok(kb("attempt", "elsewhere", "--reruns", "1"))
    ok(kb("fail", "loader", "hangs"))
    session = session_in(place)
    assert session.tags == ("ci", "multi-process")
    assert kinds(session) == [["note", "note", "diagnosis", "failure"], ["failure"]]
    assert (session.attempts[1].title, session.attempts[1].reruns) == ("elsewhere", 1)
    diagnosis = session.attempts[0].steps[2]
    assert isinstance(diagnosis, Diagnosis)
    assert (diagnosis.confidence, diagnosis.rules_out) == ("low", "a full disk")
    for words in (["note"], ["diagnose"], ["fail", "?"], ["attempt", "--reruns", "9"]):
        assert kb(*words).status == 64


def test_without_a_session_every_step_says_what_to_do(kb: Kb, place: Path) -> None:
    for words in (["note", "x"], ["log", "out.log"], ["fix", "x"], ["finish"], ["drop"], ["edit"]):
        ran = kb(*words)
        assert ran.status == 64
        assert "kb start" in ran.err
    assert kb("status").status == 1
    assert (kb("status", "--short").status, kb("status", "--short").out) == (1, "")


def test_a_log_is_kept_as_triage_shows_it(kb: Kb, place: Path, sample: Path) -> None:
    ok(kb("start", "x"))
    told = ok(kb("log", sample / "server.log"))
    assert "server.log:97: AttributeError: 'Qwen2VLConfig'" in told.out
    (log,) = session_in(place).attempts[0].steps
    assert isinstance(log, Log)
    assert "AttributeError: 'Qwen2VLConfig' object has no attribute 'image_token_index'" in log.body
    assert "lines left out ...]" in log.body
    assert len(log.body) < 30_000
    answers = []
    for text in (log.body, (sample / "server.log").read_text()):
        (place / "x.log").write_text(text)
        found = json.loads(kb("triage", "--json", "x.log").out)
        answers.append(found["failures"][found["primary"]]["signature"]["id"])
    assert answers[0] == answers[1]


def test_a_log_that_cannot_be_read_leaves_nothing_half_done(kb: Kb, place: Path) -> None:
    ok(kb("start", "x"))
    assert kb("log", "out.log", "missing.log").status == 66
    assert session_in(place).attempts == ()


def test_a_whole_log_lies_compressed_beside_the_record(kb: Kb, place: Path) -> None:
    from hashlib import sha256

    from kb.capture.whole import read_whole

    ok(kb("start", "x"))
    secret = "ghp_" + "a1B2" * 9
    (place / "out.log").write_bytes(f"token {secret}\n".encode() + b"\xff\x00raw\n" * 2000 + FAILED.encode())
    ok(kb("log", "--whole", "out.log"))
    (place / "out.log").write_text("another\n")
    ok(kb("log", "--whole", "out.log"))
    ok(kb("log", "--whole", "out.log"))
    first, second, third = (a.steps[0] for a in session_in(place).attempts)
    folder = place / "sessions" / record_of(place).stem
    files = sorted(folder.iterdir())
    assert [file.name for file in files] == [f"out-{second.sha256[:8]}.log.zst", "out.log.zst"]
    whole = read_whole(folder / "out.log.zst")
    assert sha256(whole).hexdigest() == first.sha256
    assert secret.encode() not in whole
    assert whole.endswith(b"\xff\x00raw\n" * 2000 + FAILED.encode())
    assert second.sha256 == third.sha256 == sha256(b"another\n").hexdigest()


def test_secrets_never_reach_the_disk(kb: Kb, place: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    redacting.redactor.cache_clear()
    ok(kb("start", f"token {secret}", "seen by me@corp.example"))
    ok(kb("note", f"it was {secret}"))
    ok(kb("fail", "slow", "--observed", secret))
    (place / "out.log").write_text(f"using {secret}\n{FAILED}")
    ok(kb("log", "out.log"))
    (place / "prices.py").write_text(f'TOKEN = "{secret}"\n')
    ok(kb("fix", "a", "-m", f"With {secret}."))
    ok(kb("attempt", f"again with {secret}"))
    ok(kb("finish", "--resolution", "abandoned", f"because of {secret}", "--title", f"About {secret}"))
    for path in place.rglob("*"):
        if path.is_file() and ".git" not in path.parts and path.name not in ("prices.py", "out.log"):
            assert secret.encode() not in path.read_bytes(), path
    assert "<secret:" in record_of(place).read_text()
    assert [*(place / ".kb").glob("numbers/*"), *(place / ".kb").glob("snapshots/*")] == []


def test_finish_never_asks_where_nobody_answers(kb: Kb, place: Path) -> None:
    ok(kb("start", "x"))
    refused = kb("finish")
    assert refused.status == 64
    assert "--resolution fixed|worked-around|mitigated|abandoned" in refused.err
    assert kb("drop").status == 64
    closed = ok(kb("finish", "--resolution", "fixed"))
    assert "still open: the name of the fix" in closed.err
    assert kb("finish", "--session", record_of(place).stem).status == 0


def test_a_session_that_cannot_be_remembered_is_not_begun(kb: Kb, place: Path) -> None:
    (place / ".kb").mkdir()
    (place / ".kb" / "current").write_text("in the way")
    refused = kb("start", "mail me@corp.example")
    assert refused.status == 74
    assert str(place / ".kb" / "current") in refused.err
    left = [path.name for folder in (place / "sessions", place / ".kb") for path in folder.rglob("*") if path.is_file()]
    assert left == ["current"]


def test_what_cannot_be_promoted_whole_is_not_promoted(kb: Kb, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kb.capture import writing

    for command in ("false", "true"):
        subprocess.run([sys.executable, "-m", "kb", "run", "-q", command], cwd=place, env=outside(), check=False)
    appended = []

    def full(*_: object) -> writing.Appended:
        appended.append(1)
        if len(appended) == 2:
            raise OSError(28, "No space left on device", "record")
        return real(*_)  # type: ignore[arg-type]

    real = writing.append
    monkeypatch.setattr(writing, "append", full)
    assert kb("promote").status == 74
    assert not list((place / "sessions").glob("*.md"))
    assert kb("status").status == 1
    monkeypatch.setattr(writing, "append", real)
    assert "2 commands in its record" in ok(kb("promote")).out


def test_a_record_that_is_whole_stays_when_its_runs_cannot_be_marked(
    kb: Kb, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kb.capture.run.ring import Ring

    subprocess.run([sys.executable, "-m", "kb", "run", "-q", "false"], cwd=place, env=outside(), check=False)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "filed")

    monkeypatch.setattr(Ring, "mark_filed", full)
    assert kb("promote").status == 74
    assert session_in(place).attempts


def test_finish_takes_only_a_rerun_for_a_fix(kb: Kb, place: Path) -> None:
    def run(*command: str) -> None:
        subprocess.run([sys.executable, "-m", "kb", "run", "-q", *command], cwd=place, env=outside(), check=False)

    ok(kb("start", "x"))
    run("false")
    run("true")
    refused = kb("finish")
    assert refused.status == 64
    assert "the session does not show how it ended: missing is a run of `false` after the fix" in refused.err
    assert session_in(place).resolution == "open"
    assert kb("status").status == 0, "it stays open"
    ok(kb("finish", "--resolution", "abandoned"))
    record_of(place).unlink()
    ok(kb("start", "y"))
    run("sh", "-c", "test -e mended")
    (place / "mended").touch()
    ok(kb("fix", "touch-it"))
    run("true")
    refused = kb("finish")
    assert refused.status == 64
    assert "touch-it is unverified: attempt 2" in refused.err
    run("sh", "-c", "test -e mended")
    assert "is closed: fixed" in ok(kb("finish")).out


def test_a_dropped_session_comes_back_whole(kb: Kb, place: Path) -> None:
    ok(kb("start", "some thing"))
    ok(kb("log", "--whole", "out.log"))
    before = record_of(place).read_bytes()
    ok(kb("drop", "--yes"))
    assert list((place / "sessions").iterdir()) == []
    assert kb("status").status == 1
    assert "is back here" in ok(kb("resume", "some")).out
    assert record_of(place).read_bytes() == before
    assert (place / "sessions" / record_of(place).stem / "out.log.zst").is_file()
    ok(kb("finish", "--resolution", "mitigated"))
    assert "is open again" in ok(kb("resume", "thing")).out
    assert session_in(place).resolution == "open"
    assert session_in(place).ended is None
    assert kb("resume", "nonsense").status == 64
    ok(kb("start", "some other"))
    several = kb("resume", "some")
    assert several.status == 64
    assert "some-thing" in several.err
    assert "some-other" in several.err


def test_hand_edits_and_steps_meanwhile_both_stay(kb: Kb, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ok(kb("start", "x"))
    ok(kb("note", "before"))
    editor = place / "editor.py"
    editor.write_text(
        f"import subprocess, sys\n"
        f"subprocess.run([{sys.executable!r}, '-m', 'kb', 'note', 'meanwhile'], check=True)\n"
        f"p = sys.argv[1]; t = open(p).read(); open(p, 'w').write(t.replace('before', 'before, *edited*'))\n"
    )
    monkeypatch.setenv("EDITOR", f"{sys.executable} {editor}")
    monkeypatch.delenv("VISUAL", raising=False)
    ok(kb("edit"))
    assert [step.prose for step in session_in(place).attempts[0].steps] == ["before, *edited*", "meanwhile"]
    editor.write_text("import sys; open(sys.argv[1], 'a').write('\\n```log\\n')")
    broken = kb("edit")
    assert broken.status == 65
    assert "never closed" in broken.err
    ok(kb("note", "later"))
    assert "1 to go into the record" in ok(kb("status")).out
    editor.write_text("import sys; p = sys.argv[1]; open(p, 'r+').truncate(open(p).read().rindex('```log'))")
    ok(kb("edit"))
    assert [step.prose for step in session_in(place).attempts[0].steps][-1] == "later"


def test_an_edit_that_was_cut_short_goes_on(kb: Kb, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ok(kb("start", "x"))
    editor = place / "editor.py"
    monkeypatch.setenv("VISUAL", f"{sys.executable} {editor}")
    editor.write_text("import sys; open(sys.argv[1], 'a').write('\\nhalf\\n'); sys.exit(3)")
    failed = kb("edit")
    assert failed.status == 66
    assert "status 3" in failed.err
    editor.write_text("import sys; open(sys.argv[1], 'a').write('whole\\n')")
    assert "going on" in ok(kb("edit")).err
    assert session_in(place).introduction == "half\nwhole"
    editor.write_text("import sys; open(sys.argv[1], 'a').write('lost?\\n'); sys.exit(3)")
    assert kb("edit").status == 66
    ok(kb("note", "added since"))
    editor.write_text("")
    aside = ok(kb("edit")).err
    assert "the record changed since" in aside
    assert Path(aside.split()[-1]).read_text().endswith("lost?\n")
    monkeypatch.delenv("VISUAL")
    monkeypatch.delenv("EDITOR", raising=False)
    assert kb("edit").status == 64


class Terminal:
    """A shell in a terminal of its own."""

    def __init__(self, folder: Path) -> None:
        self._pid, self._end = pty.fork()
        if self._pid == 0:
            os.chdir(folder)
            os.execvpe("bash", ["bash", "--norc", "-i"], {**outside(), "PS1": ""})
        self._count = 0

    def kb(self, words: str) -> str:
        """What `kb` prints in it."""
        self._count += 1
        mark = f"--done-{self._count}--"
        # The mark is typed in two parts, so that the echo of what is typed is not taken for it.
        os.write(self._end, f"{sys.executable} -m kb {words}; echo --done-''{self._count}--\n".encode())
        printed = ""
        while mark not in printed:
            assert select.select([self._end], [], [], 60)[0], f"nothing more is printed after: {printed}"
            printed += os.read(self._end, 4096).decode()
        return printed

    def close(self) -> None:
        """End it as a crash does."""
        os.kill(self._pid, signal.SIGKILL)
        os.close(self._end)
        os.waitpid(self._pid, 0)


def test_two_sessions_in_two_terminals_do_not_mix(place: Path) -> None:
    left, right = Terminal(place), Terminal(place)
    left.kb("start left")
    right.kb("start right")
    left.kb("note only this in the left one")
    right.kb("note only that in the right one")
    left.close()
    right.close()
    third = Terminal(place)
    assert "several sessions are open here" in third.kb("note nowhere")
    third.close()
    found = {path.stem[11:]: path.read_text() for path in (place / "sessions").glob("*.md")}
    assert "only this" in found["left"]
    assert "only that" in found["right"]
    assert "only this" not in found["right"]
    assert "nowhere" not in found["left"] + found["right"]


def test_a_command_runs_even_if_it_is_open_which_session_it_belongs_to(kb: Kb, place: Path) -> None:
    ok(kb("start", "one"))
    assert "set KB_SESSION=" in ok(kb("start", "two")).err
    command = ["setsid", "-w", sys.executable, "-m", "kb", "run", "echo", "printed"]
    ran = subprocess.run(command, cwd=place, capture_output=True, text=True, env=outside(), stdin=subprocess.DEVNULL)
    assert (ran.returncode, ran.stdout) == (0, "printed\n")
    assert "this run goes into none of them" in ran.stderr
    assert all("printed" not in path.read_text() for path in (place / "sessions").glob("*.md"))


def in_terminal(folder: Path, command: list[str], answers: str) -> str:
    """What a command prints in a terminal of its own, where `answers` are typed."""
    outer, inner = pty.openpty()
    process = subprocess.Popen(
        command, cwd=folder, env=outside(), stdin=inner, stdout=inner, stderr=inner, start_new_session=True
    )
    os.close(inner)
    os.write(outer, answers.encode())
    printed = b""
    while True:
        try:
            piece = os.read(outer, 4096)
        except OSError:
            break
        if not piece:
            break
        printed += piece
    os.close(outer)
    assert process.wait(60) == 0, printed
    return printed.decode()


def test_finish_asks_only_for_what_is_missing(kb: Kb, place: Path) -> None:
    ok(kb("start", "x"))
    ok(kb("log", "out.log"))
    mend(place)
    ok(kb("log", "--name", "out.log", "-", stdin=b"1.15\n"))
    printed = in_terminal(place, [sys.executable, "-m", "kb", "finish"], "\ntake-commas\nIt was the comma.\n")
    assert printed.index("How did it end") < printed.index("Name of the fix") < printed.index("What was it")
    session = session_in(place)
    assert (session.resolution, session.closing) == ("fixed", "It was the comma.")
    assert fix_of(session.attempts[0]).slug == "take-commas"
    ok(kb("start", "y"))
    ok(kb("drop", "--yes"))


def test_finish_asks_nothing_where_the_last_run_shows_it(kb: Kb, place: Path) -> None:
    run = [sys.executable, "-m", "kb", "run", sys.executable, "prices.py"]
    ok(kb("start", "x"))
    subprocess.run(run, cwd=place, env=outside(), capture_output=True, check=False)
    mend(place)
    ok(kb("fix", "take-commas"))
    subprocess.run(run, cwd=place, env=outside(), capture_output=True, check=True)
    printed = in_terminal(place, [sys.executable, "-m", "kb", "finish", "a", "comma"], "")
    assert "How did it end" not in printed
    assert session_in(place).resolution == "fixed"


def test_status_as_json(kb: Kb, place: Path) -> None:
    ok(kb("start", "some words"))
    ok(kb("log", "out.log"))
    found = ok(kb("status", "--json")).json
    assert (found["title"], found["attempts"], found["waiting"]) == ("some words", ["read out.log"], 0)
    assert "resolution" in found["missing"]
    assert ok(kb("status", "--short")).out == "[kb some-words #1] \n"
    assert ok(kb("status")).out.count("missing") == 2


def test_what_lies_around_is_stated(kb: Kb, place: Path) -> None:
    ok(kb("start", "x"))
    session = session_in(place)
    assert session.components["python"].count(".") == 2
    assert " on " in session.environment["git"]
    facts = ok(kb("env", "--json")).json
    assert facts["environment"]["kernel"] == session.environment["kernel"]
    assert "kernel" in ok(kb("env")).out


def test_the_record_of_an_open_session_is_no_news_to_who_records_it(place: Path, kb: Kb) -> None:
    kb("index")
    kb("start", "prices with commas")
    assert "changed since the index was built" not in kb("triage", "out.log").err
    kb("log", "out.log")
    assert "changed since the index was built" not in kb("triage", "out.log").err
    (place / "sessions" / "another.md").write_text("---\nkb: 1\nid: another\n---\n")
    assert "changed since the index was built" in kb("triage", "out.log").err
