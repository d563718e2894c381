"""Signatures, sessions and fixes for programs."""

from __future__ import annotations

from typing import Any

from kb.knowledge.model import FixMade, Knowledge, RankedFix, SessionFacts, SignatureKnowledge, Try


def shown_json(knowledge: Knowledge, kind: str, name: str) -> dict[str, Any]:
    """What `kb show --json` prints: `kind` and the facts of that name."""
    if kind == "signature":
        return {"kind": kind, **_signature(knowledge.signatures[name])}
    if kind == "session":
        return {"kind": kind, **_session(knowledge.sessions[name])}
    return {"kind": kind, **_fix(knowledge, name)}


def _signature(known: SignatureKnowledge) -> dict[str, Any]:
    signature = known.signature
    return {
        "id": signature.id,
        "title": signature.title,
        "type": signature.type,
        "template": signature.template,
        "pattern": signature.pattern,
        "anchor": signature.anchor,
        "context": signature.context,
        "role": known.role,
        "declared": known.declared,
        "first_seen": known.first_seen,
        "last_seen": known.last_seen,
        "sessions": list(known.sessions),
        "components": {name: list(versions) for name, versions in known.components.items()},
        "tags": list(known.tags),
        "attempt_seconds": known.attempt_seconds,
        "attempts_timed": known.attempts_timed,
        "merged": [{"id": one.signed, "template": one.template, "pattern": one.pattern} for one in known.merged],
        "fixes": [_ranked(fix) for fix in known.fixes],
        "dead_ends": [fix.slug for fix in known.dead_ends],
        "regressed": list(known.regressed),
        "regressions": [
            {"fix": one.fix, "before": one.before, "session": one.session, "then": dict(one.then), "now": dict(one.now)}
            for one in known.regressions
        ],
        "next": [{"id": c.after, "after": c.fix, "sessions": list(c.sessions)} for c in known.next],
        "previous": [{"id": c.before, "fix": c.fix, "sessions": list(c.sessions)} for c in known.previous],
    }


def _ranked(fix: RankedFix) -> dict[str, Any]:
    return {
        "slug": fix.slug,
        "title": fix.title,
        "fix_kind": fix.kind,
        "fixed": fix.fixed,
        "progressed": fix.progressed,
        "failed": fix.failed,
        "unverified": fix.unverified,
        "lower_bound": fix.lower_bound,
        "strength": fix.strength,
        "applies": fix.applies,
        "target": fix.target,
        "together": list(fix.together),
        "sessions": list(fix.sessions),
        "last": fix.last,
        "ended_by": list(fix.ended_by),
        "ended_after": fix.ended_after,
        "order": fix.order,
        "came_back": fix.came_back,
    }


def _session(facts: SessionFacts) -> dict[str, Any]:
    return {
        "id": facts.id,
        "title": facts.title,
        "path": facts.path,
        "started": facts.started,
        "ended": facts.ended,
        "resolution": facts.resolution,
        "components": dict(facts.components),
        "environment": dict(facts.environment),
        "tags": list(facts.tags),
        "summary": facts.summary,
        "attempts": [_attempt(facts, number, title) for number, title in enumerate(facts.attempts, 1)],
    }


def _attempt(facts: SessionFacts, number: int, title: str) -> dict[str, Any]:
    return {
        "number": number,
        "title": title,
        "failures": [
            {"id": o.signature.id, "title": o.signature.title, "role": o.role, "primary": o.primary}
            for o in facts.occurrences
            if o.attempt == number
        ],
        "fixes": [_made(facts, fix) for fix in facts.fixes if fix.attempt == number],
    }


def _made(facts: SessionFacts, fix: FixMade) -> dict[str, Any]:
    tries = [tried for tried in facts.tries if tried.fix == fix.slug and tried.attempt == fix.attempt]
    return {
        "slug": fix.slug,
        "title": fix.title,
        "fix_kind": fix.kind,
        "target": fix.target,
        "applies": fix.applies,
        "outcomes": [_try(tried) for tried in tries],
    }


def _try(tried: Try) -> dict[str, Any]:
    return {
        "signature": tried.signature_id,
        "outcome": tried.outcome,
        "strength": tried.strength,
        "because": tried.because,
        "next": tried.next_id or None,
        "together": list(tried.together),
    }


def _fix(knowledge: Knowledge, name: str) -> dict[str, Any]:
    made = [(facts, fix) for facts in knowledge.sessions.values() for fix in facts.fixes if fix.slug == name]
    newest = made[0][1]
    return {
        "slug": name,
        "title": newest.title,
        "fix_kind": newest.kind,
        "prose": newest.prose,
        "blocks": [{"language": language, "body": body} for language, body in newest.blocks],
        "made": [{"session": facts.id, "attempt": fix.attempt, **_made(facts, fix)} for facts, fix in made],
    }
