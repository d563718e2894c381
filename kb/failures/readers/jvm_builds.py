"""Maven and Gradle: what went wrong, at its deepest; Kotlin's compiler as Gradle prints it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.streams import Line, Stream

NAME = "jvm-builds"
ABOUT = "Maven and Gradle: failed goals and tasks, compile errors, missing artifacts"
EXAMPLE = """\
FAILURE: Build failed with an exception.

* What went wrong:
Could not resolve all files for configuration ':compileClasspath'.
> Could not find demo.missing:ledger:9.9.
"""

_ERROR = re.compile(r"\[(?:ERROR|FATAL)\] ?(?P<rest>.*)$")
_COMPILE = re.compile(r"(?P<file>\S[^\[\]\n]{0,500}):\[(?P<line>\d{1,7})(?:,\d{1,7})?\] (?:error: )?(?P<message>\S.*)$")
_DETAIL = re.compile(r"\s+(?:symbol|location|required|found|reason): ")
_GOAL = re.compile(
    r"Failed to execute goal (?P<goal>.{0,400}?)on project (?P<project>[^\s:]{1,200}): "
    r"(?P<message>\S.*?)(?: -> \[Help \d+\])?$"
)
_HELP = re.compile(r"(?P<message>\S.*?) -> \[Help \d+\]$")
_HELP_NAME = re.compile(r"\[Help \d+\] \S{1,200}/(?P<name>[A-Z]\w{1,80}(?:Exception|Error))$")
_QUIET = re.compile(
    r"\s*$|To see the full stack trace|Re-run Maven|For more information about the errors|"
    r"\[Help \d+\] |After correcting the problems|  mvn <|COMPILATION ERROR"
    r"|Tests run: |Please refer to |-> \[Help|  The project |Failures: ?$|Errors: ?$|"
    r"There are test failures|See \S{1,300} for the individual test results"
    r"|\S{1,300} {1,3}(?:-- )?Time elapsed: .{1,40} <<< (?:FAILURE|ERROR)!"
)
_SUREFIRE = re.compile(
    r"\s{2}(?P<test>[\w$.]{1,200}(?:[.>][\w$]{1,200}){1,6}):(?P<line>\d{1,7})(?: » (?P<type>\w{1,100})"
    r")? (?P<message>\S.*)$"
)
#: What Groovy's compiler says of a script before the errors in it.
_SCRIPT = "startup failed:"
#: A model that Maven cannot use: each of its problems, of which it then gives the number.
_PROBLEM = re.compile(
    r"(?:Malformed POM |Non-(?:resolvable|parseable) |Unresolveable |Invalid POM |"
    r"'[\w.()/@-]{1,200}'(?: for \S{1,300})? (?:is missing|must |contains an|with value|is not|references))"
)
_READ = "The build could not read "
#: The head over what a plugin says, its own words, and how far above the end of the build they may stand.
_PLUGIN = re.compile(r"^\[INFO\] --- \S{1,200}:\S{1,60} \(.{1,100}\) @ ")
_SAID = re.compile(r"\[(?:ERROR|WARNING)\] (?P<rest>.*)$")
_ABOVE = 60
_MOST_SAID = 20
_WRONG = re.compile(r"\* What went wrong:$")
_NESTED = re.compile(r"(?P<indent>\s*)> (?P<message>\S.*)$")
_TASK = re.compile(r"(?:> Task )?:[\w:.-]{1,200} FAILED$")
_KOTLIN = re.compile(
    r"e: (?:file://)?(?P<file>\S{1,500}?\.kts?):(?: ?\((?P<line>\d{1,7}), \d{1,7}\):|"
    r"(?P<line2>\d{1,7}):\d{1,7}:?) (?P<message>\S.*)$"
)


def read(lines: Stream) -> Iterator[Find]:
    """One find per compile error and per failed goal or task; Maven's advice claims its lines and is no failure."""
    maven = any("[Help 1]" in line.text or "Scanning for projects" in line.text for line in lines)
    names = [match["name"] for line in lines if (match := _HELP_NAME.search(line.text))]
    seen: dict[str, Find] = {}
    index = 0
    while index < len(lines):
        text = lines[index].text
        find, end = None, index + 1
        if maven and (match := _ERROR.match(text)):
            find, end = _maven(lines, index, match["rest"], names)
        elif _WRONG.match(text):
            find, end = _gradle(lines, index)
        elif _TASK.match(text):
            find = spotted(NAME, "build", "Gradle", text, lines[index], [lines[index]])
            find.harmless = "the task's own error is told elsewhere"
        elif match := _KOTLIN.match(text):
            frame = Frame(match["file"], "", int(match["line"] or match["line2"] or 0))
            find = spotted(
                NAME,
                "build",
                "error",
                match["message"],
                lines[index],
                [lines[index]],
                language="kotlin",
                frames=(frame,),
            )
        if find is not None:
            key = f"{find.type}: {find.message}"
            before = seen.get(key)
            if before is None or find.harmless:
                seen.setdefault(key, find)
                yield find
            else:
                before.lines |= find.lines
        index = end


def _maven(lines: Stream, index: int, rest: str, names: list[str]) -> tuple[Find | None, int]:
    line = lines[index]
    if len(rest) > 20_000:
        return None, index + 1
    if compiled := _COMPILE.match(rest):
        return _compile(lines, index, compiled)
    if goal := _GOAL.match(rest):
        name = names[0] if names else "Maven"
        message = goal["message"]
        block = [*_told_by_goal(lines, index), line]
        find = spotted(
            NAME, "build", name, message, line, block, language="maven", notes=(goal["goal"].strip(),), weight=1
        )
        find.first = min(one.number for one in block)
        return find, index + 1
    if test := _SUREFIRE.match(rest):
        frame = Frame(test["test"].rpartition(".")[0], test["test"].rpartition(".")[2], int(test["line"]))
        name = test["type"] or "AssertionError"
        return spotted(
            NAME, "test-case", name, test["message"], line, [line], language="java", frames=(frame,), weight=2
        ), index + 1
    if _PROBLEM.match(rest):
        return spotted(
            NAME, "build", "Maven", rest.partition(" @ line ")[0].strip(), line, [line], language="maven"
        ), index + 1
    if _QUIET.match(rest):
        find = spotted(NAME, "build", "Maven", rest, line, [line])
        find.harmless = "what Maven says round an error"
        return find, index + 1
    if helped := _HELP.match(rest):
        name = names[0] if names else "Maven"
        return spotted(NAME, "build", name, helped["message"], line, [line], language="maven", weight=1), index + 1
    return None, index + 1


def _told_by_goal(lines: Stream, index: int) -> list[Line]:
    """What the plugin of the goal that failed at `index` said: its errors and warnings above the end of the build."""
    said: list[Line] = []
    at = index - 1
    while at >= 0 and index - at < _ABOVE and not _PLUGIN.search(lines[at].text):
        text = lines[at].text
        if (match := _SAID.match(text)) is not None and not _QUIET.match(match["rest"]):
            said.append(lines[at])
        elif said and not text.startswith("[") and text.strip():
            said.append(lines[at])  # it goes on with what the line above says
        at -= 1
    found = at >= 0 and _PLUGIN.search(lines[at].text) is not None
    while said and not said[-1].text.startswith("["):
        said.pop()
    return said[::-1][:_MOST_SAID] if found else []


def _compile(lines: Stream, index: int, compiled: re.Match[str]) -> tuple[Find, int]:
    end = index + 1
    details: list[str] = []
    while end < len(lines):
        # Only in Maven's second list do these lines have a level in front.
        more = lines[end].text.removeprefix("[ERROR] ")
        if not _DETAIL.match(more):
            break
        details.append(more.strip())
        end += 1
    frame = Frame(compiled["file"], "", int(compiled["line"]))
    message = "\n".join([compiled["message"], *details])
    find = spotted(NAME, "build", "error", message, lines[index], lines[index:end], language="java", frames=(frame,))
    return find, end


def _gradle(lines: Stream, index: int) -> tuple[Find | None, int]:
    """The block under `What went wrong`: its deepest `>` says what failed, the lines above it where."""
    end = index + 1
    while (
        end < len(lines)
        and end - index < 120
        and not lines[end].text.startswith(("* Try:", "* Get more", "==========", "BUILD FAILED"))
    ):
        end += 1
    body = [line for line in lines[index + 1 : end] if line.text.strip()]
    if not body:
        return None, end
    chosen: tuple[Line, str] = (body[0], body[0].text.strip())
    depth = -1
    for line in body:
        nested = _NESTED.match(line.text)
        if nested and len(nested["indent"]) > depth:
            chosen, depth = (line, nested["message"].strip()), len(nested["indent"])
        elif chosen[1] == _SCRIPT:  # what its compiler says stands below, each with its place
            chosen = (line, line.text.strip())
    head = body[0].text.strip()
    begin = next((i for i in range(index, max(index - 12, -1), -1) if lines[i].text.startswith("FAILURE: ")), index)
    notes = (head,) if chosen[0] is not body[0] else ()
    return spotted(
        NAME, "build", "Gradle", chosen[1], chosen[0], lines[begin:end], language="gradle", notes=notes, weight=1
    ), end
