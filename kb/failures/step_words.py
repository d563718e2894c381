"""What a failed step of a CI job said, when no reader knows its tool: the paragraph that most looks like a complaint.

Looked for only in steps that failed and hold no failure of their own.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from kb.failures.found import Find, spotted
from kb.failures.phrases import is_noise, went_well
from kb.failures.streams import MILD, Line, Stream
from kb.failures.traced import gave_up

_LONGEST = 1_000
#: So many lines of a step are looked at, from its end on.
_LOOKED_AT = 3_000
_MOST = 24
_TITLE = 3
_WEIGHT = 3
_DIFF = re.compile(
    r"[ +-]|$|@@ |(?:index|diff|old mode|new mode|new file|deleted file|similarity|rename|copy|Binary files|\\ No)\b"
)


class _Cues(NamedTuple):
    failed: re.Pattern[str]
    expected: re.Pattern[str]
    place: re.Pattern[str]
    mild: re.Pattern[str]
    summary: re.Pattern[str]
    went_on: re.Pattern[str]


# fmt: off
@cache
def _cues() -> _Cues:
    return _Cues(
        failed=re.compile(
            r"\bfail(?:ed|ures?|s|ing)?\b(?!-)|\berrors?\b|\bexception\b|[✗✖✘⨯❌]|\bnot ok\b|\bviolat|\binvalid\b"
            r"|\bmissing\b|would (?:be )?reformat|not (?:properly )?formatted|style issues"
            r"|incorrectly|not compliant|\bmismatch"
            r"|\bnot (?:found|set|defined|allowed|supported|reached|available|installed|met)\b|\bunknown\b|\bdenied\b"
            r"|\b(?:cannot|can't|could not|couldn't|unable to)\b|\bdiffers?\b|does not meet|\btimed out\b|\bmust\b"
            r"|below (?:the )?(?:expected |minimum |required )?threshold|\bno (?:matching|such)\b|\brequired\b"
            r"|\bno (?:\w{1,30} ){1,4}(?:found|available|given|specified|configured)\b"
            r"|\bunexpected\b|\baborted\b|\bpanic\b",
            re.IGNORECASE,
        ),
        expected=re.compile(
            r"\bexpected\b|\bactual(?:ly)?\b|\bbut (?:was|got)\b|\bgot\b|\binstead of\b|\bto (?:equal|be|have)\b"
            r"|\bshould\b|\bassert",
            re.IGNORECASE,
        ),
        place=re.compile(r"[\w/\\.-]{1,200}\.[A-Za-z]\w{0,10}(?::\d|\(\d|, line \d|\[\d)|\bline \d{1,7}\b"),
        mild=re.compile(
            r"\b(?:warn(?:ing)?s?|info|debug|notice|deprecat\w+|retry(?:ing)?|skipp(?:ed|ing))\b|[✓✔]|\bok \d"
            r"|^Name +Stmts|^\S+(?: +\d+){2,5} +\d+%"
            r"|\.{3,} ?ok\b|\b(?:passed|PASS)\b|^\s*(?:at|from|in) |\b(?:npm ERR!|error_)|^\s*[>$+] "
            r"|\b(?:Download|Install|Compil|Fetch|Unpack|Setting up)\w*\b",
            re.IGNORECASE,
        ),
        summary=re.compile(
            r"\W*(?:(?:\d[\d,]*|no|one) (?:of \d+ )?(?:\w+ ){0,2}(?:tests?|specs?|examples?|errors?|failures?|failed"
            r"|passed|passing|failing|assertions?|problems?|scenarios?|steps?|suites?|checks?|runs?|files?)\b"
            r"|(?:total|ran|tests?|specs?|failures?|errors?|failed|passed|test suites?|suites?|time|finished|result"
            r"|duration|executed|tests run)\b[^a-z]{0,40}\d.{0,80}$"
            r"|(?:TOTAL|PASS|SKIP|XFAIL|FAIL|XPASS|ERROR): +\d+$"
            r"|(?:some )?(?:tests?|build|run) failed\W*$|(?:failures?|failed|errors?):?\W*$|FAIL\W*$)",
            re.IGNORECASE,
        ),
        #: Places that nothing ended with: a compiler's warnings, lines of progress, tests that passed.
        went_on=re.compile(
            r": (?:warning|note|remark): |\b(?:Download|Install|Compil|Fetch|Unpack|Upload|Writ|Process|Load)\w*\b|%$"
            r"|\b(?:PASSED|passed|ok|OK|up to date)\b|[✓✔]|^\s*(?:at|from|in) |\d+%|https?://",
        ),
    )
# fmt: on


def step_words(stream: Stream, start: int, end: int, taken: frozenset[int]) -> Iterator[Find]:
    """The complaint of the step whose output lies from `start` to before `end`; lines in `taken` belong to others."""
    best: tuple[int, list[Line]] = (0, [])
    placed: tuple[int, list[Line]] = (0, [])
    for paragraph in _paragraphs(stream[max(start, end - _LOOKED_AT) : end]):
        for part in _windows(paragraph, taken):
            score = _score(part)
            if score > best[0]:
                best = (score, part)
        places = _places(paragraph, taken)
        if len(places) > placed[0]:
            placed = (len(places), places)
    if changed := _changed(stream[max(start, end - _LOOKED_AT) : end]):
        yield changed
        return
    if traced := gave_up(stream[max(start, end - _LOOKED_AT) : end]):
        yield traced
        return
    block = _trimmed(best[1]) or placed[1][:_MOST]
    if block:
        at = next((line for line in block if _tells(line.text)), block[0])
        yield spotted("general", "error-line", "error", at.text.strip(), at, block, weight=_WEIGHT)


def _changed(lines: Sequence[Line]) -> Find | None:
    """What a step found changed that should not be: it prints the difference as Git does."""
    at = next((place for place, line in enumerate(lines) if line.text.startswith("diff --git a/")), None)
    if at is None:
        return None
    end = at + 1
    while end < min(at + _MOST, len(lines)) and _DIFF.match(lines[end].text):
        end += 1
    while not lines[end - 1].text.strip():
        end -= 1
    message = f"changed: {lines[at].text.rpartition(' b/')[2]}"
    return spotted("general", "lint", "diff", message, lines[at], lines[at:end], weight=_WEIGHT)


def _trimmed(block: list[Line]) -> list[Line]:
    """`block` without what went well above its complaint, and without what says nothing of it at its end."""
    tells = [
        place for place, line in enumerate(block) if _tells(line.text) or _cues().expected.search(line.text[:_LONGEST])
    ]
    if not tells:
        return block
    begin = tells[0]
    while begin and not _mild(block[begin - 1].text) and tells[0] - begin < _TITLE:
        begin -= 1
    end = tells[-1] + 1
    while end < len(block) and (
        _depth(block[end].text) > _depth(block[tells[-1]].text) or _cues().place.search(block[end].text[:_LONGEST])
    ):
        end += 1
    return block[begin:end]


def _mild(text: str) -> bool:
    return not text.strip("=-*_# ") or went_well(text[:_LONGEST]) or _cues().mild.search(text[:_LONGEST]) is not None


def _places(paragraph: list[Line], taken: frozenset[int]) -> list[Line]:
    """The lines of `paragraph` between the first and the last that names a place: the list of a checker."""
    cues, at = _cues(), list[int]()
    for place, line in enumerate(paragraph):
        text = line.text[:_LONGEST]
        if line.number not in taken and cues.place.search(text) and not cues.went_on.search(text):
            at.append(place)
    return paragraph[at[0] : at[-1] + 1] if at else []


def _paragraphs(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Runs of lines that say something; a short title is one with the deeper lines behind the empty line after it."""
    whole: list[Line] = []
    blank = False
    for line in lines:
        if not line.text.strip():
            blank = True
            continue
        if whole and blank and not (len(whole) <= _TITLE and _depth(line.text) > _depth(whole[0].text)):
            yield whole
            whole = []
        blank = False
        whole.append(line)
    if whole:
        yield whole


def _windows(paragraph: list[Line], taken: frozenset[int]) -> Iterator[list[Line]]:
    """`paragraph`, or of a long one the pieces from each complaint on."""
    free = [line for line in paragraph if line.number not in taken]
    if len(free) <= _MOST:
        if free:
            yield free
        return
    place = 0
    while place < len(free):
        if _tells(free[place].text):
            end = place + 1
            while end < min(place + _MOST, len(free)) and (
                _depth(free[end].text) > _depth(free[place].text) or _tells(free[end].text)
            ):
                end += 1
            yield free[place:end]
            place = end
        else:
            place += 1


def _tells(text: str) -> bool:
    cues, text = _cues(), text[:_LONGEST]
    if cues.mild.search(text) or cues.summary.match(text) or is_noise(text):
        return False
    return cues.failed.search(text) is not None


def _score(lines: Sequence[Line]) -> int:
    cues = _cues()
    failed = expected = place = 0
    for line in lines:
        text = line.text[:_LONGEST]
        if cues.summary.match(text) or line.level in MILD:
            continue
        if not failed and _tells(text):
            failed = 2
        if not expected and not cues.mild.search(text) and cues.expected.search(text):
            expected = 2
        if not place and cues.place.search(text):
            place = 1
    return failed + expected + place if failed or (expected and place) else 0


def _depth(text: str) -> int:
    return len(text) - len(text.lstrip())
