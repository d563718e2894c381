"""The `kb` command: a lazy group, and the one place where errors are caught and printed.

Command modules are imported when they are called, so that `kb --help` and `kb triage` start fast: their help lines
stand in a literal table here.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from kb import __version__
from kb.cli.terminal import note
from kb.errors import KbError

#: name -> (module, help line). One module per command; `tests/cli` checks that each line is the command's own.
COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("kb.cli.init", "Make a knowledge base in a folder."),
    "start": ("kb.cli.start_session", "Open a session: what is done from now on is recorded in it."),
    "status": ("kb.cli.status", "Show the session one is in."),
    "log": ("kb.cli.log", "Put the lines of a log that show its failures into the session."),
    "diagnose": ("kb.cli.diagnose", "Say what the cause is, as far as it is known."),
    "fix": ("kb.cli.fix", "Name the fix that was just made; its patch is taken from the working tree."),
    "fail": ("kb.cli.fail", "Declare a failure that leaves no error line: slow, wrong, hanging."),
    "note": ("kb.cli.note", "Add a note to the session."),
    "attempt": ("kb.cli.attempt", "Begin the next attempt."),
    "edit": ("kb.cli.edit", "Edit the record of the session in $EDITOR."),
    "env": ("kb.cli.env", "Show what a record says of where something runs."),
    "finish": ("kb.cli.finish", "Close the session; asks only for what is missing."),
    "resume": ("kb.cli.resume", "Go on with a session in this folder and this terminal."),
    "drop": ("kb.cli.drop", "Drop the session; it can be brought back."),
    "check": ("kb.cli.check", "Check session records; name every problem with file and line."),
    "redact": ("kb.cli.redact", "Take secrets and personal values out of records."),
    "fmt": ("kb.cli.fmt", "Write session records in their canonical form."),
    "index": ("kb.cli.index", "Build or update the index from the session records."),
    "triage": ("kb.cli.triage", "Read a log: the root failure, whether it is known, what fixes it."),
    "run": ("kb.cli.run", "Run a command as ever, and record it."),
    "shell": ("kb.cli.shell", "A shell in which every command is recorded."),
    "promote": ("kb.cli.promote", "Make a session of what was run lately."),
    "import": (
        "kb.cli.import_",
        "Make a session of a recording, a transcript, a report, a write-up or commits.",
    ),
    "hook": ("kb.cli.hook", "Record an agent's session as it happens."),
    "search": ("kb.cli.search", "Search signatures, fixes and sessions by any text."),
    "show": ("kb.cli.show", "Show a signature, a session or a fix."),
    "fixes": ("kb.cli.fixes", "Show the fixes of a signature, best first, with their evidence."),
    "chain": ("kb.cli.chain", "Show what comes after a failure, fix by fix, and what led to it."),
    "stats": ("kb.cli.stats", "Say what the knowledge base holds, in numbers."),
    "sig": ("kb.cli.sig", "Merge, split and name signatures."),
    "explain": ("kb.cli.explain", "Show how the failures of a log got their roles and signatures."),
    "readers": ("kb.cli.readers", "List what kb can read in a log, with an example each."),
    "annotate": ("kb.cli.annotate", "Print a log's root failure as an annotation for CI."),
    "rules": ("kb.cli.rules", "Write signatures as triage rules for other tools."),
    "mcp": ("kb.cli.mcp", "Answer agents (MCP) and programs (HTTP): triage, search, show."),
    "site": ("kb.cli.site", "Build or serve the runbook site."),
    "schema": ("kb.cli.schema", "Print the JSON Schema of a format."),
    "completion": ("kb.cli.completion", "Print the completion script for a shell."),
}

EPILOG = """\b
Examples:
  kb init                      make a knowledge base here
  kb triage server.log         root cause, known fix, or "new"
  journalctl -u app | kb triage
  kb search image_token_index
  kb site serve                open the runbook in a browser
"""


class LazyGroup(click.Group):
    """A group whose commands are imported on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, its module imported now; None when there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(COMMANDS[cmd_name][0]).command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that `args` begin with; for one that is none, the error names those that look like it."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            alike = get_close_matches(args[0], COMMANDS, n=2)
            if not alike:
                raise
            meant = " or ".join(f"`kb {name}`" for name in alike)
            raise click.UsageError(f"{error.message} Did you mean {meant}?", ctx) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The table of commands for `--help`, without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=LazyGroup, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="kb")
@click.option(
    "--kb",
    "home",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="The knowledge base to use (default: $KB_HOME, else the nearest folder with kb.toml).",
)
@click.pass_context
def cli(ctx: click.Context, home: str | None) -> None:
    """The knowledge base that debugging sessions write.

    Paste a log, get the root cause, and the fix that is proven to work.
    """
    ctx.obj = home


def run(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit; every error of kb becomes one clear message on standard error."""
    try:
        status: Any = cli.main(args=arguments, prog_name="kb", standalone_mode=False)
    except click.exceptions.Abort:
        sys.exit(130)
    except click.UsageError as error:
        error.show()
        sys.exit(64)
    except click.ClickException as error:
        error.show()
        sys.exit(66 if isinstance(error, click.FileError) else 64)
    except KbError as error:
        note(str(error))
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader went away (`kb show | head`): not an error of ours; keep Python from complaining at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        from kb.home import here

        if here() is None:
            note("the working directory is gone: change to one that exists")
            sys.exit(66)
        if not _is_users(error):
            _report_fault()
        note(f"{os.fsdecode(error.filename)}: cannot be read or written: {error.strerror}")
        sys.exit(74)
    except Exception:  # noqa: BLE001 - the one boundary: a fault in kb must be reportable
        _report_fault()
    sys.exit(status if isinstance(status, int) else 0)


def _is_users(error: OSError) -> bool:
    """Whether a file or folder of the user is what cannot be used, and not one of kb's own."""
    if not isinstance(error.filename, str | bytes | os.PathLike):
        return False
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return not os.path.abspath(os.fsdecode(error.filename)).startswith(own + os.sep)


def _report_fault() -> NoReturn:
    """Print the traceback of the error that is being handled, say whose fault it is, and exit."""
    import traceback

    traceback.print_exc()
    click.echo("kb: this is a fault in kb; please report the lines above.", err=True)
    sys.exit(70)
