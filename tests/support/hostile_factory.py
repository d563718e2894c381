"""A knowledge base in which every text tries to break out of its page."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from runbook_factory import facts_of, gather_small, make_signature, seen

from kb.knowledge.model import FixMade, Knowledge, Occurrence, RankedFix, Regression, Try
from kb.record.model import Attempt, Block, Console, DeclaredFailure, Diagnosis, Fix, Log, Note, Session

#: What a text tries; `window.hacked` tells a browser test that something ran.
EVIL = (
    "</title></script><script>window.hacked=1</script>"
    '"><img src=x onerror="window.hacked=2">'
    "' onmouseover='window.hacked=3' autofocus onfocus='window.hacked=3' x='"
    "[link](javascript:window.hacked=4) <javascript:window.hacked=4>"
    "{: onclick=window.hacked=5 } {{ 7*7 }} {% include 'x' %} ${7*7} "
    '--8<-- "mkdocs.yml" </textarea></code></pre></style> <svg/onload=window.hacked=6>'
    "\u2028\u2029\u202egnp.exe &lt;script&gt;window.hacked=7&lt;/script&gt; <!-- ]]>"
)
EVIL_PROSE = (
    f'{EVIL}\n\n# {EVIL}\n\n<script>window.hacked=8</script>\n\n<iframe srcdoc="<script>parent.hacked=9</script>">'
    "\n\n![x](javascript:window.hacked=10) [y](data:text/html;base64,PHNjcmlwdD4=)\n\n"
    '| a | b |\n|---|---|\n| <img src=x onerror=window.hacked=11> | c |\n\n```"><script>window.hacked=12</script>\n'
    f"{EVIL}\n```\n\n````mermaid\ngraph\n````\n"
)
EVIL_LOG = (
    f"{EVIL.replace(chr(0x2028), ' ').replace(chr(0x2029), ' ')}\x00\x1b[31m\x1b]0;owned\x07\n```\n~~~\n</code>\n"
)


COME_BACK = Regression(
    "evil-fix", "2026-01-01-hostile", "2026-02-01-hostile-again", "", {EVIL: EVIL}, {EVIL: EVIL}, True
)


def hostile_knowledge() -> tuple[Knowledge, dict[str, Session]]:
    """Two sessions whose every field is hostile, and what would derive from them."""
    first = _session("2026-01-01-hostile")
    second = _session("2026-02-01-hostile-again")
    signature = make_signature(EVIL, EVIL)
    symptom = make_signature("symptom " + EVIL, "Wrapped: " + EVIL, context=EVIL)
    unruled = make_signature("no pattern " + EVIL, "x", pattern=False)
    facts = []
    for session in (first, second):
        hidden = signature._replace(variant=f"{EVIL} < {session.id}")
        occurrences = (
            _of_evil_process(seen(hidden, EVIL_LOG, EVIL[:30], 1, "root", primary=True)),
            seen(symptom, EVIL_LOG, "</code>", 1, "wrapper"),
            replace(seen(unruled, EVIL_LOG, "~~~", 2, "root", primary=True), source=EVIL),
        )
        made = FixMade("evil-fix", "patch", EVIL, 1, EVIL, EVIL, EVIL_PROSE, ((EVIL, EVIL), ("diff", EVIL_LOG)))
        dead = FixMade("index.html", "config", EVIL, 1, EVIL, EVIL, EVIL_PROSE, ())
        tries = (
            Try(signature.id, "evil-fix", 1, "progressed", "reverted", EVIL, ("index.html",), unruled.id),
            Try(signature.id, "index.html", 1, "failed", "", EVIL, ("evil-fix",)),
            Try(unruled.id, "evil-fix", 2, "unverified", "", f"{EVIL} are missing"),
        )
        one = facts_of(session, occurrences, tries, (made, dead))
        facts.append(
            replace(
                one,
                title=EVIL,
                path=EVIL,
                environment={EVIL: EVIL},
                summary=EVIL,
                tags=(EVIL,),
                attempts=(EVIL, EVIL),
                text=EVIL,
            )
        )
    knowledge = gather_small(facts)
    signatures = {
        name: replace(
            known,
            tags=(EVIL,),
            components={EVIL: (EVIL,)},
            regressions=(COME_BACK,),
            fixes=tuple(_hostile_fix(fix) for fix in known.fixes),
            merged=(unruled._replace(id="kb1-merged" + "a" * 5, title=EVIL, template=EVIL),),
        )
        for name, known in knowledge.signatures.items()
    }
    aliases = {EVIL: signature.id, "kb1-old": signature.id}
    return replace(knowledge, signatures=signatures, aliases=aliases), {first.id: first, second.id: second}


def _of_evil_process(one: Occurrence) -> Occurrence:
    failure = one.failure._replace(process=EVIL, language=EVIL, kind=EVIL, because=(EVIL,))
    return replace(one, failure=failure)


def _hostile_fix(fix: RankedFix) -> RankedFix:
    """A fix for which also the words that say why it stands where it stands are hostile."""
    return replace(
        fix,
        versions={EVIL: (EVIL, "<b>1</b>"), "vLLM": ("1",)},
        environments={EVIL: (EVIL,)},
        order=EVIL,
        came_back=EVIL,
        ended_by=(EVIL,),
        last="2020-01-01",
    )


def _session(name: str) -> Session:
    line = " ".join(EVIL.split())
    return Session.model_construct(
        id=name,
        title=line,
        started=datetime.fromisoformat(name[:10]).replace(tzinfo=UTC),
        ended=None,
        resolution="open",
        components={EVIL: EVIL, "vLLM": "1"},
        environment={EVIL: EVIL},
        tags=(EVIL,),
        introduction=EVIL_PROSE,
        attempts=(
            Attempt.model_construct(
                title=line,
                reruns=None,
                steps=(
                    Console(body=f"$ {EVIL_LOG}", cwd=EVIL, signal=EVIL, exit=3),
                    Log(body=EVIL_LOG, source=EVIL),
                    Diagnosis(prose=EVIL_PROSE, rules_out=EVIL),
                    Fix(
                        slug="evil-fix",
                        kind="patch",
                        target=EVIL,
                        applies=EVIL,
                        prose=EVIL_PROSE,
                        blocks=(Block.model_construct(language=EVIL, body=EVIL_LOG),),
                    ),
                    DeclaredFailure(slug="slow", observed=EVIL, expected=EVIL, prose=EVIL_PROSE),
                    Note(prose=EVIL_PROSE),
                ),
            ),
            Attempt.model_construct(title=line, reruns=1, steps=(Note(prose=EVIL_PROSE),)),
        ),
        closing=EVIL_PROSE,
    )
