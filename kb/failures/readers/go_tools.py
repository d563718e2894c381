"""The go command: compile errors, missing modules, failing tests."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.streams import Line, Stream

NAME = "go-tools"
ABOUT = "go build, go vet, go test: compile errors, missing modules, failing tests"
EXAMPLE = """\
# example.org/shelf
./main.go:12:14: undefined: shelf
--- FAIL: TestRound (0.00s)
    price_test.go:9: Round(199) = 100, want 200
FAIL
"""

_COMPILE = re.compile(
    r"(?:vet: )?(?P<file>(?:\.{1,2}/|/)?[^\s:]{1,400}\.(?:go|s|y)):(?P<line>\d{1,7}):\d{1,5}: (?P<message>\S.*)$"
)
#: What `-gcflags=-m` tells of a file that compiles.
_OPTIMIZED = re.compile(
    r"(?:can inline|cannot inline|inlining call to|leaking param|ignoring self-assignment|devirtualizing) "
    r"|(?:moved to heap|leaking param(?: content)?): |.{0,1000}(?: escapes to heap| does not escape)(?::|$)"
)
_MODULE = re.compile(
    r"go: (?P<message>(?!downloading|finding|added|upgraded|creating|to add|warning|extracting|found )\S.{0,2000}?"
    r"(?:cannot find|no such|not found|unknown revision|verifying|invalid|requires|errors? parsing|updates to go\.mod"
    r"|inconsistent|missing go\.sum|no required module|unrecognized import|disabled by|dial tcp|does not contain).*)$"
)
_FAIL = re.compile(r"(?P<indent>\s{0,60})--- FAIL: (?P<test>\S{1,300}) \(")
_RUN = re.compile(r"=== (?:RUN|NAME|CONT) +(?P<test>\S{1,300})$")
#: How deep the further lines of what a test says are set.
_DEEPER = "        "
#: Below an error of the C compiler that cgo calls: the source, the place in it, the compiler's last line.
_SHOWN = re.compile(r"\s{1,8}\d{0,7} \| |compilation terminated\.$")
_SAID = re.compile(r"(?P<indent>\s{1,60})(?P<file>[\w./-]{1,200}\.go):(?P<line>\d{1,7}): ?(?P<message>.*)$")
_TESTIFY = re.compile(r"\s+Error:\s+(?P<message>\S.*)$")
_CYCLE = re.compile(r"\timports \S{1,400}: (?P<message>import cycle not allowed.*)$")
_COMPARED = re.compile(r"\b(?:want|expected|got)\b|!=|≠", re.IGNORECASE)
_COMPLAINT = re.compile(r"\b(?:error|fail\w*|unexpected|mismatch|not)\b", re.IGNORECASE)
_OVER = re.compile(r"(?:FAIL|PASS|ok|panic:|=== )")


def read(lines: Stream) -> Iterator[Find]:
    """Compile and module errors in their order, and one find per failing test that says why."""
    for index, line in enumerate(lines):
        if line.record:
            continue
        if (cycle := _CYCLE.match(line.text)) is not None:
            yield _cycle(lines, index, cycle["message"])
            continue
        if line.text.startswith("go: "):
            match = _MODULE.match(line.text)
            if match is not None:
                yield spotted(NAME, "build", "go", match["message"], line, [line], language="go")
            continue
        compiled = _COMPILE.match(line.text)
        if compiled is not None and _OPTIMIZED.match(compiled["message"]) is None:
            yield _compile_error(lines, index, compiled)
    yield from _tests(lines)


def _compile_error(lines: Stream, index: int, match: re.Match[str]) -> Find:
    block = [lines[index]]
    for line in lines[index + 1 : index + 6]:
        if not line.text.startswith("\t") and not _SHOWN.match(line.text):
            break
        block.append(line)
    message = "\n".join([match["message"], *(line.text.strip() for line in block[1:] if line.text[0] == "\t")])
    message = message.partition("; to add it:")[0]
    frame = Frame(match["file"], "", int(match["line"]))
    # "too many errors" and the like end the list: they are about the errors above.
    return spotted(NAME, "build", "error", message, lines[index], block, language="go", frames=(frame,))


def _cycle(lines: Stream, index: int, message: str) -> Find:
    """A cycle of imports: the package that begins it stands in the first line, one import in each line after it."""
    begin = index
    while begin > max(index - 50, 0) and lines[begin].text.startswith("\timports "):
        begin -= 1
    return spotted(NAME, "build", "error", message, lines[index], lines[begin : index + 1], language="go")


def _tests(lines: Stream) -> Iterator[Find]:
    """Failing tests: what each said stands under its `--- FAIL` line, or with -v before it."""
    said: dict[str, list[tuple[Line, re.Match[str], str]]] = {}
    failed: dict[str, Line] = {}
    more: dict[str, list[Line]] = {}
    current = ""
    for index, line in enumerate(lines):
        text = line.text
        if (fail := _FAIL.match(text)) is not None:
            current = fail["test"]
            failed.setdefault(current, line)
        elif (run := _RUN.match(text)) is not None:
            current = run["test"]
        elif text.lstrip().startswith("--- "):
            current = ""
        elif current and (match := _SAID.match(text)) is not None:
            said.setdefault(current, []).append((line, match, _message(lines, index, match)))
        elif current and said.get(current) and text.startswith(_DEEPER):
            more.setdefault(current, []).append(line)
        elif text and _OVER.match(text):
            current = ""
    for test, line in failed.items():
        words = said.get(test)
        if words:
            find = _failing(test, line, words)
            for further in more.get(test, ()):
                find.lines.add(further.number)
                find.last = max(find.last, further.number)
            yield find


def _message(lines: Stream, index: int, match: re.Match[str]) -> str:
    """What a line of a test says: its own text, or the error that testify prints below it."""
    if match["message"].strip():
        return match["message"].strip()
    for line in lines[index + 1 : index + 12]:
        error = _TESTIFY.match(line.text)
        if error is not None:
            return error["message"].strip()
        if _SAID.match(line.text) or not line.text.startswith(" "):
            break
    return ""


def _failing(test: str, fail: Line, words: list[tuple[Line, re.Match[str], str]]) -> Find:
    said = (next((w for w in words if words_of.search(w[2])), None) for words_of in (_COMPARED, _COMPLAINT))
    line, match, message = next((w for w in said if w is not None), words[-1])
    return Find(
        kind="error",
        type="FAIL",
        message=message,
        at=line,
        first=min(fail.number, line.number),
        last=max(fail.number, words[-1][0].number),
        language="go",
        frames=(Frame(match["file"], test.partition("/")[0], int(match["line"])),),
        notes=(test,),
        process=line.process,
        reader=NAME,
        lines={fail.number, *(word[0].number for word in words)},
    )
