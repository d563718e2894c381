"""The code blocks of a documentation page, and running them.

A page is a story told in one empty folder, from its first block to its last:

- ` ```console ` holds commands (lines that begin with `$ `) and what they print. A line of `…` alone stands for any
  lines, `…` at the end of a line for the rest of that line. A command must end with exit status 0 unless a comment
  above the block says otherwise: `<!-- exit 1 -->`, which is the status of the block's last command. `cd FOLDER` holds
  for all that follows.
- ` ```bash ` or ` ```sh ` holds commands without output.
- A block with `title="name"`, or below a comment `<!-- file name -->`, is written to the file of that name.
- `<!-- not run: reason -->` above a block says why it is not run.
- `<!-- in the repository -->` above a page's first block: the folder holds the sessions and samples of this repository.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import NamedTuple

CHECKOUT = Path(__file__).resolve().parent.parent.parent

#: Every page that shows commands.
PAGES = [
    CHECKOUT / "README.md",
    CHECKOUT / "CONTRIBUTING.md",
    CHECKOUT / "site" / "docs" / "index.md",
    *sorted((CHECKOUT / "site" / "docs" / "guide").glob("*.md")),
]

#: Where a reader is, in what the commands print, instead of the temporary folder of the test.
SHOWN_FOLDER = "/home/me/demo"

#: The day on which a reader does it, instead of today.
SHOWN_DAY = "2026-03-02"

_FENCE = re.compile(r"^(?P<mark>`{3,}|~{3,})(?P<info>[^\n]*)\n(?P<body>.*?)^(?P=mark)[ \t]*$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!--\s*((?:(?!-->).)*?)\s*-->\s*\Z", re.DOTALL)
_TITLE = re.compile(r'title="([^"]+)"')
# Python's marks below a line of source differ between its releases.
_MARKS = re.compile(r"^\s*[~^]+\s*$")


class Block(NamedTuple):
    """A fenced block of a page: its language, body, 1-based line, and what the comment above it says."""

    language: str
    title: str
    body: str
    line: int
    said: str
    start: int
    end: int

    @property
    def file(self) -> str:
        """The name of the file that the block shows, or ""."""
        return self.said.removeprefix("file ") if self.said.startswith("file ") else self.title

    @property
    def is_run(self) -> bool:
        """Whether the block is something that a reader types."""
        return self.language in {"console", "bash", "sh"} and not self.file and not self.said.startswith("not run:")

    @property
    def status(self) -> int:
        """The exit status that the last command of the block must have."""
        return int(self.said.removeprefix("exit ")) if self.said.startswith("exit ") else 0


class Command(NamedTuple):
    """A command of a block and the lines that it is said to print."""

    text: str
    output: list[str]


def blocks(page: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    for match in _FENCE.finditer(page):
        comment = _COMMENT.search(page[: match.start()])
        language = match["info"].strip().split(" ")[0].split("{")[0]
        title = _TITLE.search(match["info"])
        line = page.count("\n", 0, match.start()) + 1
        said = comment[1] if comment else ""
        yield Block(
            language, title[1] if title else "", match["body"], line, said, match.start("body"), match.end("body")
        )


def commands(block: Block) -> list[Command]:
    """The commands of a block; in one without output, every line that does not go on another one begins a command."""
    found: list[Command] = []
    going_on = False
    for line in block.body.splitlines():
        if going_on:
            found[-1] = Command(f"{found[-1].text}\n{line}", found[-1].output)
        elif block.language == "console" and not line.startswith("$ "):
            found[-1].output.append(line)
            continue
        elif line.strip() and not line.startswith("#"):
            found.append(Command(line.removeprefix("$ ") if block.language == "console" else line, []))
        going_on = line.endswith("\\")
    return found


class Reader:
    """Somebody who follows a page in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._here = folder
        # The records of this repository have days of their own, one of which may be today.
        self._own = not (folder / "sessions").exists()
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("KB_", "PYTEST_"))},
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(folder),
            "NO_COLOR": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        self._environment.pop("COLUMNS", None)

    def write(self, block: Block) -> None:
        """Make the file that a block shows."""
        path = self._here / block.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.body, "utf-8")

    def run(self, command: str) -> tuple[int, list[str]]:
        """The exit status of a command, and the lines that it printed."""
        if command.startswith("cd "):
            self._here /= command.removeprefix("cd ")
            return (0, []) if self._here.is_dir() else (1, [f"no folder {self._here}"])
        ran = subprocess.run(
            ["bash", "-c", command],
            cwd=self._here,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            timeout=120,
        )
        printed = ran.stdout.replace(str(self.folder), SHOWN_FOLDER)
        if self._own:
            printed = printed.replace(date.today().isoformat(), SHOWN_DAY)
        return ran.returncode, printed.splitlines()


@contextmanager
def demo_folder() -> Iterator[Path]:
    """An empty folder whose path is as long as the one shown, so that lines which hold it break at the same places."""
    with tempfile.TemporaryDirectory(prefix="", dir="/tmp") as name:
        yield Path(name).resolve()


def prepare(page: str, folder: Path, checkout: Path) -> None:
    """Put into `folder` what the page says its reader has before the first block."""
    if "<!-- in the repository -->" in page:
        for name in ("sessions", "tests/sample"):
            shutil.copytree(checkout / name, folder / name)
        shutil.copy(checkout / "kb.toml", folder)
        subprocess.run([sys.executable, "-m", "kb", "index"], cwd=folder, check=True, capture_output=True)


def follow(page: str, reader: Reader) -> Iterator[tuple[Block, Command, int, list[str]]]:
    """Do what the page says: each command that was run, with its exit status and what it printed."""
    for block in blocks(page):
        if block.file:
            reader.write(block)
        elif block.is_run:
            for command in commands(block):
                yield block, command, *reader.run(command.text)


def agrees(said: list[str], printed: list[str]) -> bool:
    """Whether the lines that a page shows are those that were printed, `…` standing for what it leaves out."""
    said, printed = ([line.rstrip() for line in lines if not _MARKS.match(line)] for lines in (said, printed))
    pattern = "".join(r"(?:.*\n)*?" if line == "…" else _line(line) for line in said)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


def _line(line: str) -> str:
    if line.endswith("…"):
        return re.escape(line[:-1]) + r".*\n"
    return re.escape(line) + r"\n"
