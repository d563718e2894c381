"""Programs that end themselves: C and C++ assertions, uncaught C++ exceptions, checks of glibc, `Check failed`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, first_said, spotted
from kb.failures.model import Frame
from kb.failures.readers.native_frames import bare_name, stack_below
from kb.failures.signals import signal_name
from kb.failures.streams import Stream

NAME = "aborts"
ABOUT = "C and C++: assertions, uncaught exceptions, heap and stack checks of glibc"
EXAMPLE = """\
terminate called after throwing an instance of 'std::out_of_range'
  what():  vector::_M_range_check: __n (which is 7) >= this->size() (which is 3)
Aborted (core dumped)
"""

_TERMINATE = re.compile(
    r"terminate called (?:after throwing an instance of [‘'\"](?P<type>[^’'\"\n]{1,300})[’'\"]|"
    r"(?P<none>without an active exception|recursively))"
)
_WHAT = re.compile(r"\s*what\(\): {1,4}(?P<message>.*)$")
_LIBCXX = re.compile(
    r"(?:libc\+\+abi(?:\.dylib)?: )?terminating (?:due to|with) (?:an )?uncaught (?P<foreign>foreign )?exception"
    r"(?: of type (?P<type>[^\n:]{1,100}(?:::[^\n:]{1,100}){0,8}))?(?:: (?P<message>.*))?$"
)
_ASSERT = re.compile(
    r"(?:(?P<program>\S{1,300}): )?(?P<file>[^\s:]{1,500}):(?P<line>\d{1,7}): (?:(?P<function>[^\n]{1,500}?): )?"
    r"(?P<message>Assertion [`'‘](?P<what>.{1,1000}?)['’] failed)\.?"
)
_ASSERT_OTHER = re.compile(
    r"(?P<message>Assertion failed: \(?(?P<what>[^\n]{1,1000}?)\)?,? (?:\((?P<file1>[^\s:()]{1,300}): "
    r"(?P<function1>[^\s:]{1,200}): (?P<line1>\d{1,7})\)"
    r"|function (?P<function2>[^\n,]{1,300}), file (?P<file2>[^\n,]{1,300}), line (?P<line2>\d{1,7})|"
    r"file (?P<file3>[^\n,]{1,300}), line (?P<line3>\d{1,7})))"
)
_GLIBC = re.compile(
    r"(?:\*\*\* (?:Error in )?[`'‘\w./-]{0,300}['’]?:? ?)?(?P<message>(?:stack smashing|"
    r"buffer overflow|invalid %N\$ use|%n in writable segment) detected"
    r"|(?:free|malloc|calloc|realloc|munmap_chunk|mremap_chunk|malloc_consolidate|sysmalloc|"
    r"memalign)\(\): [a-z][\w .>&()/-]{3,80}"
    r"|double free or corruption \([!\w]{1,12}\)|"
    r"corrupted (?:size vs\. prev_size(?: while consolidating)?|"
    r"double-linked list(?: \([\w ]{1,20}\))?)"
    r"|corruption detected|break adjusted to free malloc space|Fatal glibc error: \S.{0,300}|"
    r"pthread_mutex_lock\.c:\d+: .{1,200}|pure virtual method called)"
)
_CHECK = re.compile(r"(?:.{0,300}?[\]\s])?(?P<message>D?(?:Check|CHECK) failed: \S.*)$")
#: Where Chromium's logger says that it failed: `[0322/192646.353108:FATAL:string_piece.h(223)] `.
_CHECKED = re.compile(r".{0,100}?:FATAL:(?P<where>[^\s:()]{1,300})(?:\(|:)(?P<line>\d{1,7})\)?\] ")
#: The program prints its stack, or a sanitizer its report, within so many lines.
_NEAR = 40
_STACK_LINE = re.compile(r"\s*@\s+0x[0-9a-fA-F]{1,16}\s+(?P<function>\S.*)$")
#: What the hardened libc++ says: `…/c++/v1/optional:808: assertion this->has_value() failed: optional operator* …`.
_HARDENED = re.compile(
    r"(?P<file>[^\s:]{1,500}/c\+\+/v1/[^\s:]{1,200}):(?P<line>\d{1,7}): (?:libc\+\+ Hardening )?"
    r"assertion (?P<what>.{1,1000}?) failed: (?P<message>\S.*)$"
)
_GLIB = re.compile(
    r"ERROR:(?P<file>[^\s:]{1,300}):(?P<line>\d{1,7}):(?P<function>[^\s:]{1,200}): "
    r"(?P<message>(?:assertion failed|code should not be reached|did not expect).*)$"
)
_FATAL = re.compile(
    r"(?P<type>LLVM ERROR|fatal runtime error|ASSERT(?: failure in [^:\n]{1,100})?): (?P<message>\S.*)$"
)
#: V8's box: where it died, and on the next line why.
_BOXED = re.compile(r"#\s*(?:Fatal|Runtime) error in (?P<where>[^,\n]{1,300})(?:, line (?P<line>\d{1,7}))?$")


#: Chromium's own handler of signals; its stack follows.
_RECEIVED = re.compile(r"(?P<message>Received signal (?P<number>\d{1,2}) [A-Z_]{3,20}) [0-9a-f]{6,16}$")


def read(lines: Stream) -> Iterator[Find]:
    """One find per message; the same one again belongs to the first."""
    seen: dict[tuple[str, str], Find] = {}
    for index, line in enumerate(lines):
        text = line.text.strip()
        if len(text) > 20_000:
            continue
        find = (
            _cxx(lines, index, text)
            or _assertion(lines, index, text)
            or _check(lines, index, text)
            or _boxed(lines, index, text)
            or _received(lines, index, text)
        )
        if find is None:
            continue
        if first_said(seen, (find.type, find.message), find):
            yield find


def _cxx(lines: Stream, index: int, text: str) -> Find | None:
    if "terminate called" in text and (match := _TERMINATE.search(text)):
        end, message = index + 1, ""
        what = _WHAT.match(lines[end].text) if match["type"] and end < len(lines) else None
        if what is not None:
            more, end = [what["message"].strip()], end + 1
            while end < len(lines) and len(more) < 20 and _continues(lines, index, end):
                more.append(lines[end].text.rstrip())
                end += 1
            message = "\n".join(more)
        name = match["type"] or "terminate called"
        found = spotted(
            NAME, "panic", name, message or match["none"] or "", lines[index], lines[index:end], language="c++"
        )
        if match["none"] and index and "pure virtual method called" in lines[index - 1].text:
            found.cascade = "a pure virtual method was called just before"
        return found
    if "uncaught" in text and (match := _LIBCXX.search(text)):
        name = match["type"] or "uncaught exception"
        return spotted(NAME, "panic", name, match["message"] or "", lines[index], [lines[index]], language="c++")
    return None


def _continues(lines: Stream, head: int, index: int) -> bool:
    """Whether the line at `index` belongs to a message of several lines: an indented one of the same process."""
    line = lines[index]
    return line.text.startswith((" ", "\t")) and line.process == lines[head].process and bool(line.text.strip())


def _assertion(lines: Stream, index: int, text: str) -> Find | None:
    if "ssertion" not in text or "block: [" in text:
        return None
    if match := _ASSERT.match(text):
        frame = Frame(match["file"], bare_name(match["function"] or ""), int(match["line"]), match["what"][:500])
        message = f"{match['message']}."
    elif match := _ASSERT_OTHER.match(text):
        parts = match.groupdict()
        file = parts["file1"] or parts["file2"] or parts["file3"] or ""
        frame = Frame(
            file,
            bare_name(parts["function1"] or parts["function2"] or ""),
            int(parts["line1"] or parts["line2"] or parts["line3"] or 0),
            parts["what"][:500],
        )
        message = f"Assertion `{parts['what']}' failed."
    elif match := _GLIB.search(text):
        frame = Frame(match["file"], match["function"], int(match["line"]))
        return spotted(
            NAME, "panic", "Assertion", match["message"], lines[index], [lines[index]], language="c", frames=(frame,)
        )
    else:
        return None
    language = "c" if frame.file.endswith((".c", ".h")) else "c++"
    return spotted(
        NAME, "assert", "Assertion", message, lines[index], [lines[index]], language=language, frames=(frame,)
    )


def _check(lines: Stream, index: int, text: str) -> Find | None:
    if (
        ("Check failed: " in text or "CHECK failed: " in text)
        and lines[index].level in ("fatal", "")
        and (match := _CHECK.match(text))
    ):
        end = index + 1
        frames: list[Frame] = []
        while end < len(lines) and (
            (step := _STACK_LINE.match(lines[end].text)) or "Check failure stack trace" in lines[end].text
        ):
            if step:
                frames.append(Frame("", bare_name(step["function"])))
            end += 1
        return spotted(
            NAME,
            "panic",
            "Check failed",
            match["message"].partition(" failed: ")[2],
            lines[index],
            lines[index:end],
            language="c++",
            frames=_with_place(lines, index, tuple(reversed(frames)) or stack_below(lines, index, _NEAR)),
        )
    if "assertion " in text and (match := _HARDENED.match(text)):
        frame = Frame(match["file"], "", int(match["line"]), match["what"][:500])
        stack = (*stack_below(lines, index, _NEAR), frame)
        block = [lines[index]]
        return spotted(NAME, "panic", "libc++", match["message"], lines[index], block, language="c++", frames=stack)
    if match := _GLIBC.match(text):
        # A tail such as `: terminated` changed with the years.
        return spotted(NAME, "panic", "glibc", match["message"], lines[index], [lines[index]], language="c")
    if match := _FATAL.match(text):
        return spotted(
            NAME, "panic", match["type"], match["message"], lines[index], [lines[index]], language="c++", weight=1
        )
    return None


def _with_place(lines: Stream, index: int, stack: tuple[Frame, ...]) -> tuple[Frame, ...]:
    """`stack`, and the file that holds the check, where the log names it."""
    match = _CHECKED.match(lines[index].text) or (_BOXED.match(lines[index - 1].text.strip()) if index else None)
    if match is None:
        return stack
    return (*stack, Frame(match["where"], "", int(match["line"] or 0)))


def _boxed(lines: Stream, index: int, text: str) -> Find | None:
    match = _BOXED.match(text) if text.startswith("#") else None
    if match is None:
        return None
    below = [line for line in lines[index + 1 : index + 4] if line.text.strip(" #")]
    if not below or not below[0].text.startswith("#") or "Check failed: " in below[0].text:
        return None
    frames = stack_below(lines, index, _NEAR)
    frames = (*frames, Frame(match["where"], "", int(match["line"] or 0)))
    message = below[0].text.strip(" #")
    return spotted(NAME, "panic", "Fatal error", message, below[0], below[:1], language="c++", frames=frames)


def _received(lines: Stream, index: int, text: str) -> Find | None:
    match = _RECEIVED.match(text) if text.startswith("Received signal ") else None
    frames = stack_below(lines, index, _NEAR) if match is not None else ()
    if match is None or not frames:
        return None
    name = signal_name(int(match["number"]))
    block = lines[index : index + 1]
    return spotted(NAME, "crash", name, match["message"], lines[index], block, language="c++", frames=frames)
