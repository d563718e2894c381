"""Reading the commands of a console body, and telling whether two of them are the same run.

A shell line is reduced to what it runs: assignments, `sudo`, `time` and the like, `ssh host '...'`, `bash -c '...'`,
redirections and the reading end of a pipe are peeled away, and lines that only prepare (`cd`, `export`) are dropped.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

#: Longer command lines are split at blanks only: shell quoting is read character by character.
_LONGEST = 4000
#: `ssh host 'bash -c "..."'` nests; nobody writes more levels than this by hand.
_DEEPEST = 4

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_OPERATORS = frozenset({"&&", "||", ";", "&", ";;", "|&", "(", ")"})
_KEYWORDS = frozenset({"do", "then", "else", "elif", "if", "while", "until", "{", "}", "!"})
_PREPARING = frozenset(
    ["cd", "pushd", "popd", "export", "source", ".", "set", "unset", "ulimit", "umask", "sleep", "true", ":"]
    + ["for", "done", "fi", "wait", "alias", "clear", "module"]
)
_FEEDING = frozenset({"cat", "echo", "yes", "printf", "zcat"})
#: Programs that run another program -> their options that take a value.
_RUNNERS = {
    "sudo": frozenset({"-u", "-g", "-h", "-p", "-C"}),
    "doas": frozenset({"-u", "-C"}),
    "time": frozenset({"-f", "-o"}),
    "env": frozenset({"-u", "-C", "-S"}),
    "nohup": frozenset[str](),
    "exec": frozenset({"-a"}),
    "command": frozenset[str](),
    "stdbuf": frozenset({"-i", "-o", "-e"}),
    "nice": frozenset({"-n"}),
    "ionice": frozenset({"-c", "-n"}),
    "setsid": frozenset[str](),
    "timeout": frozenset({"-s", "-k"}),
}
_SSH_VALUES = frozenset(f"-{letter}" for letter in "BbcDEeFIiJLlmOopQRSWw")
_SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
_SWITCHES = frozenset({"enable", "disable", "no", "use"})
_PLAIN = re.compile(r"[\w-]+")
_BETWEEN = re.compile(r"[\W_]+")
_PYTHON = re.compile(r"python[\d.]*")


@dataclass(frozen=True, slots=True)
class Command:
    """One thing that was run: its program (base name), its arguments, and the shell line it was part of.

    `line` is the 0-based line of the console body that the shell line begins on.
    """

    program: str
    arguments: tuple[str, ...]
    text: str
    line: int = 0


def split_console(body: str) -> tuple[tuple[Command, ...], str]:
    """The commands of a console body, and its output: the same lines, those of the commands emptied."""
    commands: list[Command] = []
    output: list[str] = []
    shell: list[str] = []
    for number, line in enumerate(body.split("\n")):
        if not shell and not line.startswith("$ "):
            output.append(line)
            continue
        output.append("")
        text = line.rstrip("\r")
        text = text if shell else text[2:]
        if text.endswith("\\"):
            shell.append(text[:-1])
            continue
        start = number - len(shell)
        commands.extend(parse("".join([*shell, text]), start))
        shell = []
    if shell:
        commands.extend(parse("".join(shell), len(output) - len(shell)))
    return tuple(commands), "\n".join(output)


def parse(text: str, line: int = 0) -> tuple[Command, ...]:
    """What the shell line `text` runs, in order, without what only prepares."""
    shown = " ".join(text.split())
    found = (_command(words, shown, line) for words in _simple(text, 0))
    return tuple(command for command in found if command is not None)


def changed(before: Command, after: Command) -> tuple[str, ...] | None:
    """The options and arguments in which `after` differs from `before`; None when it is another program."""
    if before.program != after.program:
        return None
    old, new = Counter(_units(before.arguments)), Counter(_units(after.arguments))
    return tuple(unit for unit, _ in sorted(((old - new) + (new - old)).items()))


class Named:
    """What a text (all that fixes say of themselves) names of the options and arguments of a command."""

    def __init__(self, text: str) -> None:
        self._folded = text.casefold()
        self._words = frozenset(_PLAIN.findall(self._folded))
        self._said = f" {_BETWEEN.sub(' ', self._folded)} "

    def __contains__(self, unit: str) -> bool:
        """Whether the text names `unit`, an option with its value or an argument, by either of them."""
        option, _, value = unit.partition(" ")
        if not option.startswith("-"):
            return self._holds(unit)
        if self._holds(option) or self._holds(value):
            return True
        words = _BETWEEN.sub(" ", option.casefold()).split()
        while len(words) > 1 and words[0] in _SWITCHES:
            words = words[1:]
        phrase = " ".join(words)
        return len(phrase) > 1 and f" {phrase} " in self._said

    def _holds(self, part: str) -> bool:
        folded = part.casefold()
        return bool(folded) and (folded in self._words if _PLAIN.fullmatch(folded) else folded in self._folded)


def _units(arguments: Sequence[str]) -> Iterator[str]:
    """The arguments, an option together with the value that follows it."""
    waiting = ""
    for argument in arguments:
        if argument.startswith("-") and len(argument) > 1 and not argument[1].isdigit():
            if waiting:
                yield waiting
            waiting = argument
            if "=" in argument:
                yield waiting.replace("=", " ", 1)
                waiting = ""
        else:
            yield f"{waiting} {argument}" if waiting else argument
            waiting = ""
    if waiting:
        yield waiting


def _tokens(text: str) -> list[str]:
    if len(text) > _LONGEST:
        return text.split()
    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError:
        return text.split()


def _simple(text: str, depth: int) -> Iterator[list[str]]:
    """The simple commands of a shell line, peeled down to what they run."""
    for pipeline in _split(_tokens(text), _OPERATORS):
        parts = list(_split(pipeline, frozenset({"|"})))
        while len(parts) > 1 and _peel(parts[0])[:1] and _base(_peel(parts[0])[0]) in _FEEDING:
            parts = parts[1:]
        words = _peel(parts[0]) if parts else []
        inner = _inner(words) if depth < _DEEPEST else ""
        if inner:
            yield from _simple(inner, depth + 1)
        elif words:
            yield words


def _split(tokens: Sequence[str], at: frozenset[str]) -> Iterator[list[str]]:
    part: list[str] = []
    for token in tokens:
        if token in at:
            if part:
                yield part
            part = []
        else:
            part.append(token)
    if part:
        yield part


def _peel(words: Sequence[str]) -> list[str]:
    """`words` without redirections, keywords, assignments and programs that only run another one."""
    rest = _without_redirections(words)
    while rest:
        first = rest[0]
        if first in _KEYWORDS or _ASSIGNMENT.match(first):
            rest = rest[1:]
        elif _base(first) in _RUNNERS:
            rest = _after_options(rest[1:], _RUNNERS[_base(first)])
            if _base(first) == "timeout":
                rest = rest[1:]
        else:
            break
    return rest


def _without_redirections(words: Sequence[str]) -> list[str]:
    kept: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word and set(word) <= set("<>&|") and set(word) & set("<>"):
            if kept and kept[-1] in {"1", "2"}:
                kept.pop()
            skip = True
        else:
            kept.append(word)
    return kept


def _after_options(words: Sequence[str], valued: frozenset[str]) -> list[str]:
    rest = list(words)
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option == "--":
            break
        if option in valued and rest:
            rest.pop(0)
    return rest


def _inner(words: Sequence[str]) -> str:
    """The shell line inside `ssh host '...'` or `bash -c '...'`, or ""."""
    if not words:
        return ""
    program = _base(words[0])
    if program == "ssh":
        remote = _after_options(words[1:], _SSH_VALUES)[1:]
        return " ".join(remote[1:] if remote[:1] == ["--"] else remote)
    if program in _SHELLS:
        for at, word in enumerate(words[1:], 1):
            if not word.startswith("-"):
                return ""
            if not word.startswith("--") and word.endswith("c"):
                return words[at + 1] if at + 1 < len(words) else ""
    return ""


def _base(word: str) -> str:
    return word.rstrip("/").rpartition("/")[2]


def _command(words: Sequence[str], text: str, line: int) -> Command | None:
    program = _base(words[0])
    if not program or program in _PREPARING or program.startswith("#"):
        return None
    if _PYTHON.fullmatch(program):
        program = "python"
    return Command(program, tuple(words[1:]), text, line)
