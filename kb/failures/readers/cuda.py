"""CUDA: assertions of kernels, reports of compute-sanitizer, error codes that programs print, broken drivers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.readers.line_shapes import shape, spot
from kb.failures.streams import MILD, Stream

NAME = "cuda"
ABOUT = "CUDA: assertions of kernels, compute-sanitizer, error codes, drivers and containers without a GPU"
EXAMPLE = """\
Indexing.cu:1515: indexSelectSmallIndex: block: [0,0,0], thread: [0,0,0] Assertion `srcIndex < srcSelectDimSize` failed.
"""

_ASSERT = re.compile(
    r"(?P<file>\S{1,500}):(?P<line>\d{1,9}): (?:(?P<function>.{1,300}): )?block: \[\d+,\d+,\d+\], "
    r"thread: \[\d+,\d+,\d+\] Assertion `(?P<what>.{1,400}?)` failed"
)
#: Reports of compute-sanitizer (memcheck, racecheck, initcheck, synccheck) and, before it, of cuda-memcheck.
_CHECK = re.compile(
    r"========= (?:Error: )?(?P<message>(?P<type>Invalid __\w+__ (?:read|write|atomic)|Uninitialized __\w+__ "
    r"memory read|"
    r"Race reported between|(?:Potential )?\w+ hazard detected|Barrier error detected|Misaligned (?:__\w+__|shared)"
    r".{0,40}|"
    r"Program hit (?P<code>\w+) .{0,200}?|Stack overflow|Leaked [\d,]+ bytes)\b.*)$"
)
_CHECK_AT = re.compile(
    r"=========     (?:at|Write Thread at|Read Thread at) (?P<function>.{1,300}?)(?:\([^()]*\))?\+0x[0-9a-f]+(?: "
    r"in (?P<file>\S{1,400}):(?P<line>\d{1,9}))?"
)
_MARGIN = re.compile(r"=========(?: {4}|\s*$)")

_CODE = (
    r"(?:cudaError[A-Z]\w{2,60}|CUDA_ERROR_[A-Z_]{3,60}|CU(?:BLAS|DNN|SPARSE|SOLVER|RAND|FFT)"
    r"_STATUS_(?!SUCCESS)[A-Z_]{3,60}|NVML_ERROR_[A-Z_]+)"
)
_CODED = re.compile(rf"(?P<head>.{{0,300}}?)\b(?P<code>{_CODE})\b(?P<tail>.{{0,300}})")
#: XLA's and TensorFlow's allocators try a smaller size after each of these: beside a report it explains nothing.
_TRIED = re.compile(r"[Ff]ailed to allocate (?:device memory of |[\d.]{1,12}[KMGT]? ?\(|\d)")
_TELLS = re.compile(r"(?i)\berror|fail|abort|unable|cannot|exception|returned")
_DOCS = re.compile(r"Search for `|https?://|case |==|!=|#define|enum|::cudaError")
_SHAPES = (
    shape(
        "CUDA error",
        r"(?:.{0,200}?[:\s\]])?CUDA (?:runtime |driver |Runtime |Driver )?[Ee]rror(?: at \S{1,200}|"
        r" in \S{1,200}| \d{1,4})?:? ?[=:-] ?(?P<message>(?!0\b|None|no error)\S.*)$",
        1,
    ),
    shape("GPUassert", r"GPU(?:assert|Assert): (?P<message>.{1,200}?)(?: \S+ \d+)?$", 1),
    shape(
        "NVIDIA driver",
        r"(?P<message>NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA "
        r"driver.*)$",
        1,
    ),
    shape("NVML", r"(?P<message>Failed to initialize NVML: .*)$", 1),
    shape("NVML", r"(?P<message>Unable to determine the device handle for [gG][pP][uU].*)$", 1),
    shape("nvidia-smi", r"(?P<message>No devices were found)$", 1),
    shape(
        "nvidia-container-cli",
        r"(?:.{0,600}?)nvidia-container-cli: (?P<message>(?:initialization|container|"
        r"mount|requirement|ldcache|device) error: .*?)(?:: unknown\.?)?$",
        1,
    ),
    shape(
        "container toolkit",
        r"(?:.{0,200}?)(?P<message>could not select device driver \".{0,40}\" with "
        r"capabilities: \[\[.{0,60}\]\].?)$",
        1,
    ),
    shape("CDI", r"(?:.{0,300}?)(?P<message>unresolvable CDI devices .*|failed to inject CDI devices.*)$", 1),
    shape("fabric manager", r"(?P<message>.{0,120}?(?:system not yet initialized|NVSwitch.{0,60}(?:fail|not)).*)$", 1),
)
_WORDS = re.compile(r"CUDA|cuda|CU[A-Z]+_STATUS|GPU|gpu|NVIDIA|NVML|nvidia|No devices|CDI|NVSwitch|not yet initialized")


def read(lines: Stream) -> Iterator[Find]:
    """One find per asserted condition, checked fault or code; what repeats it belongs to the first."""
    seen: dict[tuple[str, str], Find] = {}
    index = 0
    while index < len(lines):
        line = lines[index]
        text = line.text[:4000]
        find: Find | None = None
        end = index + 1
        if "Assertion `" in text:
            find = _assertion(lines, index)
        elif text.startswith("========= "):
            find, end = _checked(lines, index)
        elif line.level not in MILD and _WORDS.search(text):
            find = spot(NAME, "gpu", lines, index, _SHAPES) or _coded(lines, index)
        if find is not None:
            before = seen.get((find.type, re.sub(r"\d+", "", find.message)))
            if before is None:
                seen[find.type, re.sub(r"\d+", "", find.message)] = find
            else:
                before.last = max(before.last, find.last) if find.kind == "device-assert" else before.last
                before.lines |= find.lines
        index = end
    yield from seen.values()


def _assertion(lines: Stream, index: int) -> Find | None:
    line = lines[index]
    match = _ASSERT.search(line.text[:4000])
    if match is None:
        return None
    frame = Frame(match["file"], match["function"] or "", int(match["line"]))
    message = f"Assertion `{match['what']}` failed."
    return spotted(NAME, "device-assert", "Assertion", message, line, [line], language="cuda", frames=(frame,))


def _checked(lines: Stream, index: int) -> tuple[Find | None, int]:
    line = lines[index]
    match = _CHECK.match(line.text[:2000])
    if match is None:
        return None, index + 1
    end, frames = index + 1, []
    while end < len(lines) and end - index < 60 and _MARGIN.match(lines[end].text):
        if step := _CHECK_AT.match(lines[end].text[:2000]):
            frames.append(Frame(step["file"] or "", step["function"].strip(), int(step["line"] or 0)))
        end += 1
    name = match["code"] or match["type"]
    after = "compute-sanitizer repeats what the program's own call returned" if match["code"] else ""
    find = spotted(
        NAME, "crash", name, match["message"], line, lines[index:end], language="cuda", frames=tuple(frames[:1])
    )
    find.cascade = after
    return find, end


def _coded(lines: Stream, index: int) -> Find | None:
    """A line in which a program prints the name of CUDA's error: that name is the type."""
    line = lines[index]
    text = line.text[:2000].strip()
    match = _CODED.match(text)
    if match is None or not _TELLS.search(text) or _DOCS.search(text):
        return None
    tried = line.record and _TRIED.search(text) is not None
    return spotted(NAME, "gpu", match["code"], text, line, [line], weight=2 if tried else 1)
