"""rustc and cargo: compile errors with their codes, dependencies that do not resolve, reports of a failed build."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.streams import Stream

NAME = "rustc"
ABOUT = "rustc and cargo: compile errors with their codes, dependencies that do not resolve"
EXAMPLE = """\
error[E0308]: mismatched types
 --> src/main.rs:6:28
  |
6 |     fn size(&self) -> u8 { self.rows.len() }
  |                            ^^^^^^^^^^^^^^^ expected `u8`, found `usize`

error: could not compile `shelf` (bin "shelf") due to 1 previous error
"""

_ERROR = re.compile(r"error(?:\[(?P<code>E\d{4})\])?: (?P<message>\S.*)$")
_PLACE = re.compile(r"\s{0,12}--> (?P<file>\S.{0,500}?):(?P<line>\d{1,7}):\d{1,5}$")
_LABEL = re.compile(r"[\s\d|-]{0,80}\^{1,400} (?P<label>\S.*)$")
#: Beside a suggestion the label of the marks moves to a line of its own.
_EXPECTED = re.compile(r"[\s|]{2,160}(?P<label>expected .{1,200}, found .{1,200})$")
_REPORTS = re.compile(
    r"could not compile `|aborting due to |test failed, to rerun pass|failed to run custom build command for"
    r"|process didn't exit successfully|\d{1,6} targets? failed|doctest failed|build failed"
)
_CARGO = re.compile(
    r"no matching package|failed to (?:select|parse|load|get|download|resolve|read|fetch|update|query|verify)|package `"
    r"|could not find `|unable to|the lock file|no (?:bin|example|test|library) target|current package believes"
    r"|duplicate key|linking with `|linker `|cannot (?:find|install|specify)|environment variable `|toolchain '"
    r"|required version|feature `|the manifest"
)
#: What a log of cargo or rustc holds somewhere: other tools say "error: failed to …" too.
_RUST = re.compile(r"[Cc]argo|rustc|crates\.io|^ {3}Compiling |error\[E\d{4}\]|\.rs:\d|could not compile `")
_PROCESS = "process didn't exit successfully"
_ERRNO = re.compile(r"\(os error \d{1,5}\)$")
_LONGEST_CAUSE = 40
#: Codes whose message is one for many mistakes: what was expected stands under the marks.
_SAYS_LITTLE = frozenset({"E0308", "E0277", "E0061", "E0107"})


def read(lines: Stream) -> Iterator[Find]:
    """Every compile error in its order; the summaries of cargo and rustc are wrappers of them."""
    any_before = False
    cargo = any(_RUST.search(line.text) for line in lines)
    for index, line in enumerate(lines):
        text = line.text.lstrip()
        match = _ERROR.match(text) if text.startswith("error") else None
        if match is None:
            continue
        place = _place(lines, index)
        message = match["message"]
        if cargo and _REPORTS.match(message):
            find = spotted(NAME, "build", "error", message, line, [line], language="rust", weight=2)
            if any_before:
                find.cascade = "cargo reports that the errors above ended the build"
            yield find
            continue
        if match["code"] is None and place is None and not (cargo and _CARGO.match(message)):
            continue
        error = _compile_error(lines, index, match, place)
        yield error
        any_before = True
        if place is None and (cause := _cause(lines, index, error)) is not None:
            error.inner.append(("cause", cause))
            yield cause


def _cause(lines: Stream, index: int, error: Find) -> Find | None:
    """The deepest of the causes that cargo lists under `error`; a bare errno has the one above it in front."""
    chain: list[int] = []
    at = index + 1
    while at + 2 < len(lines) and not lines[at].text.strip() and lines[at + 1].text == "Caused by:":
        if not lines[at + 2].text.startswith("  "):
            break
        chain.append(at + 2)
        at += 3
        while at < len(lines) and lines[at].text.startswith("  ") and at - chain[-1] < _LONGEST_CAUSE:
            at += 1
    if not chain or lines[chain[0]].text.strip().startswith(_PROCESS):
        return None
    message, place = lines[chain[-1]].text.strip(), chain[-1]
    if len(chain) > 1 and _ERRNO.search(message):
        place = chain[-2]
        message = f"{lines[place].text.strip()}\n{message}"
    block = lines[chain[0] - 1 : at]
    error.lines -= {line.number for line in block}
    return spotted(NAME, "build", "error", message, lines[place], block, language="rust")


def _place(lines: Stream, index: int) -> tuple[int, Frame] | None:
    for position in range(index + 1, min(index + 4, len(lines))):
        place = _PLACE.match(lines[position].text)
        if place is not None:
            return position, Frame(place["file"], "", int(place["line"]))
    return None


def _compile_error(lines: Stream, index: int, match: re.Match[str], place: tuple[int, Frame] | None) -> Find:
    """The error, which claims its lines up to the empty one after its source."""
    end = index + 1
    label = ""
    while end < len(lines) and lines[end].text.strip() and end - index < 200:
        if _ERROR.match(lines[end].text) or lines[end].text.startswith(("warning:", "warning[")):
            break
        found = _EXPECTED.match(lines[end].text) or (None if label else _LABEL.match(lines[end].text))
        if found is not None and not label.startswith("expected "):
            label = found["label"].strip()
        end += 1
    code = match["code"]
    message = match["message"]
    if label and code in _SAYS_LITTLE:
        message = f"{message}\n{label}"
    return spotted(
        NAME,
        "build",
        code or "error",
        message,
        lines[index],
        lines[index:end],
        language="rust",
        frames=(place[1],) if place else (),
    )
