"""pip, uv, poetry and conda: packages that cannot be found or do not fit together; the reports round a failed build."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.streams import Stream

NAME = "pip"
ABOUT = "pip, uv, poetry, conda: missing versions, conflicts, builds of wheels"
EXAMPLE = """\
ERROR: Could not find a version that satisfies the requirement left-pad==9 (from versions: none)
ERROR: No matching distribution found for left-pad==9
"""

_ERROR = re.compile(r"(?:ERROR|error|Error): (?P<message>\S.*)$")
_NO_MATCH = re.compile(r"No matching distribution found for (?P<what>\S.*)$")
_NO_VERSION = re.compile(
    r"Could not find a version that satisfies the requirement (?P<what>.+?) \(from (?:versions: )?"
)
_CONFLICT = re.compile(r"Cannot install (?P<what>.+?) because these package versions have conflicting dependencies\.?$")
_IMPOSSIBLE = re.compile(r"ResolutionImpossible: ")
_OS_ERROR = re.compile(
    r"Could not (?P<what>install packages due to an (?:OSError|EnvironmentError)): (?P<message>\S.*)$"
)
_OWN = re.compile(
    r"Could not open requirements? file|Invalid (?:requirement|wheel|version)|"
    r".{1,200} is not a (?:supported|valid) wheel|Package '.{1,200}' requires a different Python"
    r"|externally-managed-environment|THESE PACKAGES DO NOT MATCH THE HASHES|Hashes are required|"
    r"Double requirement given|Could not build wheels? .{0,200}since package|"
    r"Directory '.{1,300}' is not installable"
    r"|Cannot uninstall |.{1,100} requires Python |Could not detect requirement name|"
    r"Unable to find vcvarsall|Microsoft Visual C\+\+ .{1,20} (?:or greater )?is required|"
    r"can't find Rust compiler"
    r"|command '.{1,300}' failed: No such file or directory|.{1,300} does not (?:exist|"
    r"appear to be a Python project)|Could not (?:connect|find any downloads)"
)
#: Written as an error, but the installation went on and ended well.
_AFTERWARDS = re.compile(r"pip's dependency resolver does not currently take into account")
_RETRY = re.compile(
    r"WARNING: Retrying \(Retry\(total=0\b.{0,300}?after connection broken by '(?P<type>\w+)\((?P<message>.{1,1000})\)'"
)
_WRAP = re.compile(
    r"(?:×|\N{MULTIPLICATION SIGN}) (?P<message>.{1,300} did not run successfully\.|"
    r"Encountered error while (?:trying to install package|generating (?:package )?metadata)\.?|"
    r"Failed to build .+)$"
)
_CONDA = re.compile(
    r"(?P<type>ResolvePackageNotFound|UnsatisfiableError|PackagesNotFoundError|"
    r"LibMambaUnsatisfiableError): ?(?P<message>.*)$"
)
_POETRY = re.compile(
    r"(?:So, )?[Bb]ecause (?P<message>.{1,1000}), version solving failed\.$|"
    r"(?P<missing>Package \S{1,200} \(\S{1,100}\) not found)\.$"
)
#: uv: the chain of causes under an error, in its older form (boxes) and in its newer one.
_UV_HEAD = re.compile(r"(?:error: |\s*× )(?P<message>\S.*)$")
_UV_CAUSE = re.compile(r"\s{1,6}(?:(?:├─▶|╰─▶|├─>|`-> |╰─> ?) ?|(?:cause|Caused by): )(?P<message>\S.*)$")
_UV_WRAP = re.compile(
    r"Failed to (?:build|prepare|download and build|install)|The build backend returned an error|"
    r"Call to `.{1,200}` failed|Build backend failed"
)
_UV_OUTPUT = re.compile(r"\s*\[(?:stdout|stderr)\]$")


def read(lines: Stream) -> Iterator[Find]:
    """One find per error that pip, uv or poetry name themselves, and one per report that only wraps a build's error."""
    pip = any("ERROR: " in line.text or "pip" in line.text for line in lines)
    index = 0
    while index < len(lines):
        text = lines[index].text.strip()
        find, end = None, index + 1
        if len(text) > 50_000 or any("ERR_PNPM" in line.text for line in lines[max(index - 2, 0) : index]):
            pass
        elif _UV_HEAD.match(lines[index].text) and _UV_CAUSE.match(lines[min(index + 1, len(lines) - 1)].text):
            find, end = _uv(lines, index)
        elif match := _WRAP.match(text):
            find = spotted(
                NAME, "build", "subprocess-exited-with-error", match["message"], lines[index], [lines[index]], weight=1
            )
        elif match := _CONDA.match(text):
            find, end = _conda(lines, index, match)
        elif pip and (match := _ERROR.match(text)):
            find, end = _pip(lines, index, match["message"])
        elif match := (_POETRY.match(text) if text.endswith((" failed.", " not found.")) else None):
            find = _poetry(lines, index, match)
        if find is not None:
            yield from (inner for _, inner in find.inner)
            yield find
        index = end


def _pip(lines: Stream, index: int, message: str) -> tuple[Find | None, int]:
    """What one of pip's own error lines says, and the index after the lines that belong to it."""
    line = lines[index]
    if _NO_VERSION.match(message):
        return None, index + 1
    if match := _NO_MATCH.match(message):
        begin = index
        more = ""
        if index and (before := _ERROR.match(lines[index - 1].text.strip())) and _NO_VERSION.match(before["message"]):
            begin, more = index - 1, "\n" + before["message"]
        find = spotted(
            NAME, "packages", "ERROR", message + more, line, lines[begin : index + 1], language="pip", weight=1
        )
        if retry := _retry(lines, begin):
            find.inner.append(("cause", retry))
        return find, index + 1
    if _CONFLICT.match(message):
        end = index + 1
        while end < len(lines) and end - index < 60 and not _IMPOSSIBLE.search(lines[end].text):
            end += 1
        end = min(end + 1, len(lines))
        causes = [part.text.strip() for part in lines[index + 1 : end] if part.text.startswith("    ")]
        text = "\n".join([message, *causes[:20]])
        return spotted(
            NAME, "packages", "ResolutionImpossible", text, line, lines[index:end], language="pip", weight=1
        ), end
    if match := _OS_ERROR.match(message):
        return spotted(NAME, "packages", "OSError", match["message"], line, [line], language="pip", weight=1), index + 1
    if _AFTERWARDS.match(message):
        find = spotted(NAME, "packages", "ERROR", message, line, [line])
        find.harmless = "pip names what was at odds before; the installation went on"
        return find, index + 1
    if _OWN.match(message):
        return spotted(NAME, "packages", "ERROR", message, line, [line], language="pip", weight=1), index + 1
    return None, index + 1


def _retry(lines: Stream, index: int) -> Find | None:
    """The last retry before `index`: when none is left, the network is why nothing was found."""
    for line in reversed(lines[max(index - 40, 0) : index]):
        if match := _RETRY.search(line.text):
            said = match["message"].strip("'\"")
            return spotted(NAME, "network", match["type"], said, line, [line], language="pip", weight=1)
    return None


def _uv(lines: Stream, index: int) -> tuple[Find, int]:
    """An error of uv with its causes; the deepest says what is wrong, unless it only says that a build failed."""
    head = _UV_HEAD.match(lines[index].text)
    causes = [(index, head["message"] if head else "")]
    end = index + 1
    while end < len(lines) and end - index < 200:
        text = lines[end].text
        if _UV_OUTPUT.match(text):
            break
        if cause := _UV_CAUSE.match(text):
            causes.append((end, cause["message"]))
        elif text.strip() and text.startswith("   ") and causes[-1][0] != index:
            at, said = causes[-1]
            causes[-1] = (at, f"{said}\n{text.strip(' │')}")
        elif text.strip():
            break
        end += 1
    while end > index + 1 and not lines[end - 1].text.strip():
        end -= 1
    at, message = causes[-1]
    name = "error"
    if causes[0][1].startswith("No solution found"):
        name = "No solution found"
    find = spotted(NAME, "packages", name, message, lines[at], lines[index:end], language="uv", weight=1)
    if _UV_WRAP.match(message):
        find.message = f"{causes[0][1]}\n{message}"
        find.type = "uv build"
    return find, end


def _conda(lines: Stream, index: int, match: re.Match[str]) -> tuple[Find, int]:
    """conda's error with the packages that it lists below, each after a dash."""
    end = index + 1
    listed: list[str] = []
    while end < len(lines) and end - index < 40:
        text = lines[end].text.strip()
        if text.startswith(("- ", "├─", "└─")):
            listed.append(text.lstrip("-├─└ "))
        elif listed or (text and end > index + 3):
            break
        end += 1
    message = "\n".join([match["message"].strip(), *listed]).strip("\n")
    block = lines[index:end]
    return spotted(NAME, "packages", match["type"], message, lines[index], block, language="pip"), end


def _poetry(lines: Stream, index: int, match: re.Match[str]) -> Find:
    begin = index
    while begin and index - begin < 40 and lines[begin - 1].text.strip() and "ecause" in lines[begin - 1].text:
        begin -= 1
    message = match["missing"] or f"{match['message']}, version solving failed"
    return spotted(
        NAME,
        "packages",
        "SolverProblemError",
        message,
        lines[index],
        lines[begin : index + 1],
        language="poetry",
        weight=1,
    )
