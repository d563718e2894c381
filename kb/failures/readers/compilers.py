"""Compilers: gcc, clang, MSVC, nvcc, javac and others that print `file:line: error: …` or `file(line): error …`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.readers.native_frames import bare_name
from kb.failures.streams import Stream

NAME = "compilers"
ABOUT = "C, C++, CUDA, Java and other compilers: the first error with its function and source line"
EXAMPLE = """\
src/mux.cpp: In function 'int total(const std::vector<Frame>&)':
src/mux.cpp:6:43: error: 'const struct Frame' has no member named 'length'
    6 |     for (const auto& f : frames) sum += f.length;
      |                                           ^~~~~~
make: *** [Makefile:4: build/mux.o] Error 1
"""

_WORDS = (
    r"(?:fatal |internal compiler |internal |catastrophic )?error|sorry, unimplemented"
    r"|(?:schwerwiegender |schwerer |interner )?Fehler|erreur(?: fatale)?|(?:致命)?错误|致命錯誤|錯誤|"
    r"(?:致命的)?エラー|ошибка|errore(?: fatale)?|error fatal"
)
#: gcc, clang, javac, swiftc, protoc, mypy: `file:line[:column]: error: message`.
_COLONS = re.compile(
    rf"(?::[\w:-]{{1,60}}(?=/))?(?P<file>(?:[A-Za-z]:[\\/])?[^\s:()\[\]<>|*'\"][^:\n]{{0,400}}|"
    rf"<[a-z-]{{1,40}}>):(?P<line>\d{{1,7}})(?::\d{{1,7}})?: ?"
    rf"(?P<type>{_WORDS}) ?[:：] ?(?P<message>\S.*)$"
)
#: MSVC and its kin, nvcc, NVRTC: `file(line[,column]): error [code]: message`.
_PARENS = re.compile(
    r"(?:\d+>)?(?P<file>[^\s()][^()\n]{0,400})\((?P<line>\d{1,7})(?:,\d{1,7}){0,3}\) ?: "
    r"(?P<type>(?:fatal |catastrophic |internal )?error)(?: (?P<code>[A-Z]{1,6}\d{3,5}|"
    r"#\d{1,5}(?:-D)?))? ?:(?P<deeper> {2,8})? ?(?P<message>\S.*)$"
)
#: Compiler drivers and passes without a place: `g++: error: …`, `nvcc fatal   : …`, `LINK : fatal error LNK1104: …`.
_DRIVER = re.compile(
    r"(?:\S{0,200}/)?(?P<tool>(?:[\w.]{1,30}-){0,4}(?:gcc|g\+\+|cc|c\+\+|clang(?:\+\+)?|cc1|cc1plus|"
    r"cc1obj|collect2|f951|gfortran|lto1|lto-wrapper"
    r"|icpx|icx|hipcc|nvc\+\+|emcc|em\+\+|swiftc)(?:-\d{1,3})?): "
    r"(?P<type>fatal error|error|internal compiler error): (?P<message>\S.*)$"
)
_NVIDIA = re.compile(
    r"(?P<tool>nvcc|ptxas|nvlink|fatbinary|cudafe\+\+|cicc)(?: \S{1,400}, line (?P<line>\d{1,7});)? "
    r"(?P<type>fatal|error) {1,8}: (?P<message>\S.*)$"
)
_MICROSOFT = re.compile(
    r"(?:\d+>)?(?P<tool>LINK|CVTRES|MSBUILD|cl|RC|[\w.+-]{1,200}\.(?:obj|lib|exe|dll)) ?: "
    r"(?P<type>(?:fatal |Command line )?error) (?P<code>[A-Z]{1,6}\d{4}) ?: (?P<message>\S.*)$"
)
_PROJECT = re.compile(r"\s\[[^\[\]\s][^\[\]]{0,400}proj(?:::[^\]]{0,200})?\]$")
_INSIDE = re.compile(
    r"(?P<file>[^:\n]{1,400}): (?:In|At|In copy|In static|"
    r"In lambda)\b[^‘'\"\n]{0,60}[‘'](?P<function>[^’\n]{1,1000})[’']:$"
)
_GLOBAL = re.compile(r"[^:\n]{1,400}: (?:In instantiation of|In substitution of|At (?:global|top level)|In member)")
_INCLUDED = re.compile(
    r"In file included from |\s+from \S+:\d+[,:]|[^\n:]{1,400}:\d{1,7}(?::\d{1,7})?: {2,3}(?:recursively )?required "
)
_NOTE = re.compile(r"[^\n:]{1,400}(?::\d{1,7}){1,2}: note: |[^\n:]{1,400}:\d{1,7}(?::\d{1,7})?:   required |ld: note: ")
_SOURCE = re.compile(r"\s*\d{1,7} \| (?P<source>.*)$")
_MARK = re.compile(r"\s+\|(?: |$)")
_CARET = re.compile(r"\s*[\^~][\^~ ]*\s*$")
#: What scalac expected, and what it found.
_TYPES = re.compile(r" (?:found   |required): ")
#: Lines of the excerpt under an error.
_EXCERPT = (_SOURCE, _MARK, _CARET, _NOTE, _TYPES)
_DETAIL = re.compile(r"\s+(?:symbol|location|required|found|reason): |\s+[\w.]{1,80}$")
_TSC = re.compile(r"\): error TS\d{1,5}:|^error\[")
_SUMMARY = re.compile(
    r"compilation terminated\.|\d+ (?:errors?|warnings?)(?: and \d+ (?:errors?|"
    r"warnings?))? (?:generated|detected in the compilation)"
    r"|cc1(?:plus)?: (?:all warnings being treated as errors|some warnings being treated as errors)"
    r"|\d+ errors?$|Error limit reached|fatal error: too many errors emitted"
)
#: Files of configure checks: their errors are answers, not failures.
_PROBE = re.compile(
    r"(?:^|[/\\])(?:_?conftest|_configtest|testfile|sanitycheck\w*|CheckSymbolExists|"
    r"CheckFunctionExists|CheckIncludeFile|CheckTypeSize|"
    r"feature_tests)\.(?:c|cc|cpp|cxx|cu|C|f|f90)$|CMakeFiles[/\\](?:CMakeTmp|"
    r"CMakeScratch)[/\\]|meson-private[/\\]"
)
_LANGUAGES = {
    "c": "c",
    "h": "c",
    "m": "c",
    "cc": "c++",
    "cpp": "c++",
    "cxx": "c++",
    "c++": "c++",
    "hpp": "c++",
    "hxx": "c++",
    "hh": "c++",
    "inl": "c++",
    "ipp": "c++",
    "tpp": "c++",
    "mm": "c++",
    "cu": "cuda",
    "cuh": "cuda",
    "java": "java",
    "kt": "kotlin",
    "scala": "scala",
    "swift": "swift",
    "cs": "csharp",
    "csproj": "dotnet",
    "props": "dotnet",
    "targets": "dotnet",
    "vb": "vb",
    "fs": "fsharp",
    "f90": "fortran",
    "f": "fortran",
    "py": "python",
    "proto": "protobuf",
}
#: Languages whose own reader reads their compilers.
_OTHERS = frozenset({"rs", "go", "ts", "tsx", "mts", "cts"})
#: Files of languages whose compilers write a message over several lines, above the source.
_SPREAD = (".kt", ".kts", ".scala")
_MOST_SPREAD = 12
_MOST = 200
_BLOCK = 120


def read(lines: Stream) -> Iterator[Find]:
    """One find per error, with the function it is in; the same error in a further translation unit joins the first."""
    seen: dict[tuple[str, str, str], Find] = {}
    index, floor = 0, 0
    last: Find | None = None
    while index < len(lines):
        match = _match(lines[index].text)
        if match is None:
            index += 1
            continue
        if last is not None and last.last == lines[index - 1].number and _goes_on(match, last):
            last.message = f"{last.message}\n{_PROJECT.sub('', match['message'].strip())}"
            last.last = lines[index].number
            last.lines.add(last.last)
            floor = index = index + 1
            continue
        first, end = _before(lines, index, floor), _after(lines, index + 1)
        if end == index + 1 and match.re is _COLONS and match["file"].endswith(_SPREAD):
            end = _spread(lines, end)
        find = _find(lines, first, index, end, match)
        floor = index = end
        last = find
        if find is None:
            continue
        key = (find.type, find.message, find.frames[0].file.rsplit("/", 1)[-1] if find.frames else "")
        before = seen.get(key)
        if before is not None:
            before.lines |= find.lines
        elif len(seen) < _MOST or find.harmless:
            seen[key] = find
            yield find


def _goes_on(match: re.Match[str], last: Find) -> bool:
    """Whether MSBuild goes on with the message of `last`, each line of which it puts behind the place."""
    return bool(match.groupdict().get("deeper")) and bool(last.frames) and last.frames[0].file == match["file"]


def _match(text: str) -> re.Match[str] | None:
    text = text.strip(" \t│")
    if len(text) > 20_000 or ":" not in text:
        return None
    for shape in (_COLONS, _PARENS, _DRIVER, _NVIDIA, _MICROSOFT):
        if match := shape.match(text):
            return match
    return None


def _find(lines: Stream, first: int, at: int, end: int, match: re.Match[str]) -> Find | None:
    parts = match.groupdict()
    file = parts.get("file") or ""
    extension = file.rpartition(".")[2].lower() if "." in file else ""
    if extension in _OTHERS or _TSC.search(lines[at].text):
        return None
    code = parts.get("code") or ""
    # A number is the compiler's own name for the error; without one the level word is all there is.
    name = code if code[:1].isalpha() else match["type"]
    message = _PROJECT.sub("", match["message"].strip())
    if message == "cannot find symbol":
        message = "\n".join([message, *(line.text.strip() for line in lines[at + 1 : end] if _DETAIL.match(line.text))])
    if message == "type mismatch;":
        message = "\n".join([message, *(line.text.strip() for line in lines[at + 1 : end] if _TYPES.match(line.text))])
    function, source = _inside(lines[first:at]), _source(lines[at + 1 : end])
    frames = (Frame(file, function, int(parts.get("line") or 0), source),) if file else ()
    language = "c" if parts.get("tool") else _LANGUAGES.get(extension, "c" if extension else None)
    if parts.get("tool") in ("nvcc", "ptxas", "nvlink", "fatbinary", "cudafe++", "cicc"):
        language, name = "cuda", f"{parts['tool']} {match['type']}"
    find = spotted(NAME, "build", name, message, lines[at], lines[first:end], language=language, frames=frames)
    if file and _PROBE.search(file):
        find.harmless = "a configure check tried whether this compiles"
    return find


def _before(lines: Stream, at: int, floor: int) -> int:
    """The index of the first line that leads up to the error at `at`: inclusion, the function it is in."""
    index = at
    while index > floor and at - index < _BLOCK:
        text = lines[index - 1].text
        if not (_INCLUDED.match(text) or _INSIDE.match(text) or _GLOBAL.match(text)):
            break
        index -= 1
    return index


def _after(lines: Stream, index: int) -> int:
    """The index after the source excerpt, notes and summary that follow an error."""
    start = index
    while index < len(lines) and index - start < _BLOCK:
        text = lines[index].text
        if lines[index].record or _match(text):
            break
        if not any(shape.match(text) for shape in _EXCERPT) and not _SUMMARY.match(text.strip()):
            # clang and javac print the source line bare: it is told by the caret line below it.
            bare = index + 1 < len(lines) and _CARET.match(lines[index + 1].text)
            if not bare and not (index > start and text.startswith("  ") and _DETAIL.match(text)):
                break
        index += 1
    return index


def _spread(lines: Stream, index: int) -> int:
    """The index after the source that is shown below the further lines of a message; `index` when none is."""
    for at in range(index, min(index + _MOST_SPREAD, len(lines))):
        if lines[at].record or _match(lines[at].text):
            break
        if _CARET.match(lines[at].text):
            return at + 1
    return index


def _inside(block: Stream) -> str:
    """The name of the function that a gcc block says it is in, without its parameters."""
    for line in block:
        if match := _INSIDE.match(line.text):
            return bare_name(match["function"])
    return ""


def _source(block: Stream) -> str:
    for line in block[:2]:
        if match := _SOURCE.match(line.text):
            return match["source"].strip()[:500]
    if len(block) > 1 and _CARET.match(block[1].text):
        return block[0].text.strip()[:500]
    return ""
