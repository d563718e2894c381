"""Source code in a log, as a search, a patch or a page of documentation shows it: what its texts say did not happen."""

from __future__ import annotations

from kb.expressions import late

#: Where source stands in a log: indented, behind the mark of a change, behind the place at which a search found it.
_MARGIN = late(r"\s{2,}|[+-]\s{1,200}|\S{1,300}\.[A-Za-z]{1,5}(?P<grep>[:-])(?:\d{1,7}(?P=grep))?\s{0,200}")
_NAME = r"(?:\w{1,20} )?[\w.\[\]]{1,80}(?:: [\w\[\], .|]{1,80})? \+?= "
_KEYWORD = r"(?:return|assert|yield|raise|print|await|elif|if|in|not|expect|self\.\w{1,60}|assert\w{1,60})\b"
_OPEN = r"[(\[]|, |[!=]= | in |\([^()]{0,200}="
_QUOTE = r"\[?[rbfuRBFU]{0,2}['\"`]{1,3}$"
#: A line of source up to the text in it: an assignment, a statement, a call, or nothing.
_SOURCE = late(
    rf"(?:(?:{_NAME}|{_KEYWORD} ?)(?:.{{0,300}}(?:{_OPEN}))?|[\w.]{{1,120}}\((?:[^()]{{0,200}}(?:, |=))?)?{_QUOTE}"
)
#: The same at the margin, where pytest shows the values of variables: it fills short names up to ten characters.
_CONSTANT = late(
    rf"(?:(?:const|let|var|static|final) .{{1,200}}|[A-Z][A-Z\d_]{{0,80}}|[a-z_]\w{{0,8}})"
    rf" = (?:[\w.]{{1,80}}\()?{_QUOTE}"
)
_BARE = ('"""', "'''")
_DOCTEST = (">>> ", "... ")


def opens_text(before: str) -> bool:
    """Whether `before`, which ends with the quotation mark of a text, is source code."""
    if (margin := _MARGIN.match(before)) is not None:
        return _SOURCE.match(before, margin.end()) is not None
    return _CONSTANT.match(before) is not None


def is_text(line: str, before: str, after: str) -> bool:
    """Whether the head of a traceback in `line` stands in a text of source code: behind its quotation mark, or below.

    `before` and `after` are the lines around it. What a session of Python shows is real, unless the frames are left out
    as examples in documentation leave them out.
    """
    head = line.partition("Traceback (")[0]
    if head.strip():
        return head.endswith(("'", '"', "`")) and opens_text(head)
    opened = before.rstrip().removesuffix("\\")
    if opened.endswith((*_BARE, "`")) and opened.strip() not in _BARE:
        return opens_text(opened)
    return before.lstrip().startswith(_DOCTEST) and after.strip() == "..."
