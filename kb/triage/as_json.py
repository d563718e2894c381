"""The report of triage as JSON: the schema `kb-triage/1`."""

from __future__ import annotations

from typing import Any

from kb.triage.model import SCHEMA, Cause, KnownFix, Match, Report, Triaged


def report_json(report: Report) -> dict[str, Any]:
    """`report` as `triage_schema` describes it."""
    return {
        "schema": SCHEMA,
        "source": report.source,
        "lines": report.lines,
        "verdict": report.verdict,
        "primary": report.primary,
        "failures": [_failure(one) for one in report.failures],
        "hints": list(report.hints),
        "versions": dict(report.versions),
    }


def _failure(triaged: Triaged) -> dict[str, Any]:
    failure, signature = triaged.failure, triaged.signature
    return {
        "role": failure.role,
        "kind": failure.kind,
        "language": failure.language,
        "type": failure.type,
        "message": failure.message,
        "process": failure.process,
        "line": failure.line,
        "first_line": failure.first_line,
        "last_line": failure.last_line,
        "text": failure.text,
        "because": list(failure.because),
        "caused_by": failure.caused_by,
        "frames": [{"file": f.file, "line": f.line, "function": f.function} for f in failure.frames],
        "signature": {
            "id": signature.id,
            "title": signature.title,
            "template": signature.template,
            "pattern": signature.pattern,
        },
        "matches": [_match(one) for one in triaged.matches],
        "excerpt": [{"line": one.number or None, "text": one.text} for one in triaged.excerpt],
    }


def _match(match: Match) -> dict[str, Any]:
    return {
        "id": match.id,
        "title": match.title,
        "level": match.level,
        "score": match.score,
        "why": list(match.why),
        "fixes": [fix_json(one) for one in match.fixes],
        "next": [{"id": one.id, "after": one.after, "title": one.title} for one in match.next],
        "causes": [_cause(one) for one in match.causes],
        "caution": match.caution,
        "attempt_seconds": match.attempt_seconds,
        "attempts_timed": match.attempts_timed,
    }


def _cause(cause: Cause) -> dict[str, Any]:
    return {"id": cause.id, "title": cause.title, "fixes": [fix_json(one) for one in cause.fixes]}


def fix_json(fix: KnownFix) -> dict[str, Any]:
    """`fix` as `fix_schema` describes it."""
    return {
        "slug": fix.slug,
        "title": fix.title,
        "kind": fix.kind,
        "fixed": fix.fixed,
        "progressed": fix.progressed,
        "failed": fix.failed,
        "unverified": fix.unverified,
        "lower_bound": fix.lower_bound,
        "applies": fix.applies,
        "sessions": list(fix.sessions),
        "ended_by": list(fix.ended_by),
        "ended_after": fix.ended_after,
        "components": list(fix.components),
        "strength": fix.strength,
        "together": list(fix.together),
        "last": fix.last[:10],
        "order": fix.order,
        "excluded": fix.excluded,
        "retest": fix.retest,
        "came_back": fix.came_back,
    }
