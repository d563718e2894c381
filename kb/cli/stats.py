"""`kb stats`: what the knowledge base holds, in numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from kb.cli.fix_text import duration_words
from kb.cli.terminal import one_line, paint, say, wrap
from kb.cli.where import chosen_home, ready_store

if TYPE_CHECKING:
    from kb.knowledge.model import SignatureKnowledge
    from kb.knowledge.stats import Stats


@click.command(short_help="Say what the knowledge base holds, in numbers.")
@click.option("--top", default=5, show_default=True, type=click.IntRange(1), help="How many of each list are shown.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.pass_context
def command(ctx: click.Context, top: int, as_json: bool) -> None:
    """Say what the knowledge base holds, in numbers.

    Sessions, signatures and fixes by what came of them; failures that no fix has helped yet; the time to resolve, as a
    median of so many sessions; what was seen most; what came back; and what is old enough to be worth a new test. A fix
    counts once for each signature, by the best that it did there.

    \b
    Examples:
      kb stats
      kb stats --top 20
      kb stats --json | jq '.open[].id'

    Exit status: 0.
    """
    from kb.knowledge.stats import stats_of

    with ready_store(chosen_home(ctx)) as store:
        knowledge = store.knowledge()
    stats = stats_of(knowledge, datetime.now(UTC).date())
    if as_json:
        from kb.cli.output import print_json

        print_json(_as_json(stats))
        return
    for line in _lines(stats, top):
        say(line)


def _lines(stats: Stats, top: int) -> Iterator[str]:
    span = f", {stats.first[:10]} to {stats.last[:10]}" if stats.sessions else ""
    yield from _row("sessions", f"{stats.sessions}{span}{_in_brackets(stats.resolutions)}")
    merged = f", {stats.merged} more merged into them by people" if stats.merged else ""
    roots, symptoms = stats.signatures["root"], stats.signatures["symptom"]
    yield from _row("signatures", f"{roots} that attempts ended in, {symptoms} seen only beside others{merged}")
    fixes = stats.fixes
    dead = f"{fixes['failed']} dead end{'' if fixes['failed'] == 1 else 's'}"
    yield from _row(
        "fixes",
        f"{fixes['fixed']} fixed a signature, {fixes['progressed']} only got past it, {dead}, "
        f"{fixes['unverified']} not verified",
    )
    yield from _row("tries", f"{sum(stats.tries.values())}{_in_brackets(stats.tries)}")
    if stats.strengths:
        yield from _row("proof", ", ".join(f"{count} {name}" for name, count in stats.strengths.items()))
    yield from _row("chains", str(stats.chains))
    for line in _times(stats):
        yield from _row("to resolve", line)
    used = [
        f"{name} ({count}, newest {version})" if version else f"{name} ({count})"
        for name, count, version in stats.components[:top]
    ]
    if used:
        yield from _row("with", ", ".join(map(one_line, used)))
    yield from _list("Seen most", [_seen(one) for one in stats.most_seen], top)
    yield from _list("No fix helped yet", [_seen(one) for one in stats.open], top)
    yield from _list("Sessions still open", [f"{s.id}  {one_line(s.title)}" for s in stats.open_sessions], top)
    yield from _list("Came back", [f"{key}: {_back(one)}" for key, one in stats.regressions], top)
    yield from _list("Retest", [f"{one.fix} for {one.signature}: {one_line(one.why)}" for one in stats.retest], top)
    yield from _list("Not seen for a year", [_seen(one) for one in stats.unseen], top)


def _times(stats: Stats) -> Iterator[str]:
    for name, times in stats.resolve.items():
        if times.n and name in ("", "fixed"):
            what = f"session{'s' * (times.n != 1)} that ended" + (f" {name}" if name else "")
            yield f"{duration_words(times.median)} (median of {times.n} {what})"


def _row(label: str, text: str) -> list[str]:
    return wrap(text, indent=" " * 12, first=f"{label:<12}")


def _in_brackets(counts: Mapping[Any, int]) -> str:
    return f" ({', '.join(f'{count} {name}' for name, count in counts.items())})" if counts else ""


def _list(label: str, rows: list[str], top: int) -> Iterator[str]:
    if not rows:
        return
    yield from ("", paint(label, bold=True) + (f" ({len(rows)})" if len(rows) > top else ""))
    for row in rows[:top]:
        yield from wrap(row, indent="    ", first="  ", lines=2)


def _seen(known: SignatureKnowledge) -> str:
    seen = len(known.sessions)
    when = f"{seen} session{'s' * (seen != 1)}, last {known.last_seen[:10]}"
    return f"{known.signature.id}  {one_line(known.signature.title)} ({when})"


def _back(one: Any) -> str:
    from kb.knowledge.regressions import regression_words

    return one_line(regression_words(one))


def _as_json(stats: Stats) -> dict[str, Any]:
    return {
        "sessions": stats.sessions,
        "resolutions": dict(stats.resolutions),
        "first": stats.first,
        "last": stats.last,
        "signatures": {**stats.signatures, "merged": stats.merged},
        "fixes": dict(stats.fixes),
        "tries": dict(stats.tries),
        "strengths": dict(stats.strengths),
        "chains": stats.chains,
        "time_to_resolve": {
            name or "all": {"n": times.n, "median_seconds": times.median} for name, times in stats.resolve.items()
        },
        "components": [{"name": n, "sessions": count, "newest": version} for n, count, version in stats.components],
        "most_seen": [_short(one) for one in stats.most_seen],
        "open": [_short(one) for one in stats.open],
        "open_sessions": [{"id": one.id, "title": one.title, "started": one.started} for one in stats.open_sessions],
        "regressions": [
            {"signature": key, "fix": one.fix, "before": one.before, "session": one.session, "later": one.later}
            for key, one in stats.regressions
        ],
        "retest": [{"signature": one.signature, "fix": one.fix, "why": one.why} for one in stats.retest],
        "unseen": [_short(one) for one in stats.unseen],
    }


def _short(known: SignatureKnowledge) -> dict[str, Any]:
    return {
        "id": known.signature.id,
        "title": known.signature.title,
        "sessions": len(known.sessions),
        "last_seen": known.last_seen,
    }
