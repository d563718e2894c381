"""Write the generated parts of the documentation: the command reference, and the output that pages show.

Run it with `make docs`. Output that agrees with what a page shows is left as it is, so lines left out by hand stay out.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import click

CHECKOUT = Path(__file__).resolve().parent.parent.parent
#: What follows it on the page of the record format is generated.
CODES_MARK = "<!-- generated: codes -->"
GUIDE = CHECKOUT / "site" / "docs" / "guide"
RECORD_PAGE = GUIDE / "record-format.md"
RULES_PAGE = GUIDE / "rules.md"
#: What follows it on the page of rules is generated.
TARGETS_MARK = "<!-- generated: targets -->"

_INTRODUCTION = """\
# Commands

Every command of kb, as its `--help` prints it. These pages are generated.

`kb` finds its knowledge base by `--kb DIR`, else by the environment variable `KB_HOME`, else as the nearest folder at
or above the working directory that holds a `kb.toml`. Output is coloured only in a terminal, never when `NO_COLOR` is
set. Control characters that come from a log are printed as escapes such as `\\x1b`.

## Exit statuses

| status | meaning |
|---|---|
| 0 | done; for `kb triage`: known |
| 1 | a negative answer: problems found, nothing found; for `kb triage`: new or symptom-only |
| 2 | for `kb triage` and `kb explain`: no failure in this log |
| 64 | wrong usage: an unknown option, no knowledge base here, a folder that does not exist |
| 65 | wrong data: a record or a table cannot be used |
| 66 | a file that was named cannot be read |
| 70 | the site cannot be built, or a fault in kb |
| 74 | the index or another output cannot be written, or the index not opened |
| 130 | stopped with Ctrl-C |
"""


#: The pages that tell the commands in full: the title of each, and the commands that belong there. What stands nowhere
#: belongs to the last.
_COMMAND_PAGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "commands-record.md": (
        "Commands that record",
        (
            *("init", "start", "status", "log", "diagnose", "fix", "fail", "note", "attempt", "edit", "env", "finish"),
            *("resume", "drop", "run", "shell", "promote", "import", "hook"),
        ),
    ),
    "commands-ask.md": (
        "Commands that answer",
        ("triage", "search", "show", "fixes", "chain", "stats", "explain", "readers", "annotate", "mcp"),
    ),
    "commands-keep.md": ("Commands that keep and publish", ()),
}


def command_pages() -> dict[Path, str]:
    """The pages of all commands: one that lists them, and those that tell them in full."""
    from kb.cli import main

    pages: dict[str, list[str]] = {name: [f"# {title}\n"] for name, (title, _) in _COMMAND_PAGES.items()}
    rows = []
    for name, (module, line) in main.COMMANDS.items():
        page = next((page for page, (_, own) in _COMMAND_PAGES.items() if name in own), list(pages)[-1])
        command = importlib.import_module(module).command
        pages[page].append(_section(f"kb {name}", command, 2))
        if isinstance(command, click.Group):
            pages[page] += [_section(f"kb {name} {sub}", inner, 3) for sub, inner in command.commands.items()]
        rows.append(f"| [`kb {name}`]({page}#kb-{name}) | {line} |")
    table = "\n".join(["## All commands", "", "| command | what it does |", "|---|---|", *rows, ""])
    first = "\n".join([_INTRODUCTION, table, _section("kb", main.cli, 2)])
    return {GUIDE / "commands.md": first} | {GUIDE / name: "\n".join(parts) for name, parts in pages.items()}


def _section(name: str, command: click.Command, level: int) -> str:
    from kb.cli import main

    context = click.Context(
        command, info_name=name, terminal_width=80, max_content_width=80, **main.cli.context_settings
    )
    text = "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
    return f"{'#' * level} {name}\n\n```text\n{text}\n```\n"


_READERS = """\
# What kb can read

The readers of kb: languages, build and test tools, machines, platforms, servers and machine learning systems. What none
of them knows, a general reader takes by its error words. Each name leads to a log that it reads. These pages are
generated; `kb readers` prints the same.
"""

#: The pages on which each reader is shown with a log, by the first letter of its name: up to the next one's.
_READER_PAGES = ("a", "j", "p")


def reader_pages() -> dict[Path, str]:
    """The pages of all readers, from what the readers say of themselves."""
    from kb.failures.registry import catalogue

    ends = [chr(ord(letter) - 1) for letter in (*_READER_PAGES[1:], "{")]
    pages = {first: [f"# Readers, {first} to {last}\n"] for first, last in zip(_READER_PAGES, ends, strict=True)}
    rows = []
    for reader in catalogue():
        letter = max((one for one in _READER_PAGES if one <= reader.NAME[0].lower()), default="a")
        fence = "````" if "```" in reader.EXAMPLE else "```"
        pages[letter].append(
            f"## {reader.NAME}\n\n{reader.ABOUT}.\n\n{fence}text\n{reader.EXAMPLE.rstrip()}\n{fence}\n"
        )
        rows.append(f"| [{reader.NAME}](readers-{letter}.md#{reader.NAME}) | {reader.ABOUT} |")
    table = "\n".join(["| reader | reads |", "|---|---|", *rows, ""])
    return {GUIDE / "readers.md": f"{_READERS}\n{table}"} | {
        GUIDE / f"readers-{letter}.md": "\n".join(parts) for letter, parts in pages.items()
    }


def with_targets(text: str) -> str:
    """The text of the page of rules with its tables of targets and of formats as they are now."""
    from kb.rules.exporters.registry import EXPORTERS, exporter
    from kb.rules.importers.registry import IMPORTERS, importer

    head, mark, _ = text.partition(TARGETS_MARK)
    parts = [f"{head}{mark}\n\n## Targets\n"]
    parts += [
        f"### {one.NAME}\n\n{one.ABOUT}.\n\nTo load: {one.LOAD}\n\nProved by: {one.PROVED}.\n"
        for one in map(exporter, EXPORTERS)
    ]
    rows = "\n".join(f"| `{one.NAME}` | {one.ABOUT} |" for one in map(importer, IMPORTERS))
    parts.append(f"## Formats that can be imported\n\n| format | what it is |\n|---|---|\n{rows}\n")
    return "\n".join(parts)


def problem_codes() -> str:
    """The table of the codes that a problem of a record can have."""
    from kb.record.problems import CODES

    rows = "\n".join(f"| `{code}` | {meaning} |" for code, meaning in CODES.items())
    return f"| code | meaning |\n|---|---|\n{rows}\n"


def with_problem_codes(text: str) -> str:
    """The text of the page on the record format with its table of codes as it is now."""
    head, mark, _ = text.partition(CODES_MARK)
    return f"{head}{mark}\n\n{problem_codes()}"


def refreshed(page: Path) -> str:
    """The text of a page with the output of its commands as it is now."""
    from tests.docs.blocks import Reader, agrees, blocks, commands, demo_folder, prepare

    text = page.read_text("utf-8")
    with demo_folder() as folder:
        prepare(text, folder, CHECKOUT)
        reader = Reader(folder)
        pieces: list[str] = []
        at = 0
        for block in blocks(text):
            if block.file:
                reader.write(block)
            elif block.is_run:
                lines: list[str] = []
                todo = commands(block)
                for command in todo:
                    status, printed = reader.run(command.text)
                    if status != (block.status if command is todo[-1] else 0):
                        shown = "\n".join(printed)
                        raise SystemExit(f"{page.name}: {command.text}: exit status {status}\n{shown}")
                    said = command.output if agrees(command.output, printed) else printed
                    lines += [*_prompt(command.text), *said]
                if block.language == "console":
                    pieces += [text[at : block.start], "".join(f"{line}\n" for line in lines)]
                    at = block.end
        return "".join(pieces) + text[at:]


def _prompt(command: str) -> Iterator[str]:
    first, *rest = command.split("\n")
    yield f"$ {first}"
    yield from rest


def generate() -> None:
    """Write every page that is not as it should be, and name it."""
    from tests.docs.blocks import PAGES

    texts = command_pages() | reader_pages() | {RULES_PAGE: with_targets(RULES_PAGE.read_text("utf-8"))}
    texts |= {page: refreshed(page) for page in PAGES if page.exists() and page not in texts}
    texts[RECORD_PAGE] = with_problem_codes(texts[RECORD_PAGE])
    for page, text in texts.items():
        if not page.exists() or page.read_text("utf-8") != text:
            page.write_text(text, "utf-8")
            print(f"wrote {page.relative_to(CHECKOUT)}")


if __name__ == "__main__":
    sys.path.insert(0, str(CHECKOUT))
    generate()
