"""The command as a whole: its table, its help, its exit statuses."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from kb import __version__
from kb.cli import main
from kb.errors import StoreError

from .conftest import Kb


def commands() -> list[tuple[str, click.Command]]:
    """Every command and subcommand, with its path."""
    found: list[tuple[str, click.Command]] = []
    for name, (module, _) in main.COMMANDS.items():
        command = importlib.import_module(module).command
        found.append((name, command))
        if isinstance(command, click.Group):
            found += [(f"{name} {sub}", inner) for sub, inner in command.commands.items()]
    return found


@pytest.mark.parametrize("name", main.COMMANDS)
def test_the_line_in_the_table_is_the_first_line_of_the_command(name: str) -> None:
    module, line = main.COMMANDS[name]
    command = importlib.import_module(module).command
    assert command.short_help == line
    assert (command.help or "").split("\n\n")[0].replace("\n", " ") == line


@pytest.mark.parametrize(("name", "command"), commands())
def test_every_command_has_help_with_an_example(name: str, command: click.Command) -> None:
    assert f"  kb {name.split()[0]}" in (command.help or ""), "no example"
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.name} has no help"


@pytest.mark.parametrize(("name", "command"), commands())
def test_help_fits_eighty_columns(kb: Kb, name: str, command: click.Command) -> None:
    ran = kb(*name.split(), "--help")
    assert ran.status == 0
    assert [line for line in ran.out.splitlines() if len(line) > 80] == []


def test_every_command_module_is_in_the_table() -> None:
    folder = Path(main.__file__).parent
    with_command = {
        path.stem for path in folder.glob("*.py") if re.search(r"^def command\(", path.read_text(), re.MULTILINE)
    }
    assert with_command == {module.rpartition(".")[2] for module, _ in main.COMMANDS.values()}


def test_the_version_is_printed(kb: Kb) -> None:
    assert kb("--version").out == f"kb, version {__version__}\n"


def test_a_call_without_a_command_prints_the_help(kb: Kb) -> None:
    ran = kb()
    assert "Commands:" in ran.out + ran.err


@pytest.mark.parametrize("arguments", [("nonsense",), ("triage", "--nonsense"), ("schema", "nonsense"), ("show",)])
def test_wrong_usage_exits_with_64(kb: Kb, arguments: tuple[str, ...]) -> None:
    ran = kb(*arguments)
    assert ran.status == 64
    assert "Usage: kb" in ran.err


def test_a_command_outside_a_knowledge_base_says_what_to_do(
    kb: Kb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = kb("index")
    assert ran.status == 64
    assert ran.err.startswith("kb: no kb.toml in")
    assert "kb init" in ran.err


def test_an_error_of_a_stage_becomes_one_line_and_its_own_exit_status(kb: Kb, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: object) -> None:
        raise StoreError("disk full")

    monkeypatch.setattr(main.cli, "main", fail)
    assert kb("index") == (74, "", "kb: disk full\n")


def test_a_fault_in_kb_is_reported_with_its_traceback(kb: Kb, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(main.cli, "main", fail)
    ran = kb("index")
    assert ran.status == 70
    assert "ZeroDivisionError" in ran.err
    assert "fault in kb" in ran.err


def test_an_error_message_shows_control_characters_as_escapes(kb: Kb, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: object) -> None:
        raise StoreError("cannot read \x1b]0;owned\x07")

    monkeypatch.setattr(main.cli, "main", fail)
    assert kb("index").err == "kb: cannot read \\x1b]0;owned\\x07\n"


def test_the_knowledge_base_is_named_found_above_or_taken_from_the_environment(
    kb: Kb, base: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "1 session in the index"
    (base / "deep" / "er").mkdir(parents=True)
    monkeypatch.chdir(base / "deep" / "er")
    assert kb("index").out.startswith(said)
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert kb("--kb", base, "index").out.startswith(said)
    monkeypatch.setenv("KB_HOME", str(base))
    assert kb("index").out.startswith(said)


def test_a_folder_that_is_named_must_be_a_knowledge_base_even_for_triage(kb: Kb, tmp_path: Path) -> None:
    assert kb("--kb", tmp_path, "triage").status == 64


def test_a_kb_toml_that_cannot_be_read_is_named(kb: Kb, base: Path) -> None:
    (base / "kb.toml").write_text("name = \n")
    ran = kb("check")
    assert ran.status == 66
    assert "kb.toml is not valid TOML" in ran.err


def test_a_mistyped_command_is_answered_with_what_it_looks_like(kb: Kb) -> None:
    ran = kb("traige")
    assert ran.status == 64
    assert "Did you mean `kb triage`" in ran.err
    assert "Did you mean" not in kb("xyzzy").err


def test_the_prompt_is_what_status_short_prints_and_loads_little(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KB_SESSION", raising=False)
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    code = (
        "import atexit, os, sys; sys.argv = ['kb', 'status', '--short']\n"
        "leave = os._exit\n"
        "os._exit = lambda status: (print(*sorted(sys.modules), file=sys.stderr, flush=True), leave(status))\n"
        "from kb.cli.start import entry\n"
        "entry()\n"
    )

    def prompt() -> subprocess.CompletedProcess[str]:
        run = [sys.executable, "-c", code]
        return subprocess.run(run, cwd=base, env=env, capture_output=True, text=True, check=False)

    none = prompt()
    assert (none.returncode, none.stdout) == (1, "")
    subprocess.run([sys.executable, "-m", "kb", "start", "it", "stops"], cwd=base, env=env, check=True)
    shown = prompt()
    assert (shown.returncode, shown.stdout) == (0, "[kb it-stops] \n")
    assert not {"click", "dataclasses", "inspect", "yaml", "pydantic"} & set(shown.stderr.split())
    plain = subprocess.run(
        [sys.executable, "-m", "kb", "--kb", ".", "status", "--short"],
        cwd=base,
        env=env,
        capture_output=True,
        text=True,
    )
    assert plain.stdout == shown.stdout


def test_where_the_working_directory_is_gone_every_command_says_so(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "XDG_STATE_HOME": str(tmp_path)}
    for words, status, said in (
        ("status --short", 1, ""),
        ("start x", 64, "kb: the working directory is gone"),
        ("env", 66, "kb: the working directory is gone"),
        ("check", 64, "kb: the working directory is gone"),
        ("run -q true", 0, ""),
        ("run -q false", 1, ""),
    ):
        gone.mkdir()
        line = f'cd "{gone}" && rmdir "{gone}" && exec "{sys.executable}" -m kb {words}'
        ran = subprocess.run(["sh", "-c", line], env=env, capture_output=True, text=True, check=False)
        assert (ran.returncode, ran.stderr.startswith(said)) == (status, True), (words, ran.stderr)
        assert "Traceback" not in ran.stderr


def test_closed_standard_streams_are_no_fault(base: Path, tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "XDG_STATE_HOME": str(tmp_path)}
    for words, status in (
        ("finish <&-", 64),
        ("triage <&-", 2),
        ("check >&-", 0),
        ("status 2>&-", 1),
        ("run -q false 2>&-", 1),
        ("run -q sh -c 'exit 7' <&- >&- 2>&-", 7),
        ("hook record claude <&-", 0),
    ):
        ran = subprocess.run(
            ["sh", "-c", f'"{sys.executable}" -m kb {words}'],
            cwd=base,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == status, (words, ran.stderr)
        assert "Traceback" not in ran.stderr, words
