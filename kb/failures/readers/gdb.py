"""Backtraces of crashed native programs: gdb on a process or a core, systemd-coredump, `coredumpctl info`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.readers.native_frames import numbered_frame
from kb.failures.signals import MEANINGS, signal_name
from kb.failures.streams import Stream

NAME = "gdb"
ABOUT = "gdb and systemd-coredump: the signal with the stack of the thread that crashed"
EXAMPLE = """\
Program received signal SIGSEGV, Segmentation fault.
slot_id (s=0x0) at pool.c:8
#0  slot_id (s=0x0) at pool.c:8
#1  0x00005555555552fb in main (argc=2, argv=<optimized out>) at pool.c:16
"""

_SIGNAL = re.compile(
    r"(?:Program|Thread \d{1,6}(?: \"[^\"]{0,100}\")?) (?:received|"
    r"terminated with) signal (?P<signal>SIG\w{2,12}|CUDA_EXCEPTION_\d{1,3}|\d{1,2}|\?), (?P<what>[^\n]{1,100}?)\.?$"
)
_DUMPED = re.compile(
    r".{0,200}?Process \d{1,10} \((?P<program>[^)\n]{1,100})\) of user \d{1,10} (?:dumped core|terminated abnormally)"
)
_FIELD = re.compile(r"\s*Signal: (?P<number>\d{1,2}) \((?P<name>\w{2,12})\)")
_THREAD = re.compile(r"\s*(?:Thread (?P<number>\d{1,6}) \(|Stack trace of thread (?P<id>\d{1,10}):)")
_SOURCE_LINE = re.compile(
    r"\d{1,7}\t|\[(?:Switching|New|Current) |warning: |\s*$|Download|Reading symbols|Core was|"
    r"Using host|Missing separate"
)
#: What a program prints when it ends itself; the signal that follows is only its way out.
_LAST_WORDS = re.compile(
    r"terminate called|terminating (?:due to|with) uncaught|Assertion [`'‘]|Assertion failed|"
    r"\*\*\* [\w ]+ detected \*\*\*"
    r"|\b(?:free|malloc|realloc|munmap_chunk|calloc)\(\): |corrupted |double free|Check failed: |"
    r"panicked at|Fatal glibc|pure virtual|LLVM ERROR"
)
_HANDLER = "<signal handler called>"
_LONGEST = 20_000


#: Frames between the signal and the code that called for it.
_PLUMBING = re.compile(
    r"/lib(?:c|pthread|glib-2\.0|gobject-2\.0|stdc\+\+|gcc_s|abort)\.so|(?:sysdeps|nptl|stdlib|csu)/"
)
_RAISING = re.compile(
    r"_*(?:GI_)?_*(?:pthread_kill\w*|raise|abort|terminate|assert_fail\w*|libc_message|malloc_printerr|std::terminate)"
)


class _Stack(NamedTuple):
    thread: str
    frames: list[Frame]
    texts: list[str]


def read(lines: Stream) -> Iterator[Find]:
    """One find per signal or dumped core, with the frames of the thread that caught it."""
    index, signal = 0, ""
    dumped = any("dumped core" in line.text for line in lines)
    while index < len(lines):
        text = lines[index].text
        end = index + 1
        if field := (_FIELD.match(text) if "Signal: " in text else None):
            signal = f"SIG{field['name']}"
        elif match := (_SIGNAL.search(text) if " signal " in text else None):
            name = match["signal"] if not match["signal"].isdigit() else signal_name(int(match["signal"]))
            if name not in ("SIGINT", "SIGTERM", "?"):
                find, end = _crash(lines, index, name, match["what"])
                yield find
        elif "dumped core" in text and _DUMPED.match(text):
            name, signal = signal or "core dump", ""
            find, end = _crash(lines, index, name, MEANINGS.get(name, "the process dumped core"))
            yield find
        elif not dumped and text.lstrip().startswith("Stack trace of thread "):
            # A journal prints the head of the report behind its prefix, and the stack without.
            find, end = _crash(lines, index, "core dump", MEANINGS.get(signal, "the process dumped core"))
            yield find
        index = end


def _crash(lines: Stream, index: int, name: str, what: str) -> tuple[Find, int]:
    end, first, stacks = _stacks(lines, index + 1)
    chosen = _crashed(stacks, first)
    frames: list[Frame] = []
    where = ""
    if chosen is not None:
        handlers = [i for i, frame in enumerate(chosen.frames) if frame.function == _HANDLER]
        # Frames inside a signal handler are the program's report of the crash, not the crash.
        start = handlers[-1] + 1 if handlers else 0
        frames = chosen.frames[start:]
        where = next((t for t, f in zip(chosen.texts[start:], frames, strict=True) if f.function and not _dull(f)), "")
    message = f"{what}\n{where.strip()}".strip()
    find = spotted(
        NAME, "crash", name, message, lines[index], lines[index:end], language="c", frames=tuple(reversed(frames[:500]))
    )
    find.weight = 0 if frames else 1
    near = lines[max(index - 30, 0) : index]
    if name == "SIGABRT" and any(_LAST_WORDS.search(line.text) for line in near):
        find.cascade = "the program ended itself, and said why just before"
    return find, end


def _dull(frame: Frame) -> bool:
    return bool(_PLUMBING.search(frame.file) or _RAISING.fullmatch(frame.function))


def _stacks(lines: Stream, index: int) -> tuple[int, str, list[_Stack]]:
    """The index after the backtraces, the function printed with the signal, and the stacks."""
    start, thread, first = index, "", ""
    stacks: list[_Stack] = []
    last = index
    gap = 0
    while index < len(lines) and index - start < _LONGEST and gap < 12:
        text = lines[index].text
        if _SIGNAL.search(text) or _DUMPED.match(text):
            break
        joined = _joined(lines, index)
        if match := _THREAD.match(text):
            thread = match["number"] or match["id"]
            last, gap = index + 1, 0
        elif found := numbered_frame(joined):
            depth, frame = found
            if depth == 0 or not stacks:
                stacks.append(_Stack(thread, [], []))
            stacks[-1].frames.append(frame)
            stacks[-1].texts.append(joined)
            last, gap = index + 1, 0
        else:
            if not stacks and not first and " (" in text and (found := numbered_frame(f"#0  {text}")):
                first = found[1].function
            gap += 0 if _SOURCE_LINE.match(text) or text.startswith("    ") else 1
        index += 1
    return last, first, stacks


def _joined(lines: Stream, index: int) -> str:
    """A frame together with the lines that gdb wrapped it onto."""
    text = lines[index].text
    if not text.startswith("#"):
        return text
    for line in lines[index + 1 : index + 4]:
        if not line.text.startswith("    ") or line.text.lstrip().startswith("#"):
            break
        text = f"{text} {line.text.strip()}"
    return text


def _crashed(stacks: list[_Stack], first: str) -> _Stack | None:
    if not stacks:
        return None
    wanted = first or (stacks[0].frames[0].function if len(stacks[0].frames) == 1 and len(stacks) > 1 else "")
    matching = [stack for stack in stacks if wanted and stack.frames[0].function == wanted and len(stack.frames) > 1]
    ones = [stack for stack in stacks if stack.thread == "1"]
    return (matching or ones or stacks)[0]
