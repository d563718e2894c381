"""Windows of GitHub Actions logs: the line that a maintainer accepted as the failure, and its stable words."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from result_table import Row, Table, share

from kb.failures.find import Found, find_failures
from kb.failures.lines import clean
from kb.failures.model import Failure
from kb.signature.masking import mask, shown
from kb.signature.sign import sign
from kb.triage.report import triage

FOLDER = "pytorch-ci-fixtures"

_LIMIT = 30
_MARK = "#=MATCH=# "
_SINCE = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z ")
_SPAN = re.compile(r"‹([^›\n]*)›")
_GIVEN = (
    Row("last 25 lines", (".300", "", "", "", "")),
    Row("25 lines before the first failed command", (".650", "", "", "", "")),
    Row("25-line window with most error words", (".850", "", "", "", "")),
    Row("logdetective 5.0.0, Drain extractor", (".150", "", "", "", "")),
    Row("buildlog-consultant 0.0.39", (".250", "", "", ".250", "")),
)


class Window(NamedTuple):
    """A log with its markers taken out: the 1-based marked line, and the marked spans of it."""

    name: str
    text: str
    line: int
    spans: tuple[str, ...]


def measure(folder: Path) -> Table:
    """hit30, top-1 and key over all windows."""
    windows = [_window(path) for path in sorted(folder.glob("*.txt"))]
    shown = report = listed = top = keys = 0
    for window in windows:
        found = find_failures(window.text)
        if found.primary is None:
            continue
        primary = found.failures[found.primary]
        same = _same(window)
        shown += bool(same & _shown(window))
        span = _own(primary)
        report += len(span) <= _LIMIT and bool(same & span)
        listed += bool(same & _listed(found))
        top += primary.line == window.line
        keys += _key_holds(found, window)
    n = len(windows)
    return Table(
        name="PyTorch CI windows",
        size=f"{n} windows; differences below .15 are noise.",
        protocol="hit30: the marked line, or the same line at another time, is in the primary failure's excerpt as "
        f"`kb triage --json` gives it (at most {_LIMIT} lines), in its report of at most {_LIMIT} lines, or among as "
        "many lines of that report and the other failures' own lines; top-1: it is the primary's own line; key: the "
        "primary's signature holds the marked spans.",
        columns=("hit30, excerpt", "hit30, report", "hit30, all failures", "top-1", "key"),
        ours=(Row("kb", (share(shown, n), share(report, n), share(listed, n), share(top, n), share(keys, n))),),
        given=_GIVEN,
    )


def _window(path: Path) -> Window:
    lines: list[str] = []
    marked, spans = 0, ()
    for raw in path.read_text("utf-8", "replace").split("\n"):
        line = raw.removeprefix(_MARK)
        if raw.startswith("#=SOURCE=#"):
            continue
        if line != raw:
            spans = tuple(_SPAN.findall(line))
            marked = len(lines) + 1
        lines.append(line if line == raw else line.replace("‹", "").replace("›", ""))
    return Window(path.stem, "\n".join(lines), marked, spans)


def _same(window: Window) -> set[int]:
    """The numbers of the lines that say what the marked one says, which is told again after each new try."""
    said = [_SINCE.sub("", clean(line)).strip() for line in window.text.split("\n")]
    return {number for number, text in enumerate(said, 1) if text == said[window.line - 1]}


def _own(failure: Failure) -> set[int]:
    """The lines of a failure's report."""
    spans = failure.spans or ((failure.first_line, failure.last_line),)
    return {number for first, last in spans for number in range(first, last + 1)}


def _shown(window: Window) -> set[int]:
    """The numbers of the lines in the primary's excerpt; none when it has more than 30."""
    report = triage(window.text.encode(), window.name, None, excerpts=True)
    assert report.primary is not None
    numbers = {line.number for line in report.failures[report.primary].excerpt if line.number}
    return numbers if len(numbers) <= _LIMIT else set()


def _listed(found: Found) -> set[int]:
    """At most 30 lines: the primary's report when it is short, else its own line; then the other failures' lines."""
    assert found.primary is not None
    primary = found.failures[found.primary]
    lines = dict.fromkeys(sorted(_own(primary)))
    if len(lines) > _LIMIT:
        lines = {primary.line: None}
    for failure in found.failures:
        lines.setdefault(failure.line)
    return set(list(lines)[:_LIMIT])


def _key_holds(found: Found, window: Window) -> bool:
    """Whether the signature holds each span, both as kb masks them."""
    assert found.primary is not None
    signature = sign(found.failures[found.primary])
    held = _plain(f"{signature.type}: {signature.template} {' '.join(signature.parts)}")
    return all(_plain(shown(mask(clean(span)).segments)) in held for span in window.spans)


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[`'‘’\"]", "'", text.replace("##[error]", "")).split())
