"""What introduces a traceback of Python: the record, the thread, the test or the rank that it is of."""

from __future__ import annotations

from kb.expressions import late
from kb.failures.readers.traceback import RELAYED
from kb.failures.streams import Stream

_IGNORED = ("Exception ignored in", "Exception ignored on", "Exception ignored while")
#: What pytest sets above the traceback of a test, when it shows it as Python does.
_TEST = late(r"_{3,100} (?P<name>\S.{0,300}) _{3,100}$")
#: How `logging` tells that it could not write a record, and where that report ends.
LOGGING = "--- Logging error ---"
#: What `multiprocessing` sets above the traceback of a process that an exception ended.
_PROCESS = late(r"Process (?P<name>[\w.:-]{1,80}):$")
_THREAD = late(r"Exception in thread (?P<name>[^:\n]{1,200})")
#: Whose traceback a checkpoint's exception quotes: `Traceback (most recent call last): (RANK 0)`.
_OF_RANK = late(r"\): \(RANK (?P<rank>\d{1,6})\)$")
#: A row of the table of ranks that torchrun prints, with the traceback that a rank left in its error file.
_RANK = late(r"\s+rank\s*: (?P<rank>\d{1,6}) \(")
_NEVER = "exception was never retrieved"


def title_of(lines: Stream, start: int) -> tuple[int, tuple[str, ...], str]:
    """The record that introduces the traceback at `start`: first line, text as a note, why it is after-effect."""
    head = lines[start].text.partition("Traceback (")[0].strip(" |+│╭─")
    if head and not head.endswith(('"', "'")):
        return start, (head.rstrip(":"),), ""
    if (of_rank := _OF_RANK.search(lines[start].text[-20:])) is not None:
        return start, (f"rank {of_rank['rank']}",), ""
    if start == 0:
        return start, (), ""
    before = lines[start - 1]
    text = before.text.strip()
    if text == LOGGING:
        return start - 1, (), "the program's log could not be written, which ends nothing"
    if text.startswith(_IGNORED):
        return start - 1, (text,), "Python ignored this exception: nothing was left that could have handled it"
    if text.startswith(("future: <", "task: <")) and start > 1 and _NEVER in lines[start - 2].text:
        return start - 2, (lines[start - 2].text.strip(), text), ""
    if _THREAD.match(text) or _NEVER in text or text.startswith(("future: <", "task: <")):
        return start - 1, (text,), ""
    if before.level in ("error", "fatal") and before.record and text and before.process == lines[start].process:
        return start - 1, (text,), ""
    if _PROCESS.match(text):
        return start - 1, (text,), ""
    if tested := _TEST.match(text):
        return start - 1, (tested["name"],), ""
    if not text and start > 1 and "PytestUnraisableExceptionWarning" in lines[start - 2].text:
        return start, (), "pytest only warns of this exception: nothing was left that could have handled it"
    return start, (), ""


def process_of(lines: Stream, begin: int, at: int) -> str:
    """The label of the process, the thread or the rank whose traceback begins at `begin`, its exception at `at`."""
    head = lines[begin].text.strip()
    named = _THREAD.match(head) or _PROCESS.match(head) or RELAYED.match(head)
    return lines[at].process or lines[begin].process or (named["name"] if named else _of_table(lines, begin))


def _of_table(lines: Stream, begin: int) -> str:
    """The rank in whose row of torchrun's table the traceback at `begin` stands, or that its head names; or ""."""
    if (of_rank := _OF_RANK.search(lines[begin].text[-20:])) is not None:
        return f"rank{of_rank['rank']}"
    if not lines[begin].text.lstrip().startswith("traceback : "):
        return ""
    rows = (_RANK.match(line.text) for line in lines[max(begin - 4, 0) : begin])
    return next((f"rank{row['rank']}" for row in rows if row), "")
