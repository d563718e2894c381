"""make and ninja: their own errors, and their reports that a step failed (which only wrap that step's error)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.streams import Line, Stream

NAME = "make"
ABOUT = "make and ninja: missing rules and broken makefiles; the reports that a step failed"
EXAMPLE = """\
make[1]: *** No rule to make target 'build/decode.o', needed by 'all'.  Stop.
"""

_MAKE = r"(?P<tool>(?:[\w.-]{0,20}[gk-]?)?make(?:\.exe)?)(?:\[\d{1,4}\])?: "
_STEP = re.compile(rf"{_MAKE}\*\*\* (?P<what>\[[^\n]{{1,2000}}\] ?)(?P<how>\S.*)$")
_OWN = re.compile(rf"{_MAKE}\*\*\* (?P<message>[^\[\s].*)$")
_FILE = re.compile(r"(?P<file>[^\s:][^:\n]{0,300}):(?P<line>\d{1,6}): \*\*\* (?P<message>\S.*)$")
_MISSING = re.compile(
    rf"{_MAKE}(?P<message>(?P<program>[^\s:*]{{1,300}}): (?:No such file or directory|"
    rf"Command not found|Permission denied))$"
)
_IGNORED = re.compile(
    rf"(?:{_MAKE})?.{{0,300}}(?:\(ignored\)|\(ignoriert\)|Waiting for unfinished jobs|"
    r"Es wird auf noch nicht beendete Prozesse gewartet|Attente des tâches non terminées|未完了のジョブを待っています|"
    r"正在等待未完成的任务|Ожидание завершения заданий|"
    r"Se espera a que terminen otras tareas|Esperando que outros processos)"
)
_SIGNAL = re.compile(
    r"(?:Killed|Segmentation fault|Aborted|Bus error|Illegal instruction|Floating point exception|"
    r"Terminated|Interrupt|Hangup)\b"
)
_STOP = re.compile(r"\s+(?:Stop|Schluss|Arrêt|停止)\.?。?$")
_NINJA = re.compile(r"ninja: (?P<type>error|fatal): (?P<message>\S.*)$")
_NINJA_STOP = re.compile(r"ninja: build stopped: ")
_FAILED = re.compile(r"FAILED: (?:\[code=\d{1,5}\] )?(?P<target>\S.{0,2000})$")


def read(lines: Stream) -> Iterator[Find]:
    """One find per message of the build driver."""
    ninja = any(_NINJA_STOP.match(line.text.strip()) for line in lines)
    for index, line in enumerate(lines):
        text = line.text.strip(" \t│")
        if len(text) > 10_000:
            continue
        if "*** " in text or "make" in text[:60]:
            find = _make(line, text)
        elif text.startswith("ninja: "):
            find = _ninja(line, text)
        elif ninja and (match := _FAILED.match(text)):
            # The command that failed stands on the next line; it often names flags such as -Werror.
            find = spotted(
                NAME,
                "build",
                "ninja",
                f"FAILED: {match['target']}",
                line,
                lines[index : index + 2],
                language="make",
                weight=1,
            )
        else:
            continue
        if find is not None:
            yield find


def _make(line: Line, text: str) -> Find | None:
    if _IGNORED.match(text):
        find = spotted(NAME, "build", "make", text, line, [line], language="make", weight=1)
        find.harmless = "make went on"
        return find
    if step := _STEP.match(text):
        if _SIGNAL.match(step["how"]):
            return spotted(NAME, "signal", "make", f"{step['what'].strip()} {step['how']}", line, [line], weight=2)
        return spotted(
            NAME, "build", "make", f"*** {step['what']}{step['how']}", line, [line], language="make", weight=1
        )
    if own := _OWN.match(text):
        return spotted(NAME, "build", "make", _STOP.sub("", own["message"]), line, [line], language="make", weight=1)
    if missing := _MISSING.match(text):
        return spotted(NAME, "build", "make", missing["message"], line, [line], language="make", weight=1)
    if file := _FILE.match(text):
        return spotted(NAME, "build", "make", _STOP.sub("", file["message"]), line, [line], language="make", weight=1)
    return None


def _ninja(line: Line, text: str) -> Find | None:
    if match := _NINJA.match(text):
        return spotted(
            NAME, "build", "ninja", f"{match['type']}: {match['message']}", line, [line], language="make", weight=1
        )
    if _NINJA_STOP.match(text):
        return spotted(NAME, "build", "ninja", text.removeprefix("ninja: "), line, [line], language="make", weight=1)
    return None
