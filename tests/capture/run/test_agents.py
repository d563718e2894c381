"""Agents' hooks: events in their documented form become steps, and settings get kb's hooks and lose them again."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from projects import consoles, kb, session
from terminals import runs

from kb.capture.agents.settings import AGENTS, install, part, remove
from kb.errors import InputError

WITH_FILE = [agent for agent in AGENTS.values() if agent.file]
OUTPUT = "collected 1 item\nFAILED test_a.py - KeyError: 7"
SECRET = "glpat-" + "x7Qz" * 5

#: Events as the agents send them (each was seen from Claude Code 2.1, Codex CLI 0.171, Gemini CLI 0.61 and GitHub Copilot
#: CLI at work; that of Cursor is as its documentation has it): what is sent for a failing and a passing run of one command,
#: and the exit status of both, where the agent tells it.
EVENTS: dict[str, tuple[dict[str, Any], dict[str, Any], tuple[int | None, int | None]]] = {
    "claude": (
        {"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": {"command": "pytest -x"},
         "error": f"Exit code 1\n{OUTPUT}", "is_interrupt": False, "duration_ms": 4187},
        {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "pytest -x"},
         "tool_response": {"stdout": "1 passed\n", "stderr": "", "interrupted": False, "isImage": False}},
        (1, 0),
    ),
    "codex": (
        {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "pytest -x"},
         "tool_response": f"Exit code: 1\nWall time: 0.4 seconds\nOutput:\n{OUTPUT}", "turn_id": "t", "model": "m"},
        {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "pytest -x"},
         "tool_response": {"output": "1 passed\n", "metadata": {"exit_code": 0, "duration_seconds": 0.4}}},
        (1, 0),
    ),
    "gemini": (
        {"hook_event_name": "AfterTool", "tool_name": "run_shell_command", "tool_input": {"command": "pytest -x"},
         "tool_response": {"llmContent": f"<untrusted_context>\nOutput: {OUTPUT}\nExit Code: 1\nProcess Group PGID: 7\n"
                           "</untrusted_context>", "returnDisplay": ""}},
        {"hook_event_name": "AfterTool", "tool_name": "run_shell_command", "tool_input": {"command": "pytest -x"},
         "tool_response": {"llmContent": [{"text": "Output: 1 passed\nProcess Group PGID: 78"}], "returnDisplay": ""}},
        (1, 0),
    ),
    "cursor": (
        {"hook_event_name": "afterShellExecution", "command": "pytest -x", "output": OUTPUT, "duration": 4187},
        {"hook_event_name": "afterShellExecution", "command": "pytest -x", "output": "1 passed\n", "duration": 12.5},
        (None, None),
    ),
    "copilot": (
        {"toolName": "bash", "toolArgs": '{"command": "pytest -x"}', "timestamp": 1704614700000,
         "toolResult": {"resultType": "success", "textResultForLlm": f"{OUTPUT}\n<exited with exit code 1>"}},
        {"toolName": "bash", "toolArgs": {"command": "pytest -x"}, "timestamp": 1704614700000,
         "toolResult": {"resultType": "success", "textResultForLlm": "1 passed\n<shellId: 2 completed with exit code 0>"}},
        (1, 0),
    ),
    "any": (
        {"command": "pytest -x", "output": OUTPUT, "exit": 1, "seconds": 4.187},
        {"command": "pytest -x", "output": "1 passed\n", "exit": 0},
        (1, 0),
    ),
}  # fmt: skip


def send(name: str, event: object, folder: Path) -> None:
    done = kb(folder, "hook", "record", name, given=json.dumps(event))
    assert done.returncode == 0
    assert done.stdout == "", "some agents take what is printed for an answer"


@pytest.mark.parametrize("name", EVENTS)
def test_what_each_agent_runs_becomes_the_steps_of_the_session(name: str, home: Path) -> None:
    failed, passed, status = EVENTS[name]
    kb(home, "start", "an agent tries")
    send(name, {**failed, "cwd": str(home)}, home.parent)
    send(name, {**passed, "cwd": str(home)}, home.parent)
    assert [(one.exit, one.body) for one in consoles(home)] == [
        (status[0], f"$ pytest -x\n{OUTPUT}\n"),
        (status[1], "$ pytest -x\n1 passed\n"),
    ]
    told = status[0] is not None
    assert len(session(home).attempts) == 1 + told, "it was run again after it failed, where that is known"
    assert [run["origin"] for run in runs(home)] == [name, name]


def test_secrets_do_not_reach_the_disk_and_other_tools_are_passed_over(home: Path) -> None:
    sent = {"tool_name": "Bash", "tool_input": {"command": f"curl -H 'PRIVATE-TOKEN: {SECRET}' x"}, "cwd": str(home)}
    send("claude", {**sent, "tool_response": {"stdout": SECRET, "stderr": ""}}, home)
    send("claude", {"tool_name": "Edit", "tool_input": {"file_path": "a"}, "cwd": str(home)}, home)
    send("copilot", {"toolName": "view", "toolArgs": "{}", "cwd": str(home)}, home)
    (run,) = runs(home)
    assert "<secret:" in run["command"]
    kept = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert SECRET.encode() not in kept


@pytest.mark.parametrize(
    ("response", "status"),
    [
        ({"stdout": "", "stderr": "", "returnCodeInterpretation": "No matches found"}, None),
        ({"stdout": "", "stderr": "", "backgroundTaskId": "b1"}, None),
        ({"stdout": "half", "stderr": "", "interrupted": True}, None),
        ({"stdout": "all", "stderr": "warned", "interrupted": False}, 0),
    ],
)
def test_an_exit_status_is_never_guessed(response: dict[str, object], status: int | None) -> None:
    did = AGENTS["claude"].read({"tool_name": "Bash", "tool_input": {"command": "x"}, "tool_response": response})
    assert did is not None
    assert did.exit == status
    for text, expected in (
        ("Command was cancelled by user before it could complete. There was no output before it was cancelled.", None),
        ("Command moved to background (PID: 7). Output hidden.", None),
        ("Output: (empty)", None),
        ("Output: (empty)\nProcess Group PGID: 7", 0),
        ("<untrusted_context>\nOutput: x\nExit Code: 2\nProcess Group PGID: 7\n</untrusted_context>", 2),
        ("Output: x\nSignal: 9", None),
        ("Command: x\nDirectory: (root)\nOutput: a\nError: (none)\nExit Code: 3\nSignal: (none)", 3),
    ):
        event = {
            "tool_name": "run_shell_command",
            "tool_input": {"command": "x"},
            "tool_response": {"llmContent": text},
        }
        found = AGENTS["gemini"].read(event)
        assert found is not None
        assert found.exit == expected, text


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(EVENTS)), st.data())
def test_an_event_of_any_shape_is_read_or_refused(name: str, data: st.DataObject) -> None:
    event = dict(EVENTS[name][0])
    for key in data.draw(st.lists(st.sampled_from(sorted(event)), max_size=2)):
        event[key] = data.draw(values)
    # These are what `kb hook record` takes for "no command".
    with suppress(ValueError, TypeError, AttributeError, KeyError, IndexError):
        AGENTS[name].read(event)


@pytest.mark.parametrize("agent", WITH_FILE, ids=lambda agent: agent.name)
def test_hooks_are_put_beside_what_stands_there_and_taken_out_again(agent: Any, tmp_path: Path) -> None:
    path = tmp_path / agent.file
    assert install(agent, tmp_path)
    assert json.loads(path.read_text()) == part(agent)
    assert not install(agent, tmp_path), "they stand there already"
    assert remove(agent, tmp_path)
    assert not path.exists()
    assert not remove(agent, tmp_path)
    own = {
        "model": "ü",
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "beep"}]}], agent.events[0]: [{"x": 1}]},
    }
    path.write_text(json.dumps(own))
    assert install(agent, tmp_path)
    changed = json.loads(path.read_text())
    assert changed["hooks"][agent.events[0]] == [{"x": 1}, agent.entry]
    assert (changed["model"], changed["hooks"]["Stop"]) == ("ü", own["hooks"]["Stop"])
    assert remove(agent, tmp_path)
    assert json.loads(path.read_text()) == {**agent.more, **own}


def test_settings_that_are_a_link_stay_one(tmp_path: Path) -> None:
    (tmp_path / "dotfiles.json").write_text("{}")
    (tmp_path / ".claude").mkdir()
    link = tmp_path / ".claude" / "settings.local.json"
    link.symlink_to(tmp_path / "dotfiles.json")
    install(AGENTS["claude"], tmp_path)
    assert link.is_symlink()
    assert "PostToolUse" in (tmp_path / "dotfiles.json").read_text()


@pytest.mark.parametrize("text", ["// a comment\n{}", "[]", '{"hooks": 1}', '{"hooks": {"AfterTool": {}}}'])
def test_settings_that_cannot_be_read_are_left_alone(text: str, tmp_path: Path) -> None:
    path = tmp_path / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_text(text)
    for change in (install, remove):
        with pytest.raises(InputError, match=r"settings\.json"):
            change(AGENTS["gemini"], tmp_path)
    assert path.read_text() == text


def test_the_commands_say_what_they_did(home: Path) -> None:
    assert "is recorded from its next start on" in kb(home, "hook", "cursor", "--install").stdout
    assert kb(home, "hook", "cursor", "--remove").stdout == ".cursor/hooks.json: taken out\n"
    assert kb(home, "hook", "cursor", "--install", "--remove").returncode == 64
    assert json.loads(kb(home, "hook", "cursor").stdout) == part(AGENTS["cursor"])
    example = kb(home, "hook", "any").stdout
    assert kb(home, "hook", "record", "any", given=example).returncode == 0
    assert [run["command"] for run in runs(home)] == ["make test"]


def test_how_a_command_of_codex_ended_stands_in_its_rollout(tmp_path: Path) -> None:
    sample = Path(__file__).parents[1] / "importers" / "samples" / "codex-run.jsonl"
    event = {"tool_name": "Bash", "tool_input": {"command": "python3 prices.py"}, "tool_response": "total 3.55\n"}
    for call, status in (("call_00", 1), ("call_20", 0), ("call_99", None)):
        did = AGENTS["codex"].read({**event, "tool_use_id": call, "transcript_path": str(sample)})
        assert did is not None
        assert did.exit == status
    cut = tmp_path / "rollout.jsonl"
    for text in ("", "null\n", '{"payload": {"call_id": "c", "exit_code": "x"}}\n', "\0" * 100, '{"exit_code": "c"'):
        cut.write_text(text)
        did = AGENTS["codex"].read({**event, "tool_use_id": "c", "transcript_path": str(cut)})
        assert did is not None
        assert did.exit is None
    cut.write_text('{"payload": {"call_id": "c", "exit_code": 3, "duration": {"secs": 1, "nanos": 500000000}}}\n')
    did = AGENTS["codex"].read({**event, "tool_use_id": "c", "transcript_path": str(cut)})
    assert did is not None
    assert (did.exit, did.seconds) == (3, 1.5)
    cut.write_text('{"payload": {"item": {"id": "c", "exit_code": 4}}}\n')
    did = AGENTS["codex"].read({**event, "tool_use_id": "c", "transcript_path": str(cut)})
    assert did is not None
    assert (did.exit, did.seconds) == (4, None), "how it ended counts without how long it took"
    did = AGENTS["codex"].read({**event, "tool_use_id": "\ud800", "transcript_path": str(cut)})
    assert did is not None


def test_only_the_hook_of_kb_is_taken_out_of_an_entry_that_has_others(tmp_path: Path) -> None:
    install(AGENTS["claude"], tmp_path)
    path = tmp_path / AGENTS["claude"].file
    settings_ = json.loads(path.read_text())
    own = {"type": "command", "command": "beep"}
    settings_["hooks"]["PostToolUse"][0]["hooks"].append(own)
    path.write_text(json.dumps(settings_))
    assert remove(AGENTS["claude"], tmp_path)
    assert json.loads(path.read_text()) == {"hooks": {"PostToolUse": [{"matcher": "Bash", "hooks": [own]}]}}


def test_settings_that_nobody_else_may_read_stay_so(tmp_path: Path) -> None:
    path = tmp_path / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_text('{"apiKey": "x"}')
    path.chmod(0o600)
    install(AGENTS["gemini"], tmp_path)
    assert path.stat().st_mode & 0o777 == 0o600


def test_an_output_of_much_space_is_read_at_once() -> None:
    text = " " * 1_000_000 + "\n<exited with exit code 3>"
    for output, status in ((text, 3), (text + "x", None)):
        did = AGENTS["copilot"].read(
            {
                "toolName": "bash",
                "toolArgs": {"command": "x"},
                "toolResult": {"textResultForLlm": output},
            }
        )
        assert did is not None
        assert did.exit == status
