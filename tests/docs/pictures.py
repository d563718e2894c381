"""Pictures of the terminal for the guide, made from the real program: `make pictures` runs each story and draws it.

A story is told in an empty folder, in a pseudo-terminal of 88 columns; what is drawn is what kb printed, colours and all.
"""

from __future__ import annotations

import io
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import pexpect
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

CHECKOUT = Path(__file__).resolve().parent.parent.parent
PICTURES = CHECKOUT / "site" / "docs" / "assets" / "pictures"
WIDTH = 88

PROGRAM = """\
def parse_price(text):
    return float(text)


print(f"total {sum(map(parse_price, ['2.40', '1,15'])):.2f}")
"""


class Inside(NamedTuple):
    """A command that starts a shell, and what is typed in it."""

    command: str
    lines: tuple[str, ...]


class Story(NamedTuple):
    """`before` is run unseen, `shown` is typed and drawn with what it prints; `title` is for those who cannot see it."""

    name: str
    title: str
    before: tuple[str, ...]
    shown: tuple[str | Inside, ...]


_BASE = ("git init --quiet", "kb init .", "git add .", "git -c user.name=me -c user.email=me@x.org commit -qm begin")
_FIXED = """sed -i 's/float(text)/float(text.replace(",", "."))/' prices.py"""
_SAMPLES = CHECKOUT / "tests" / "capture" / "importers" / "samples"
_EVENTS = CHECKOUT / "tests" / "docs" / "events"
_COMMIT = (
    r"printf 'Accept a decimal comma\n\nA supplier writes them:\n\n' > message; sed 's/^/    /' error.txt >> message; "
    "git -c user.name=me -c user.email=me@x.org commit -qF message"
)
#: The token is made when the story is told: none stands in the repository, and none is drawn.
_SECRETS = (
    "t=glp; t=${t}at-$(printf %s x7QzmPw2 K9dLr4Tb | tr -d ' ')vN3s; "
    'echo "12:00:01 INFO  git login as deploy with $t" > deploy.log; '
    'echo "12:00:02 INFO  into /home/alice/shop" >> deploy.log; '
    'echo "12:00:03 ERROR deploy: RuntimeError: 403 from the registry" >> deploy.log'
)
STORIES = (
    Story(
        "recording",
        "A session from the first symptom to a proven fix",
        _BASE,
        (
            "kb start a comma stops the sum",
            "kb run python3 prices.py",
            _FIXED,
            "kb fix accept-decimal-comma",
            "kb run python3 prices.py",
            "kb finish a supplier writes decimal commas",
        ),
    ),
    Story(
        "promote",
        "A run outside any session, made a session afterwards",
        _BASE,
        ("kb run -- python3 prices.py", "kb promote A price with a decimal comma", "kb status"),
    ),
    Story(
        "by-hand",
        "A log that is there already, and what was found out about it",
        (*_BASE, "python3 prices.py > sum.log 2>&1"),
        (
            "kb start a comma stops the sum",
            "kb log sum.log",
            "kb diagnose --confidence high A supplier writes decimal commas.",
            "kb status",
        ),
    ),
    Story(
        "environment",
        "What a record says of where something ran, collected without being asked",
        _BASE,
        ("kb env", "kb start a comma stops the sum", "sed -n /^components/,/^---/p sessions/2*.md"),
    ),
    Story(
        "triage",
        "The next incident: the log, and the fix that is proven",
        (
            *_BASE,
            "kb start a comma stops the sum",
            "kb run python3 prices.py",
            _FIXED,
            "kb fix accept-decimal-comma",
            "kb run python3 prices.py",
            "kb finish a supplier writes decimal commas",
            "git checkout -q prices.py",
            "python3 prices.py > tonight.log 2>&1",
        ),
        ("kb triage tonight.log",),
    ),
    Story(
        "shell",
        "A whole shell, recorded command by command",
        (*_BASE, "kb start a comma stops the sum"),
        (
            Inside("kb shell", ("python3 prices.py", "kb note The other importer is not affected.", "exit")),
            "kb status",
        ),
    ),
    Story(
        "hook",
        "An agent's commands are recorded as it works",
        (*_BASE, "kb start a comma stops the sum", f"cp {_EVENTS}/failed.json {_EVENTS}/passed.json ."),
        (
            "kb hook claude --install",
            "kb hook record claude < failed.json",
            "kb hook record claude < passed.json",
            "kb status",
            "kb hook claude --remove",
        ),
    ),
    Story(
        "import-agent",
        "The transcript of an agent becomes a session",
        (*_BASE, f"cp {_SAMPLES}/claude-run.jsonl ."),
        ("kb import claude-run.jsonl", "kb check"),
    ),
    Story(
        "import-terminal",
        "A recording of a terminal becomes a session",
        (*_BASE, f"cp {_SAMPLES}/shell-v2.cast demo.cast"),
        ("kb import demo.cast",),
    ),
    Story(
        "import-report",
        "The test reports of two runs become one session",
        (
            *_BASE,
            f"cp {_SAMPLES}/pytest-junit-before.xml before.xml",
            f"cp {_SAMPLES}/pytest-junit-after.xml after.xml",
        ),
        ("kb import before.xml after.xml",),
    ),
    Story(
        "import-ci",
        "The log archive of a CI run becomes a session",
        (*_BASE, f"cp {_SAMPLES}/actions-run.zip logs.zip"),
        ("kb import logs.zip",),
    ),
    Story(
        "import-commits",
        "A commit becomes a fix of what its message tells",
        (*_BASE, "python3 prices.py 2> error.txt", _FIXED, "git add prices.py", _COMMIT),
        ("git log --oneline -1", "kb import git HEAD"),
    ),
    Story(
        "redaction",
        "Secrets are gone before anything is written",
        (*_BASE, _SECRETS),
        (
            "kb start the deployment stops",
            "kb log deploy.log",
            "grep -h -e secret: -e user: sessions/*.md",
            "kb redact --scan deploy.log",
            "kb check",
        ),
    ),
)

_THEME = TerminalTheme(
    (30, 32, 38),
    (220, 223, 228),
    [(60, 63, 70), (240, 113, 120), (152, 195, 121), (229, 192, 123), (97, 175, 239), (198, 120, 221), (86, 182, 194),
     (200, 204, 212)],
)  # fmt: skip
#: Marks and modes that a terminal takes and does not show.
_UNSEEN = re.compile(r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[\?[0-9;]*[hl]")
#: No font is loaded from elsewhere: the site asks no other server for anything.
_FORMAT = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" role="img" xmlns="http://www.w3.org/2000/svg">
<title>KB-TITLE</title>
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
 font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>{lines}</defs>
<rect width="{width}" height="{height}" rx="8" fill="#1e2026"/>
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">{matrix}</g>
</g>
</svg>
"""


def draw(story: Story) -> str:
    """The SVG of `story`."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "prices.py").write_text(PROGRAM)
        for command in story.before:
            _typed(command, folder)
        console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
        for shown in story.shown:
            command, lines = shown if isinstance(shown, Inside) else (shown, ())
            console.print(Text("$ ", style="green") + Text(command, style="bold"))
            seen = _UNSEEN.sub("", _typed(command, folder, lines).replace(folder, "/home/me/demo")).rstrip()
            seen = seen.replace(os.uname().release, "6.12.0")
            if seen:
                console.print(Text.from_ansi(seen))
        form = _FORMAT.replace("KB-TITLE", story.title)
        return console.export_svg(title="", theme=_THEME, code_format=form, unique_id=f"kb-{story.name}")


def _typed(command: str, folder: str, lines: tuple[str, ...] = ()) -> str:
    """What `command` prints in a terminal, in `folder`; `lines` are typed at the prompt of the shell that it starts."""
    person = Path(folder, ".person")
    if not person.exists():
        person.mkdir()
        (person / ".bashrc").write_text("PS1='\\[\\e[32m\\]$\\[\\e[0m\\] '\n")
        (person / "kb").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m kb "$@"\n')
        (person / "kb").chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KB_")}
    env = {**kept, "PYTHONPATH": str(CHECKOUT), "XDG_STATE_HOME": f"{folder}/.state", "HOME": str(person)}
    env |= {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "PATH": f"{person}:{env['PATH']}", "SHELL": "/bin/bash"}
    # One terminal for a whole story; inside a shell that kb records, it is that shell's.
    env |= {} if lines else {"KB_TERMINAL": "picture"}
    env |= {"XDG_CACHE_HOME": str(Path("~/.cache").expanduser())}
    out = pexpect.spawn(
        "bash", ["-c", command], cwd=folder, env=env, dimensions=(40, WIDTH), encoding="utf-8", timeout=60
    )
    seen = ""
    for line in lines:
        out.expect_exact("$\x1b[0m ")
        seen += str(out.before) + str(out.after)
        out.sendline(line)
    while out.expect([pexpect.EOF, r"\[fixed\]: "]):
        seen += str(out.before) + str(out.after)
        out.sendline("")
    out.close()
    return (seen + str(out.before)).replace("\r\n", "\n")


if __name__ == "__main__":
    PICTURES.mkdir(parents=True, exist_ok=True)
    for one in STORIES:
        (PICTURES / f"{one.name}.svg").write_text(draw(one), "utf-8")
        print(f"drew {one.name}")
