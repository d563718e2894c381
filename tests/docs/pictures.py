"""Pictures of the terminal for the guide, made from the real program: `make pictures` runs each story and draws it.

A story is told in an empty folder, in a pseudo-terminal of 88 columns; what is drawn is what kb printed, colours and all.
"""

from __future__ import annotations

import io
import os
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


class Story(NamedTuple):
    """`before` is run unseen, `shown` is typed and drawn with what it prints; `title` is for those who cannot see it."""

    name: str
    title: str
    before: tuple[str, ...]
    shown: tuple[str, ...]


_BASE = ("git init --quiet", "kb init .", "git add .", "git -c user.name=me -c user.email=me@x.org commit -qm begin")
_FIXED = """sed -i 's/float(text)/float(text.replace(",", "."))/' prices.py"""
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
)

_THEME = TerminalTheme(
    (30, 32, 38),
    (220, 223, 228),
    [(60, 63, 70), (240, 113, 120), (152, 195, 121), (229, 192, 123), (97, 175, 239), (198, 120, 221), (86, 182, 194),
     (200, 204, 212)],
)  # fmt: skip
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
        for command in story.shown:
            console.print(Text("$ ", style="green") + Text(command, style="bold"))
            console.print(Text.from_ansi(_typed(command, folder).replace(folder, "/home/me/demo").rstrip()))
        form = _FORMAT.replace("KB-TITLE", story.title)
        return console.export_svg(title="", theme=_THEME, code_format=form, unique_id=f"kb-{story.name}")


def _typed(command: str, folder: str) -> str:
    """What `command` prints in a terminal, in `folder`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KB_")}
    wrapped = f'kb() {{ "{sys.executable}" -m kb "$@"; }}; {command}'
    env = {**kept, "PYTHONPATH": str(CHECKOUT), "XDG_STATE_HOME": f"{folder}/.state"}
    env |= {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
    out = pexpect.spawn(
        "bash", ["-c", wrapped], cwd=folder, env=env, dimensions=(40, WIDTH), encoding="utf-8", timeout=60
    )
    seen = ""
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
