"""Shells and the small commands that scripts call: missing commands, unset variables, files that are not there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, first_said, spotted
from kb.failures.model import Frame
from kb.failures.signals import NAMES_BY_MEANING
from kb.failures.streams import MILD, Stream

NAME = "shell"
ABOUT = "bash, sh, zsh and the commands that scripts call"
EXAMPLE = """\
deploying build 118
deploy.sh: line 5: kubectlx: command not found
"""

_SHELL = r"(?:(?:-|\S{0,200}/)?(?:ba|da|z|k|a|c|fi)?sh|\S{1,300}\.(?:sh|bash|zsh)|\S{1,300})"
#: `script: line 5: …` of bash, `script: 5: …` of dash and zsh; a message follows.
_PLACED = re.compile(
    rf"(?P<script>{_SHELL}): (?:eval: )?(?:(?P<word>line|Zeile|ligne|línea|строка|"
    rf"行) ?)?(?P<line>\d{{1,6}}): (?P<rest>\S.*)$"
)
_PLAIN = re.compile(r"(?P<script>(?:-|/\S{0,200}/)?(?:ba|da|z|k|a|c)?sh): (?P<rest>\S.*)$")
_NOT_FOUND = re.compile(
    r"(?:exec: )?(?P<command>[^\s:]{1,300}): (?:command not found|not found|command not found\.\.\.|"
    r"Kommando nicht gefunden\.?|commande introuvable|未找到命令)$"
    r"|command not found: (?P<zsh>\S{1,300})$"
)
_FISH = re.compile(r"fish: Unknown command: (?P<command>\S{1,300})$")
_ERRNO = re.compile(
    r"(?P<what>[^\n]{1,500}): (?P<type>Permission denied|No such file or directory|Is a directory|"
    r"Not a directory|Text file busy|cannot execute(?: binary file)?"
    r"(?:: required file not found|: Exec format error)?|Exec format error|"
    r"bad interpreter: [^\n]{1,100}|Argument list too long|No space left on device"
    r"|ambiguous redirect|bad substitution|numeric argument required|unary operator expected|"
    r"integer expression expected|too many arguments|invalid option)$"
)
_UNBOUND = re.compile(
    r"(?P<what>[\w@*#{}\[\]]{1,200}): (?P<type>unbound variable|parameter not set|"
    r"parameter null or not set|readonly variable)$"
)
#: What follows names the token; the expression is the script's own.
_ARITHMETIC = re.compile(
    r"(?P<what>[^\n]{1,500}): (?P<type>division by 0|syntax error[^\n(]{0,100}|value too great for base|"
    r"attempted assignment to non-variable|expression expected|arithmetic syntax error[^\n(]{0,100}"
    r"|expression recursion level exceeded)"
    r" \(error token is \".{0,200}\"\)$"
)
_SYNTAX = re.compile(r"(?P<type>[Ss]yntax error):? (?P<message>\S.*)$")
#: What the interpreter says of the script or module that it was told to run.
_PYTHON = re.compile(
    r"(?:\S{0,300}/)?python[\d.]{0,6}(?:\.exe)?: (?P<rest>"
    r"can't open file .{1,500}: \[Errno \d{1,3}\] (?P<errno>\w[\w ]{1,60})|"
    r"can't find '__main__' module in .{1,500}|No module named '?[\w.]{1,300}'?"
    r"(?:\.__main__; .{1,200})?|Error while finding module specification for .{1,500})$"
)
_EXEC = re.compile(r"(?P<type>exec format error|cannot fork|fork: [A-Z][\w ]{1,80})")
#: `script: line 3:  4711 Killed   python train.py`, or what an interactive shell prints.
_DIED = re.compile(
    r"(?:[^\n:]{1,300}: (?:line )?\d{1,6}: {1,3}\d{1,10} )?(?P<what>Killed|Segmentation fault|Aborted|"
    r"Bus error|Illegal instruction|Floating point exception|Trace/breakpoint trap)"
    r"(?: \(core dumped\))?(?:$|  +(?P<command>\S.*)$)"
)
#: The program in a command line, behind assignments of variables and folders.
_PROGRAM = re.compile(r"^(?:\w{1,80}=\S{0,200} ){0,8}(?:\S{0,300}/)?(?P<name>[\w.+-]{1,100})")
_COMMANDS = (
    "cp|mv|rm|ls|cat|mkdir|rmdir|ln|touch|chmod|chown|install|tar|gzip|gunzip|unzip|find|grep|sed|head|tail|sort|cut|dd|mount|umount|ssh|scp|rsync|curl|wget"
    "|env|xargs|sudo|su|kill|realpath|readlink|stat|du|df|tee|diff|patch|timeout|nohup|nice|chroot|mktemp|date|test|pushd|source|jq|openssl|git"
)
_TOOL = re.compile(
    rf"(?:\S{{1,200}}/)?(?P<tool>{_COMMANDS})(?: \(child\))?: (?P<message>(?:cannot|unable to|can't|failed to|"
    rf"\(\d{{1,2}}\) |fatal: |error: |invalid|unrecognized|unknown|missing)\S*.*"
    r"|[^\n]{0,400}: (?:No such file or directory|Permission denied|Connection (?:refused|timed out|"
    r"closed).*|No space left on device|Read-only file system|Disk quota exceeded|Input/output error"
    r"|Cannot allocate memory|Too many open files|Stale file handle|Wrote only .*|File exists"
    r"|Cannot open.*|command not found|Is a directory|Not a directory))$"
)
#: What any program says of what it was called with; without its name in front only where that is the whole line.
_CALLED = (
    r"(?:[Uu]nknown|[Uu]nrecognized|[Nn]o such|[Ii]nvalid) (?:sub)?(?:command|operation|option|action|target|task)\b"
    r".{0,400}"
    r"|.{1,200} is not an? .{0,60}\bcommand\b.{0,200}|.{1,100} is not in .{1,100} command group\b.{0,200}"
    r"|(?:command .{1,100} is ambiguous|can't cd to ).{0,200}|(?:you )?must be (?:run as )?root\b.{0,100}"
)
_ANY = re.compile(
    r"(?P<tool>[A-Za-z][\w.+-]{0,60}(?: [\w-]{1,40})?): (?P<message>(?:.{1,300}: )?(?:[Nn]o such file or directory|"
    r"[Pp]ermission denied|[Ii]s a directory|[Nn]ot a directory|[Cc]ommand not found|not found)\.?|"
    rf"{_CALLED})$"
)
_ALONE = re.compile(rf"(?P<message>{_CALLED})$")
#: What tells that the run ended there.
_ENDED = re.compile(
    r"\bError \d+\b|exit (?:code|status)|exited with|non-zero|Job failed|returned an error|FAILED|"
    r"did not complete|error processing|failed with|failed to build|\(Exit \d+\)|##\[error\]"
)
#: What a tar whose helper died adds to its complaint: no sign that anything went on.
_LAST_WORDS = re.compile(
    r"tar(?: \(child\))?: (?:Error is not recoverable: exiting now|Child returned status \d{1,3})$"
)


def read(lines: Stream) -> Iterator[Find]:
    """One find per message; a small command's complaint counts only where the run ended with it."""
    filled = [index for index, line in enumerate(lines) if line.text.strip() and not _LAST_WORDS.search(line.text)]
    tail = filled[-3] if len(filled) >= 3 else 0
    seen: dict[tuple[str, str], Find] = {}
    for index, line in enumerate(lines):
        text = line.text.strip()
        if len(text) > 4_000 or line.level in MILD:
            continue
        said = _said(text)
        weight = 1
        if said is None and (match := _TOOL.match(text) or _ANY.match(text) or _ALONE.match(text)):
            ended = index >= tail or _ends(lines, index)
            said = (match.groupdict().get("tool") or "error", match["message"]) if ended else None
            weight = 2
        if said is not None:
            find = spotted(NAME, "shell", said[0], said[1], line, [line], language="shell", weight=weight)
        elif died := _DIED.match(text):
            name = NAMES_BY_MEANING[died["what"]]
            program = _PROGRAM.search(died["command"] or "")
            frames = (Frame("", program["name"]),) if program else ()
            find = spotted(NAME, "crash", name, died["what"], line, [line], frames=frames, weight=2)
        else:
            continue
        if first_said(seen, (find.type, find.message), find):
            yield find


def _ends(lines: Stream, index: int) -> bool:
    """Whether a line near this one tells that the run ended there."""
    after = index + 1
    while after < len(lines) and _LAST_WORDS.search(lines[after].text):
        after += 1
    near = [*lines[max(index - 1, 0) : index + 1], *lines[after : after + 3]]
    return any(_ENDED.search(line.text) for line in near)


def _said(text: str) -> tuple[str, str] | None:
    """Type and message of a line in which a shell speaks, or an interpreter about what it was called with, or None."""
    if python := _PYTHON.match(text):
        return python["errno"] or "python", python["rest"]
    if fish := _FISH.match(text):
        return "command not found", f"{fish['command']}: command not found"
    match = _PLACED.match(text) or _PLAIN.match(text)
    if match is None:
        return None
    rest = match["rest"]
    if found := _NOT_FOUND.match(rest):
        # Each shell has its own wording for one and the same thing.
        return "command not found", f"{found['command'] or found['zsh']}: command not found"
    if (
        match.re is _PLACED
        and not match["word"]
        and not _PLAIN.match(f"{match['script']}: x")
        and "." not in match["script"]
    ):
        return None
    for shape in (_UNBOUND, _ERRNO, _ARITHMETIC):
        if found := shape.match(rest):
            return found["type"].split(":")[0], rest
    if found := _SYNTAX.match(rest):
        return "syntax error", rest
    if found := _EXEC.search(rest):
        return found["type"].split(":")[0], rest
    return None
