"""Reports of the sanitizers (address, leak, memory, thread, undefined behaviour, HWASan) and of valgrind's memcheck."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.readers.native_frames import numbered_frame, valgrind_frame
from kb.failures.streams import Stream

NAME = "sanitizers"
ABOUT = "Sanitizers and valgrind: the kind of error with the stack that did it"
EXAMPLE = """\
==19026==ERROR: AddressSanitizer: heap-use-after-free on address 0x6030000000b0 at pc 0x55dc3b05c441 bp 0x7f03 sp 0x7f03
READ of size 8 at 0x6030000000b0 thread T1
    #0 0x55dc3b05c440 in cache_bytes /srv/demo/cache.c:9:102
    #1 0x55dc3b05c376 in reaper /srv/demo/cache.c:10:130

SUMMARY: AddressSanitizer: heap-use-after-free /srv/demo/cache.c:9:102 in cache_bytes
"""

_HEAD = re.compile(
    r"(?:==\d{1,9}== ?)?(?:ERROR|WARNING): (?P<message>(?P<tool>libFuzzer|(?:HWAddress|Address|Leak|Memory|Thread|"
    r"UndefinedBehavior|DataFlow|RealtimeSanitizer|Type)"
    r"(?:Sanitizer)?): (?P<what>\S.*))$"
)
_SUMMARY = re.compile(
    r"SUMMARY: \w+Sanitizer: (?P<what>[\w-]+(?: race| inversion| leak)?[\w ()-]{0,60}?)(?: \S+(?::\d+|"
    r"\+0x\w+\)?).*| \d.*)?$"
)
_UB = re.compile(
    r"(?P<file>[^\s:][^:\n]{0,500}|<unknown>):(?P<line>\d{1,7}):\d{1,7}: runtime error: (?P<message>\S.*)$"
)
_END = re.compile(r"==\d{1,9}==ABORTING|SUMMARY: \w+Sanitizer: |Exiting$")
_SHADOW = re.compile(
    r"Shadow bytes around|Memory tags around|(?:=>)?\s{0,2}0x[0-9a-f]{8,16}:|"
    r"\s{2}[A-Z][\w ()-]{3,40}:\s{2,}[0-9a-f]{2}|Shadow byte legend"
)
_CUT = re.compile(r" \((?:pc|pid=)| at pc 0x| in thread T\d+:?$|: 0x[0-9a-f]{4,16} in thread| after \d| \(used: |:$")
#: What interceptors and allocators add above the program's own code, under other names in every version.
_RUNTIME = re.compile(
    r"(?:___?interceptor_|__asan_|__tsan_|__msan_|__ubsan_|__sanitizer|___?interpos)\w*|(?:malloc|"
    r"free|calloc|realloc|posix_memalign|aligned_alloc|memalign"
    r"|mem(?:cpy|move|set|cmp|chr)|str\w{2,8}|v?s?n?printf|pthread_\w{1,40}|operator (?:new|delete)(?:\[\])?)"
)
_MEMCHECK = re.compile(
    r"==\d{1,9}== (?P<message>Invalid (?:read|write|free)\b.*|Conditional jump or move depends on .*|"
    r"Use of uninitialised .*|Mismatched free.*"
    r"|Source and destination overlap .*|Syscall param .* points to .*|Jump to the invalid address .*"
    r"|[\d,]+ (?:\([^)]{1,80}\) )?bytes in [\d,]+ blocks are (?:definitely|"
    r"possibly) lost in loss record .*|Process terminating with .*)$"
)
_LOSS = re.compile(
    r"^[\d,]+ (?:\([^)]{1,80}\) )?bytes in [\d,]+ blocks are (definitely|possibly) lost in loss record .*"
)
_LONGEST = 400


def read(lines: Stream) -> Iterator[Find]:
    """One find per report; one error at one place is told once."""
    seen: dict[tuple[str, str], Find] = {}
    index = 0
    while index < len(lines):
        text = lines[index].text.strip()
        find = None
        end = index + 1
        if ("Sanitizer" in text or "libFuzzer: " in text) and (match := _HEAD.match(text)):
            find, end = _report(lines, index, match)
        elif "runtime error: " in text and (match := _UB.match(text)):
            find, end = _undefined(lines, index, match)
        elif text.startswith("==") and (match := _MEMCHECK.match(text)):
            find, end = _memcheck(lines, index, match["message"])
        if find is not None:
            where = " < ".join(frame.function for frame in find.frames[-2:])
            before = seen.get((find.type + find.message, where))
            if before is None:
                seen[find.type + find.message, where] = find
                yield find
            else:
                before.lines |= find.lines
        index = end


def _report(lines: Stream, index: int, head: re.Match[str]) -> tuple[Find, int]:
    end, name = index + 1, ""
    frames: list[Frame] = []
    done = False
    while end < len(lines) and end - index < _LONGEST:
        text = lines[end].text
        summary = _SUMMARY.match(text.strip()) if "SUMMARY: " in text else None
        if summary:
            name = summary["what"].strip()
        if _END.search(text):
            end = _shadow(lines, end + 1)
            break
        if _HEAD.match(text.strip()):
            break
        frame = numbered_frame(text)
        if frame is not None and not done:
            frames.append(frame[1])
        elif frames:
            # Only the first stack is the one that failed; those after it tell who allocated and freed.
            done = True
        end += 1
    what = _CUT.split(head["what"], maxsplit=1)[0].strip()
    # The summary says `123 byte(s) leaked`, so a leak keeps what its head says.
    kind = name if name and not name[:1].isdigit() else what.split(" on ")[0].split(" (")[0]
    message = f"{head['tool']}: {what}"
    first = index - 1 if index and set(lines[index - 1].text.strip()) == {"="} else index
    find = spotted(NAME, "crash", kind, message, lines[index], lines[first:end], language="c", frames=_own(frames))
    return find, end


def _own(frames: list[Frame]) -> tuple[Frame, ...]:
    """`frames` (innermost first) from the outermost on, without the interceptors at the inner end."""
    start = 0
    while start < len(frames) - 1 and (
        _RUNTIME.fullmatch(frames[start].function) or "libsanitizer/" in frames[start].file
    ):
        start += 1
    return tuple(reversed(frames[start:]))


def _shadow(lines: Stream, index: int) -> int:
    """The index after the shadow bytes and their legend, and the line that says that the process ends."""
    while index < len(lines) and _SHADOW.match(lines[index].text):
        index += 1
    if index < len(lines) and lines[index].text.strip().endswith("==ABORTING"):
        index += 1
    return index


def _undefined(lines: Stream, index: int, match: re.Match[str]) -> tuple[Find, int]:
    end = index + 1
    frames: list[Frame] = []
    while end < len(lines) and end - index < _LONGEST:
        text = lines[end].text
        frame = numbered_frame(text)
        if frame is not None:
            frames.append(frame[1])
        elif text.strip() and "SUMMARY: UndefinedBehaviorSanitizer" not in text and not _EXCERPT.match(text):
            break
        end += 1
    # Stacks are printed on request only, so the file is what tells one place from another; it is the innermost frame.
    here = Frame(match["file"], frames[0].function if frames else "", int(match["line"]))
    place = (*reversed(frames[1:]), here)
    find = spotted(
        NAME, "crash", "runtime error", match["message"], lines[index], lines[index:end], language="c", frames=place
    )
    return find, end


_EXCERPT = re.compile(r"\s*\^|\s{2}[0-9a-f]{2} [0-9a-f]{2}|\S.{0,200}: note: ")


def _memcheck(lines: Stream, index: int, message: str) -> tuple[Find, int]:
    end = index + 1
    frames: list[Frame] = []
    done = False
    while end < len(lines) and end - index < _LONGEST:
        text = lines[end].text
        if not text.startswith("==") or text.rstrip().endswith("=="):
            break
        frame = valgrind_frame(text)
        if frame is not None and not done and not (frames and frame[0] == "at"):
            frames.append(frame[1])
        else:
            done = done or bool(frames)
        end += 1
    message = _LOSS.sub(r"bytes are \1 lost", message)
    find = spotted(
        NAME, "crash", "Memcheck", message, lines[index], lines[index:end], language="c", frames=_own(frames)
    )
    return find, end
