"""The outcome of each fix, derived from what the attempts after it show.

A fix made in attempt k is judged by attempt k+1, and only when that one tried the same thing: the failure A of k is
gone and nothing failed (`fixed`), another failure B came (`progressed`), A is there again (`failed`). All else is
`unverified`, with the reason in words. How strong the proof is:

- `exit-0`: the rerun ended with exit status 0;
- `absent`: and what it printed or logged lacks A;
- `soaked`: and it stayed away over three reruns or more, over the number of runs that the rerun states, or over at
  least three times as long as the failing attempt ran (both durations stated, the heading says `reruns`);
- `reverted`: a later fix `revert-<slug>` brought A back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kb.knowledge.attempts import AttemptRead, Ran
from kb.knowledge.commands import Named, changed
from kb.knowledge.model import FixMade, Occurrence, Strength, Try
from kb.knowledge.stated import runs_needed, stated_runs, stated_share

_SOAK_RUNS = 3
_SOAK_TIMES_LONGER = 3
_REVERT = "revert-"
#: So many attempts before a fix are compared with the one after it.
_LOOK_BACK = 50


@dataclass(frozen=True, slots=True)
class _Rerun:
    """Whether an attempt tried the same thing as an earlier one: the console that did (None for a log), or why not."""

    same: bool
    ran: Ran | None = None
    why_not: str = ""


def tries(attempts: Sequence[AttemptRead]) -> Iterator[Try]:
    """One `Try` for each fix made in an attempt that had a failure, in the order they were made."""
    reverts = _reverts(attempts)
    for at, attempt in enumerate(attempts):
        slugs = tuple(dict.fromkeys(fix.slug for fix in attempt.fixes))
        if not slugs:
            continue
        target, failing, total = _target(attempts, at)
        if target is None:
            continue
        judged = _judge(attempts, at, target, failing, total)
        for slug in slugs:
            others = tuple(other for other in slugs if other != slug)
            yield _reverted(attempts, reverts.get(slug, ()), target, replace(judged, fix=slug, together=others))


def _target(attempts: Sequence[AttemptRead], at: int) -> tuple[Occurrence | None, int, int]:
    """The failure that fixes made in `at` are for, and in how many of how many runs it was seen before them.

    Only attempts since the last fix count: before that, something else may have changed it.
    """
    window = [attempts[at]]
    for earlier in reversed(attempts[:at]):
        if earlier.fixes or not _same(attempts, earlier, attempts[at], ()).same:
            break
        window.append(earlier)
    target = next((one.root for one in window if one.root), None)
    if target is None:
        return None, 0, 0
    failing = total = 0
    for one in window:
        share = stated_share(one.said)
        with_target = _shows(one, target)
        if share and with_target:
            failing, total = failing + share[0], total + share[1]
        elif with_target or _clean(one):
            failing, total = failing + with_target, total + 1
    return target, failing, total


def _judge(attempts: Sequence[AttemptRead], at: int, target: Occurrence, failing: int, total: int) -> Try:
    """The outcome that the attempts after `at` give its fixes, for the failure `target`."""
    known = Try(target.signature.id, "", attempts[at].number, "unverified", "", "")
    if at + 1 == len(attempts):
        return replace(known, because="nothing was run after it")
    after, base = attempts[at + 1], attempts[at]
    if not after.ran and not after.logs and after.root is None:
        return replace(known, because=f"attempt {after.number} ran nothing")
    begin, rerun = _rerun(attempts, at, target)
    if not rerun.same:
        return replace(known, because=rerun.why_not)
    root = _root(after, rerun)
    again = _still_there(after, target)
    if root is not None and again is not None:
        return replace(known, outcome="failed", because=_again(after, again))
    runs, back = _clean_runs(attempts, at, begin, target)
    if back is not None:
        because = f"gone in attempt {after.number}, back in attempt {back} with nothing changed between them"
        return replace(known, outcome="failed", because=because)
    needed = runs_needed(failing, total) if total else 1
    if runs < needed:
        because = (
            f"the failure came in {failing} of {total} runs before the fix: {needed} clean runs would prove it gone, "
            f"{needed - runs} of them are missing"
        )
        return replace(known, because=because)
    if (
        root is not None
        and root.role != "root"
        and any(one.signature.id == root.signature.id for one in base.occurrences)
    ):
        because = f"attempt {after.number} shows only what followed from it before: {root.signature.title}"
        return replace(known, because=because)
    if root is not None:
        because = f"attempt {after.number} no longer shows it, but another failure: {root.signature.title}"
        return replace(known, outcome="progressed", strength="absent", because=because, next_id=root.signature.id)
    return _fixed(known, base, after, rerun, runs)


def _again(after: AttemptRead, again: Occurrence) -> str:
    beside = "" if again.primary or after.root is None else f", beside another one: {after.root.signature.title}"
    return f"attempt {after.number} shows the same failure again{beside}"


def _rerun(attempts: Sequence[AttemptRead], at: int, target: Occurrence) -> tuple[AttemptRead, _Rerun]:
    """Whether the attempt after `at` tried the same thing as `at`, or as an earlier attempt that ended the same way.

    The latter is what happens when a fix that did not help is taken back together with making the next one. Gives the
    attempt that was repeated, too.
    """
    base, after = attempts[at], attempts[at + 1]
    rerun = _same(attempts, base, after, base.fixes)
    if rerun.same:
        return base, rerun
    for earlier in attempts[max(0, at - _LOOK_BACK) : at]:
        if _shows(earlier, target):
            same = _same(attempts, earlier, after, base.fixes)
            if same.same:
                return earlier, same
    return base, rerun


def _fixed(known: Try, base: AttemptRead, after: AttemptRead, rerun: _Rerun, runs: int) -> Try:
    """`known` as fixed, with the strength of the proof; `unverified` when the rerun does not say how it ended."""
    ran = rerun.ran
    if ran is not None and ran.by_hand and not after.logs:
        because = f"attempt {after.number} was stopped by hand: whether it would have failed is not known"
        return replace(known, because=because)
    if ran is not None and ran.exit is None and not ran.by_hand and not after.logs:
        return replace(known, because=f"attempt {after.number} states no exit status and no log")
    ended_well = ran is not None and ran.exit == 0
    strength: Strength = "exit-0" if ended_well else "absent"
    said = [f"attempt {after.number} tried the same and " + ("ended with exit status 0" if ended_well else "ran")]
    if bool(after.logs) or (ran is not None and ran.printed):
        strength = "absent"
        said.append("its output lacks the failure")
    longer = bool(after.reruns) and 0 < base.seconds * _SOAK_TIMES_LONGER <= after.seconds
    if runs >= _SOAK_RUNS or longer:
        strength = "soaked"
        said.append(f"it stayed away over {runs} runs" if runs > 1 else f"it ran for {after.seconds:.0f} s without it")
    return replace(known, outcome="fixed", strength=strength, because="; ".join(said))


def _clean_runs(
    attempts: Sequence[AttemptRead], at: int, begin: AttemptRead, target: Occurrence
) -> tuple[int, int | None]:
    """How many runs in a row after `at` lack the failure, and the attempt that it came back in, if any.

    Counts while they try what `begin` tried and no further fix is made.
    """
    runs = 0
    for after in attempts[at + 1 :]:
        if not _same(attempts, begin, after, attempts[at].fixes).same:
            break
        if _shows(after, target):
            return runs, after.number
        runs += stated_runs(after.said) if after.reruns else 1
        if after.fixes:
            break
    return runs, None


def _reverts(attempts: Sequence[AttemptRead]) -> dict[str, list[int]]:
    """Where each fix was taken back: its slug -> the places of the attempts that did."""
    found: dict[str, list[int]] = {}
    for at, attempt in enumerate(attempts):
        for fix in attempt.fixes:
            if fix.slug.startswith(_REVERT):
                found.setdefault(fix.slug.removeprefix(_REVERT), []).append(at)
    return found


def _reverted(attempts: Sequence[AttemptRead], reverts: Sequence[int], target: Occurrence, judged: Try) -> Try:
    """`judged` with the strongest proof when taking the fix back brought the failure back."""
    if judged.outcome not in ("fixed", "progressed"):
        return judged
    for at in reverts:
        if not judged.attempt <= at < len(attempts) - 1:
            continue
        before, after = attempts[at], attempts[at + 1]
        if _shows(after, target) and _same(attempts, before, after, before.fixes).same:
            because = f"{judged.because}; taking it back brought the failure back in attempt {after.number}"
            return replace(judged, strength="reverted", because=because)
    return judged


def _shows(attempt: AttemptRead, target: Occurrence) -> bool:
    """Whether the attempt ended in this failure."""
    return attempt.root is not None and _alike(attempt.root, target)


def _still_there(attempt: AttemptRead, target: Occurrence) -> Occurrence | None:
    """The failure in the evidence of an attempt, as whatever it appears there: roots before symptoms."""
    found = [one for one in attempt.occurrences if _alike(one, target)]
    return min(found, key=lambda one: (not one.primary, one.role != "root"), default=None)


def _alike(one: Occurrence, other: Occurrence) -> bool:
    """Whether two occurrences are the same failure.

    A record may show a whole traceback once and only its last line the next time: without frames to compare, type and
    message decide.
    """
    if one.signature.id == other.signature.id:
        return True
    if (one.failure.frames and other.failure.frames) or not one.signature.pattern:
        return False
    # What people split by a text of the message has segments of its own.
    mine, theirs = one.signature, other.signature
    return (mine.type, mine.template, mine.segments) == (theirs.type, theirs.template, theirs.segments)


def _clean(attempt: AttemptRead) -> bool:
    return attempt.root is None and (bool(attempt.logs) or any(ran.exit == 0 for ran in attempt.ran))


def _root(after: AttemptRead, rerun: _Rerun) -> Occurrence | None:
    """The failure of the rerun: a bad exit status of some other command beside a rerun that ended well is none."""
    root = after.root
    if root is not None and root.failure.kind == "exit" and rerun.ran is not None and rerun.ran.exit == 0:
        return None
    return root


def _same(attempts: Sequence[AttemptRead], before: AttemptRead, after: AttemptRead, fixes: Sequence[FixMade]) -> _Rerun:
    """Whether `after` tried what `before` tried, but for what `fixes` changed."""
    if after.reruns is not None:
        first = _first(attempts, after)
        if first is _first(attempts, before) or _by_commands(first, before, fixes).same:
            return _Rerun(True, _told(before, after))
    return _by_commands(before, after, fixes)


def _by_commands(before: AttemptRead, after: AttemptRead, fixes: Sequence[FixMade]) -> _Rerun:
    """`_same` by what was run: the commands, or the log that both attempts show when neither names a command.

    Who declares a failure again has tried again what showed it.
    """
    if _declared(before) and _declared(before) == _declared(after):
        return _Rerun(True)
    if before.main is None:
        shared = {log for log in before.logs if log} & {log for log in after.logs if log}
        if shared:
            return _Rerun(True)
        return _Rerun(
            False, why_not=_advice(f"attempt {before.number} names no command to compare with", before, after)
        )
    named = Named("\n".join(_words(fix) for fix in fixes))
    closest: tuple[str, ...] | None = None
    for ran in after.ran:
        for command in ran.commands:
            units = changed(before.main, command)
            if units is None:
                continue
            unnamed = tuple(unit for unit in units if unit not in named)
            if not unnamed:
                return _Rerun(True, ran)
            closest = unnamed if closest is None or len(unnamed) < len(closest) else closest
    if closest is not None:
        shown = ", ".join(f"`{unit}`" for unit in closest[:3])
        return _Rerun(
            False, why_not=_advice(f"attempt {after.number} differs in {shown}, which no fix names", before, after)
        )
    commands = [command for ran in after.ran for command in ran.commands]
    if not commands and after.logs and set(after.logs) & set(before.logs) - {""}:
        return _Rerun(True)
    said = f"ran `{commands[-1].program}`, not `{before.main.program}`" if commands else "names no command"
    return _Rerun(False, why_not=_advice(f"attempt {after.number} {said}", before, after))


def _declared(attempt: AttemptRead) -> str:
    """The id of the failure that a person declared in an attempt, or ""."""
    return attempt.root.signature.id if attempt.root is not None and attempt.root.failure.kind == "declared" else ""


def _told(before: AttemptRead, after: AttemptRead) -> Ran | None:
    """The console of an attempt whose heading says what it reruns: the one with the same program, else the last."""
    for ran in after.ran:
        if before.main is not None and any(command.program == before.main.program for command in ran.commands):
            return ran
    return after.ran[-1] if after.ran else None


def _first(attempts: Sequence[AttemptRead], attempt: AttemptRead) -> AttemptRead:
    """The attempt that a chain of `reruns` leads back to."""
    while attempt.reruns is not None and attempt.reruns < attempt.number:
        attempt = attempts[attempt.reruns - 1]
    return attempt


def _advice(why: str, before: AttemptRead, after: AttemptRead) -> str:
    return f"{why}; if attempt {after.number} tried the same thing, say so in its heading: {{reruns={before.number}}}"


def _words(fix: FixMade) -> str:
    """All that a fix says of itself, in which changed options and arguments are looked for."""
    blocks = [body for _, body in fix.blocks]
    return "\n".join([fix.slug, fix.slug.replace("-", " "), fix.title, fix.target, fix.prose, *blocks])
