"""The answer of triage for people: the verdict first, then the root failure, the best fix, and the symptoms."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.cli.fix_text import cost_words, evidence_words, outcome_words
from kb.cli.terminal import columns, cut, cut_left, one_line, own_title, paint, piped, verbatim, visible, width, wrap
from kb.failures.model import Failure, Frame
from kb.triage.model import SAME_SIGNATURE, KnownFix, Match, Report, Triaged

_COLOURS = {"known": "green", "new": "yellow", "symptom-only": "magenta", "no-failure": "cyan"}
#: Where Python's own files lie, those of installed packages, and the commands that come with them; a file of Cython is
#: named as it was when its package was built.
_INSTALLED = re.compile(r"[/\\](?:site-packages|dist-packages|python\d[\d.]*|bin|Scripts)[/\\]|\.pyx$|^<(?!cell>)")
_SYMPTOMS_SHOWN = 5
_CAUSES_SHOWN = 3
_INDENT = "  "


def report_lines(report: Report, *, everything: bool, unasked: str = "") -> Iterator[str]:
    """The lines that `kb triage` prints for one input; `unasked` says why no knowledge base was asked, if so."""
    primary = report.failures[report.primary] if report.primary is not None else None
    yield _verdict(report, primary)
    if primary is not None:
        yield ""
        yield from _failure(primary)
        yield ""
        if primary.excerpt:
            yield from _excerpt(primary)
            yield ""
        yield from _knowledge(report, primary, everything=everything, unasked=unasked)
    for hint in report.hints:
        yield from wrap(visible(hint), indent="    ", first=f"{_INDENT}> ")
    yield from _others(report, everything=everything)


def _excerpt(triaged: Triaged) -> Iterator[str]:
    """The lines of the log, not wrapped but in a terminal cut: they are there to be recognised."""
    for number, text in triaged.excerpt:
        line = one_line(visible(text)) if piped() else cut(one_line(visible(text)), width() - 9)
        yield paint(f"{number or '':>7}  {line}", "red" if number == triaged.failure.line else "")


def _verdict(report: Report, primary: Triaged | None) -> str:
    word = paint(report.verdict, _COLOURS[report.verdict], bold=True)
    lines = f" ({report.lines} line" + ("" if report.lines == 1 else "s") + ")"
    name = f"{_name(primary)} · " if primary is not None else ""
    if piped():
        return f"{word}  {name}{one_line(report.source)}{lines}"
    room = width() - len(report.verdict) - 2
    name = cut(name, room - 20)
    return f"{word}  {name}{cut_left(one_line(report.source), room - columns(name) - len(lines))}{lines}"


def _name(triaged: Triaged) -> str:
    name = one_line(triaged.failure.type.rpartition(".")[2] or triaged.failure.kind)
    return f"{name} in {one_line(triaged.failure.process)}" if triaged.failure.process else name


def _failure(triaged: Triaged) -> Iterator[str]:
    """The decisive line as it stands in the log, where it stands, and why it is the one."""
    failure = triaged.failure
    for text in (failure.text.strip(), _unsaid(failure)):
        for line in verbatim(visible(text), indent=_INDENT, lines=4) if text else ():
            yield paint(line, "red")
    where = f"line {failure.line}"
    if failure.last_line > failure.first_line:
        where += f" (the report is lines {failure.first_line} to {failure.last_line})"
    for part in (f"process {failure.process}" if failure.process else "", failure.language or "", failure.kind):
        where += f", {one_line(part)}" if part else ""
    yield from wrap(where, indent=_INDENT)
    if failure.frames:
        yield from verbatim(f"at {_call(failure.frames[-1])}", indent=_INDENT)
        caller = _own_call(failure)
        if caller is not None:
            yield from verbatim(f"called from {_call(caller)}", indent=_INDENT)
    if failure.because:
        yield from wrap(f"why: {one_line('; '.join(failure.because))}", indent=_INDENT)


def _call(frame: Frame) -> str:
    place = f"{one_line(frame.file)}:{frame.line}" if frame.line else one_line(frame.file)
    return ", ".join(part for part in (one_line(frame.function), place) if part)


def _own_call(failure: Failure) -> Frame | None:
    """The innermost call in a file that nobody installed, where the failure came up in one that somebody did."""
    if failure.language != "python" or not _INSTALLED.search(failure.frames[-1].file):
        return None
    return next((f for f in reversed(failure.frames) if f.line and not _INSTALLED.search(f.file)), None)


def _unsaid(failure: Failure) -> str:
    """The message where the decisive line does not hold it: a panic says it on the next line."""
    message = failure.message.strip()
    return "" if message.split("\n", 1)[0] in failure.text else message


def _knowledge(report: Report, primary: Triaged, *, everything: bool, unasked: str) -> Iterator[str]:
    certain = [match for match in primary.matches if match.level != "similar"]
    similar = [match for match in primary.matches if match.level == "similar"]
    for match in certain if everything else certain[:1]:
        yield from _match(match, everything=everything)
    if not certain:
        signature = primary.signature
        yield from wrap(f"{signature.id}  {one_line(signature.title)}", indent=_INDENT, lines=2)
        if report.verdict == "new" and unasked:
            yield f"{_INDENT}{unasked}"
        for symptom in () if unasked else _known_symptoms(report)[:1]:
            yield from _causes(symptom, everything=everything)
    for match in similar if everything else similar[: 0 if certain else 2]:
        yield from wrap(
            f"resembles {match.id} ({match.score:.2f}): {one_line(match.title)}", indent="    ", first=_INDENT, lines=3
        )
        why = "; ".join(one for one in match.why if one != match.caution)
        yield from wrap(f"that is a suggestion, not a match: {one_line(why)}", indent="    ", lines=3)
        yield from _careful(match, indent="    ")
        for fix in _helpful(match)[:1]:
            yield from _fix(fix, "its fix", unsure=bool(match.caution))


def _match(match: Match, *, everything: bool) -> Iterator[str]:
    for line in wrap(f"{match.id}  {one_line(match.title)}", indent=_INDENT, lines=3):
        yield paint(line, bold=True)
    how = "exact match" if match.level == "exact" else f"{match.level} match, score {match.score:.2f}"
    why = [one for one in match.why if one not in (match.caution, SAME_SIGNATURE)]
    if match.level == "exact":
        # What else it has in common with the failure is everything: only what people decided is news.
        why = why[-1:] if match.why[0] == SAME_SIGNATURE else [why[0], why[-1]]
    yield from wrap(f"{how}: {one_line('; '.join(why))}", indent=_INDENT, lines=3)
    yield from _careful(match, indent=_INDENT)
    helpful = _helpful(match)
    yield ""
    yield from _causes(match, everything=everything)
    if match.causes and not match.fixes:
        yield f"{_INDENT}more      kb show {match.id}"
        return
    for fix in helpful if everything else helpful[:1]:
        yield from _fix(fix, "fix", everything=everything, unsure=bool(match.caution))
    if len(helpful) > 1 and not everything:
        yield f"{_INDENT}{len(helpful) - 1} more with --all"
    untested = [fix for fix in match.fixes if fix not in helpful and not fix.failed]
    for fix in untested if everything or not helpful else ():
        yield from _fix(fix, "unproven", everything=everything)
    for fix in _dead_ends(match):
        yield from _fix(fix, "dead end", everything=everything)
    if not match.fixes:
        yield f"{_INDENT}No fix was tried in any session yet."
    for chain in match.next if everything else match.next[:3]:
        text = f"after {one_line(chain.after)} comes {chain.id}: {one_line(chain.title)}"
        yield from wrap(text, indent=_INDENT * 6, first=f"{_INDENT}next      ", lines=3)
    cost = cost_words(match.attempt_seconds, match.attempts_timed)
    if cost:
        yield f"{_INDENT}costs     {cost}"
    yield f"{_INDENT}more      kb show {match.id}"


def _careful(match: Match, *, indent: str) -> Iterator[str]:
    for line in wrap(f"careful: {one_line(match.caution)}", indent=indent, lines=4) if match.caution else ():
        yield paint(line, "yellow")


def _known_symptoms(report: Report) -> list[Match]:
    """What the log holds that sessions know as a symptom of something that is not in it."""
    if report.verdict != "symptom-only":
        return []
    return [match for triaged in report.failures for match in triaged.matches if match.causes]


def _causes(match: Match, *, everything: bool) -> Iterator[str]:
    """What a symptom came from in the sessions that hold it, each cause with its best fix."""
    if not match.causes:
        return
    yield f"{_INDENT}In the sessions that hold this symptom, the cause was:"
    shown = match.causes if everything else match.causes[:_CAUSES_SHOWN]
    for cause in shown:
        text = f"{cause.id}  {one_line(cause.title)}"
        yield from wrap(text, indent=_INDENT * 3, first=f"{_INDENT}- ", lines=3)
        for fix in [fix for fix in cause.fixes if fix.fixed or fix.progressed][:1]:
            yield from _fix(fix, "its fix")
    if len(shown) < len(match.causes):
        yield f"{_INDENT}{len(match.causes) - len(shown)} more with --all"
    yield ""


def _helpful(match: Match) -> list[KnownFix]:
    """The fixes that helped at least once, in their ranking; those that do not apply to this version stay last."""
    return [fix for fix in match.fixes if fix.fixed or fix.progressed]


def _dead_ends(match: Match) -> list[KnownFix]:
    return [fix for fix in match.fixes if fix.failed and not fix.fixed and not fix.progressed]


def _fix(fix: KnownFix, label: str, *, everything: bool = False, unsure: bool = False) -> Iterator[str]:
    """A fix; `unsure` whether it is for the reader's program."""
    label_column = f"{_INDENT}{label:<10}"
    indent = " " * len(label_column)
    colour = {"fix": "green", "its fix": "green", "dead end": "red"}.get(label, "")
    title = own_title(fix.slug, fix.title)
    lines = wrap(f"{one_line(fix.slug)} ({fix.kind}){title}", indent=indent, first=label_column, lines=3)
    yield paint(lines[0], colour, bold=bool(colour))
    yield from lines[1:]
    said = outcome_words(fixed=fix.fixed, progressed=fix.progressed, failed=fix.failed, unverified=fix.unverified)
    yield from wrap(said, indent=indent)
    if unsure:
        others = ", ".join(map(one_line, fix.components)) or "another program, perhaps"
        yield from wrap(f"worked for {others}: check that its cause is yours", indent=indent)
    for words in evidence_words(fix):
        if not words.startswith("proof "):
            yield from wrap(words, indent=indent, lines=3)
    if fix.excluded:
        yield from (paint(line, "yellow") for line in wrap(f"not for this: {one_line(fix.excluded)}", indent=indent))
    if fix.retest:
        yield from wrap(f"retest: {one_line(fix.retest)}", indent=indent)
    if everything and fix.order:
        yield from wrap(f"order: {one_line(fix.order)}", indent=indent)
    if fix.sessions:
        more = f" and {len(fix.sessions) - 2} more" if len(fix.sessions) > 2 else ""
        yield from wrap(f"see {', '.join(map(one_line, fix.sessions[:2]))}{more}", indent=indent, lines=2)


def _others(report: Report, *, everything: bool) -> Iterator[str]:
    """The other failures of the log, each on one line: role, line, text."""
    others = [triaged for number, triaged in enumerate(report.failures) if number != report.primary]
    if not others:
        return
    shown = others if everything else others[:_SYMPTOMS_SHOWN]
    yield ""
    what = "Other failures in this log" if any(t.failure.role == "root" for t in others) else "Symptoms in this log"
    yield f"{_INDENT}{what}:"
    for triaged in shown:
        failure = triaged.failure
        head = f"{_INDENT}{failure.role:<8} line {failure.line:<6} "
        known = f" [{triaged.matches[0].id}]" if triaged.matches and triaged.matches[0].level != "similar" else ""
        first = failure.message.strip().split("\n", 1)[0]
        type_ = failure.type.rpartition(".")[2]
        text = one_line(f"{type_}: {first}" if type_ and first else type_ or first)
        yield head + cut(text, width() - len(head) - len(known)) + known
        if everything and failure.because:
            yield from wrap(f"why: {one_line('; '.join(failure.because))}", indent=" " * len(head))
    if len(shown) < len(others):
        yield f"{_INDENT}{len(others) - len(shown)} more with --all"
