"""The quiet lines after a command: what failed, whether it is known, what fixes it; and whether a fix has worked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING

from kb.cli.fix_text import outcome_words
from kb.cli.terminal import cut, note, one_line, own_title
from kb.cli.where import build
from kb.errors import KbError

if TYPE_CHECKING:
    from kb.capture.run.ring import Run
    from kb.capture.writing import Appended
    from kb.home import Home
    from kb.index.store import Store
    from kb.knowledge.model import Try
    from kb.record.model import Attempt
    from kb.triage.model import KnownFix, Match, Report

_WIDE = 110
#: Longer output is read by the neighbourhoods of error words: the prompt must come back soon.
_READ_WHOLE = 1 << 18


def after_lines(home: Home | None, run: Run, appended: Appended | None) -> Iterator[str]:
    """What to say when `run` has ended: nothing, when it went well and proves nothing."""
    if appended is not None and appended.session is not None:
        yield from _proof(appended)
    elif appended is not None:
        yield f"kb: the run waits for its session: {one_line(appended.waits)}"
    if run.failed and not _by_hand(run):
        for line in _failure(home, run, in_session=appended is not None):
            yield f"kb: {cut(line, _WIDE)}"


def _by_hand(run: Run) -> bool:
    """Whether somebody stopped it from the keyboard."""
    return run.signal == 2 or run.exit == 130


def _failure(home: Home | None, run: Run, *, in_session: bool) -> Iterator[str]:
    """The root failure, whether it is known, and the best fix."""
    from kb.triage.report import triage

    store = _store(home)
    data = run.log.text.encode("utf-8", "replace")
    report = triage(data if len(data) <= _READ_WHOLE else BytesIO(data), run.command, store)
    offer = "" if in_session else "; `kb promote` makes a session of this"
    if report.primary is None:
        how = f"exit status {run.exit}" if run.exit else f"signal {run.signal}"
        yield f"{how}, and no error that kb can read in {run.lines} lines{offer}"
        return
    failure = report.failures[report.primary].failure
    message = failure.message.strip().split("\n", 1)[0]
    kind = failure.type.rpartition(".")[2]
    what = one_line(f"{kind}: {message}" if kind and message else kind or message or failure.text)
    yield what + (f" (in {one_line(failure.process)})" if failure.process else "")
    yield from _known(report, store, run.session, offer)


def _store(home: Home | None) -> Store | None:
    """The index as it is: whether it is up to date is of no interest to somebody whose command has failed."""
    if home is None:
        return None
    from kb.index.store import open_store

    try:
        if not home.index.is_file():
            build(home)
        return open_store(home)
    except KbError as error:
        note(str(error))
        return None


def _known(report: Report, store: Store | None, session: str, offer: str) -> Iterator[str]:
    assert report.primary is not None
    triaged = report.failures[report.primary]
    certain = [match for match in triaged.matches if match.level != "similar"]
    if certain:
        match = certain[0]
        card = store.lookup_id(match.id) if store is not None else None
        if card is not None and set(card.sessions) <= {session}:
            yield f"seen in this session only: {match.id}"
        else:
            yield f"known: {match.id}, {one_line(match.why[-1])}"
            yield _best(match)
    elif report.verdict == "symptom-only":
        yield "a symptom only: what caused it is not in this output" + offer
    elif store is None:
        yield f"{triaged.signature.id}; no knowledge base here, so nothing is known of it{offer}"
    else:
        yield f"new: {triaged.signature.id}{offer}"


def _best(match: Match) -> str:
    helpful = [fix for fix in match.fixes if fix.fixed or fix.progressed]
    if helpful:
        return f"fix: {_fix(helpful[0])}; kb show {helpful[0].slug}"
    failed = [fix for fix in match.fixes if fix.failed]
    if failed:
        return f"no fix known; a dead end: {_fix(failed[0])}; kb show {match.id}"
    return f"no fix known yet; kb show {match.id}"


def _fix(fix: KnownFix) -> str:
    said = outcome_words(fixed=fix.fixed, progressed=fix.progressed, failed=fix.failed, unverified=fix.unverified)
    return f"{one_line(fix.slug)}{own_title(fix.slug, fix.title)} ({said})"


def _tries(attempts: Sequence[Attempt]) -> list[Try]:
    from kb.knowledge.attempts import read_attempt
    from kb.knowledge.proof import tries

    return list(tries([read_attempt(attempt, number) for number, attempt in enumerate(attempts, start=1)]))


def _proof(appended: Appended) -> Iterator[str]:
    """What the run proves of the fixes made before it, and nothing that was proven without it."""
    assert appended.session is not None
    if appended.attempt < 2:
        return
    *before, last = appended.session.attempts[: appended.attempt]
    # What was run since the fix and is another thing proves nothing; this run, the last step, may.
    without = last.model_copy(update={"steps": last.steps[:-1]})
    known = {(one.fix, one.signature_id): one.outcome for one in _tries([*before, without])}
    for one in _tries([*before, last]):
        if one.attempt != appended.attempt - 1 or known.get((one.fix, one.signature_id)) == one.outcome:
            continue
        fix = one_line(one.fix)
        if one.outcome == "fixed":
            yield f"kb: the fix {fix} worked: {one_line(one.because)}"
        elif one.outcome == "progressed":
            yield f"kb: the fix {fix} got past it, to another failure"
        elif one.outcome == "failed":
            yield f"kb: the fix {fix} did not help: {one_line(one.because)}"
