"""npm, yarn and pnpm: their error codes, and their reports that a script failed (which only wrap its own error)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.streams import Line, Stream

NAME = "npm"
ABOUT = "npm, yarn, pnpm: error codes, conflicts of peer dependencies, failed scripts, node-gyp"
EXAMPLE = """\
npm error code ETARGET
npm error notarget No matching version found for left-pad@99.0.0.
npm error notarget In most cases you or one of your dependencies are requesting a package version that doesn't exist.
"""

_CODE = re.compile(r"code (?P<code>[A-Z][A-Z0-9_]{2,60}|\d{1,3}|null)$")
_TRAILER = re.compile(
    r"A complete log of this run|For a full report see|\s/.{0,300}(?:-debug|-report)|"
    r"See .{0,200} for a full report|This is probably not a problem with npm"
)
#: Words that npm puts before each line of an error, one per code.
_WORD = re.compile(
    r"(?:(?:404|notarget|JSON\.parse|network|enoent|engine|notsup|audit|nospc|need auth|git|[A-Z]{4,20})\s{1,2})?(?=\S)"
)
_FIELD = re.compile(r"(?:errno|syscall|path|dest|file|signal|command failed|workspace|location)\b")
#: The line of an E404 that names the package.
_NAMES_PACKAGE = re.compile(r"404\s+.{0,40}'[^']{1,200}'.{0,40} (?:is not in|could not be found)")
_PEER = re.compile(r"(?:peer|peerOptional|dev|optional)? ?\S{1,200}@\"[^\"]{0,200}\" from \S+")
_SCRIPT = re.compile(
    r"(?:Lifecycle script `[^`]{1,100}` failed|command failed|command sh |\S{1,200} \S{1,100}: `|"
    r"Failed at the \S{1,300} script)"
)
_GYP = re.compile(r"gyp ERR! (?:stack |find \S{1,20} )?(?P<message>(?:Error: )?\S.*)$")
_YARN = re.compile(
    r"error (?P<message>(?:Couldn't find|An unexpected error occurred|Command failed|Command \"|"
    r"Package \"|No lockfile|Your lockfile|Found incompatible|Received|Incorrect|Integrity|The engine|"
    r"\S{1,200}: (?:The engine|Command failed)|/\S{1,300}: Command failed).*)$"
)
_BERRY = re.compile(r"➤ (?P<code>YN\d{4}): (?:[│└┌] )?(?P<message>\S.*)$")
_PNPM = re.compile(r"(?:Error: |\s)?(?P<code>ERR_PNPM_[A-Z0-9_]{2,80}|ELIFECYCLE)(?:\s+(?P<message>\S.*))?$")
_PNPM_CAUSE = re.compile(r"\s{1,4}(?:├─▶|╰─▶|×) (?P<message>\S.*)$")
_LAST_WORDS = 3
_BERRY_QUIET = frozenset(
    {"YN0000", "YN0007", "YN0013", "YN0019", "YN0032", "YN0060", "YN0002", "YN0086", "YN0004", "YN0005", "YN0061"}
)


def read(lines: Stream) -> Iterator[Find]:
    """One find per error block of a package manager."""
    index = 0
    while index < len(lines):
        text = lines[index].text
        find, end = None, index + 1
        if _is_npm(lines[index]):
            find, end = _npm(lines, index)
            if find is not None and find.type == "npm script":
                yield from _said_by_script(lines[index:end], find)
        elif match := (_YARN.match(text) if text.startswith("error ") else _BERRY.match(text)):
            find = _yarn(lines[index], match)
        elif match := _PNPM.match(text):
            find, end = _pnpm(lines, index, match)
        if find is not None:
            yield find
        index = end
    if any("gyp ERR!" in line.text for line in lines):
        yield from _gyp(lines)


def _is_npm(line: Line) -> bool:
    """Whether npm wrote this line as an error; its `npm error` is peeled like any prefix."""
    return line.process == "npm" and line.level == "error"


def _npm(lines: Stream, index: int) -> tuple[Find | None, int]:
    """The block of `npm error` lines that begins at `index`, and the index after it."""
    block: list[tuple[Line, str]] = []
    end = index
    while end < len(lines) and _is_npm(lines[end]):
        if end > index and _CODE.match(lines[end].text):
            break
        block.append((lines[end], lines[end].text.rstrip()))
        end += 1
    code = next((m["code"] for _, rest in block[:3] if (m := _CODE.match(rest))), "")
    said = [
        (line, rest)
        for line, rest in block
        if rest.strip()
        and not _CODE.match(rest)
        and not _TRAILER.search(rest)
        and (not _FIELD.match(rest) or rest.startswith("command failed"))
    ]
    if not said and not code:
        return None, end
    claimed = [line for line, _ in block]
    if any(_SCRIPT.match(rest) for _, rest in said) or code.isdigit() or code in ("ELIFECYCLE", "null"):
        return _script(block, said, code), end
    line, message = said[0] if said else (block[0][0], "")
    if code == "ERESOLVE" and (peer := _peer(said)):
        line, message = peer
    if code == "E404":
        line, message = next((pair for pair in said if _NAMES_PACKAGE.match(pair[1])), (line, message))
    name = code or "npm error"
    text = _WORD.sub("", message, count=1).strip()
    more = [_WORD.sub("", rest, count=1).strip() for at, rest in said if at is not line][:6]
    find = spotted(NAME, "packages", name, "\n".join([text, *more]), line, claimed, language="npm", weight=1)
    return find, end


def _peer(said: list[tuple[Line, str]]) -> tuple[Line, str] | None:
    """The requirement that could not be met: the first behind `Could not resolve dependency`."""
    after = False
    for line, rest in said:
        after = after or rest.startswith(("Could not resolve dependency", "Conflicting peer dependency"))
        if after and _PEER.match(rest):
            return line, rest
    return None


def _script(block: list[tuple[Line, str]], said: list[tuple[Line, str]], code: str) -> Find:
    """npm's report that a script failed; what the script printed may stand in it, so only npm's words are claimed."""
    own = [
        line
        for line, rest in block
        if not rest.strip() or _CODE.match(rest) or _TRAILER.search(rest) or _FIELD.match(rest)
    ]
    own += [line for line, rest in said if _SCRIPT.match(rest)]
    what = next(
        (rest for _, rest in said if _SCRIPT.match(rest) and not rest.startswith("command failed")), "a script failed"
    )
    claimed = sorted({line.number: line for line in own or [block[0][0]]}.values(), key=lambda line: line.number)
    return spotted(
        NAME, "build", "npm script", f"{what} (code {code or '?'})", claimed[0], claimed, language="npm", weight=1
    )


def _said_by_script(block: Stream, report: Find) -> Iterator[Find]:
    """The last line that the script itself printed, as npm shows it: it counts where nobody reads more in it."""
    for line in reversed(block):
        if line.number not in report.lines and line.text.strip():
            yield spotted(NAME, "error-line", "error", line.text.strip(), line, [line], weight=_LAST_WORDS)
            return


def _gyp(lines: Stream) -> Iterator[Find]:
    """node-gyp's errors: of each block the line that says what is missing, else the first with an error."""
    index = 0
    while index < len(lines):
        end = index
        chosen: tuple[Line, str] | None = None
        told = False
        while end < len(lines) and (match := _GYP.search(lines[end].text)):
            error = match["message"].startswith("Error: ")
            if chosen is None or (error and not told):
                chosen = (lines[end], match["message"].removeprefix("Error: "))
            told = told or error
            end += 1
        if chosen is not None:
            yield spotted(NAME, "build", "gyp", chosen[1], chosen[0], lines[index:end], language="npm", weight=1)
        index = end + 1


def _yarn(line: Line, match: re.Match[str]) -> Find | None:
    parts = match.groupdict()
    code = parts.get("code") or ""
    if code in _BERRY_QUIET and not match["message"].startswith("Failed with errors"):
        return None
    name = code or "error"
    if "Command failed" in match["message"] or "Failed with errors" in match["message"]:
        name = "yarn script"
    return spotted(NAME, "packages", name, match["message"], line, [line], language="npm", weight=1)


def _pnpm(lines: Stream, index: int, match: re.Match[str]) -> tuple[Find, int]:
    end, message, at = index + 1, match["message"] or "", lines[index]
    while end < len(lines) and end - index < 60:
        text = lines[end].text
        if cause := _PNPM_CAUSE.match(text):
            message, at = cause["message"], lines[end]
        elif text.strip() and not text.startswith("  "):
            break
        end += 1
    script = "LIFECYCLE" in match["code"]
    name = "pnpm script" if script else match["code"]
    if not script and match["message"]:
        message, at = match["message"], lines[index]
    return spotted(NAME, "packages", name, message, at, lines[index:end], language="npm", weight=1), end
