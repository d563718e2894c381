"""Knowledge made by hand: a small true-to-life knowledge base, a hostile one, and a large one, for tests of the site."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import sqrt

from kb.failures.model import Failure, Role
from kb.knowledge.model import (
    Chain,
    FixMade,
    Knowledge,
    Occurrence,
    RankedFix,
    SessionFacts,
    SignatureKnowledge,
    Try,
)
from kb.record.model import Attempt, Block, Console, Diagnosis, Fix, Log, Note, Session
from kb.signature.gaps import GAPS
from kb.signature.model import Reason, Segment, Signature

SPECIAL = re.compile(r"[\\^$.|?*+()\[\]{}]")


def make_signature(title: str, *segments: str | tuple[str, str], context: str = "", pattern: bool = True) -> Signature:
    """A signature of literals and (text, gap) pairs; its id is made of the title."""
    pieces = tuple(Segment(one) if isinstance(one, str) else Segment(*one) for one in segments)
    expression = "".join(SPECIAL.sub(r"\\\g<0>", p.text) if not p.gap else GAPS[p.gap].regex for p in pieces)
    literals = [p.text for p in pieces if not p.gap]
    digest = hashlib.sha256(title.encode("utf-8", "surrogatepass")).hexdigest()
    name = "kb1-" + "".join("abcdefghijklmnopqrstuvwxyz234567"[int(c, 16)] for c in digest[:10])
    text = "".join(p.text for p in pieces)
    return Signature(
        id=name,
        title=title,
        type=text.split(":")[0],
        template="".join(f"<{p.gap}>" if p.gap else p.text for p in pieces),
        segments=pieces,
        pattern=expression if pattern else "",
        anchor=max(literals, key=len),
        context=context,
        reasons=(Reason("mask numbers", text, "".join(f"<{p.gap}>" if p.gap else p.text for p in pieces)),),
    )


KIMI = make_signature(
    "Kimi K2.5 config has no image_token_index",
    "AttributeError: '",
    ("KimiK25Config", "name"),
    "' object has no attribute 'image_token_index'",
)
MROPE = make_signature(
    "M-RoPE support is not implemented by the drafter",
    "NotImplementedError: M-RoPE support is not implemented in ",
    ("Eagle3LlamaForCausalLM", "name"),
)
ENGINE = make_signature(
    "Engine core initialization failed",
    "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): ",
    ("{'EngineCore_DP0': 1}", "rest"),
)
WORKER = make_signature("Worker process died", "Exception: WorkerProc initialization failed due to an exception")
OOM = make_signature(
    "CUDA out of memory while loading weights",
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate ",
    ("3.50", "rest"),
    " GiB",
)
ROPE = make_signature(
    "Kimi K2.5 config has no rope_theta",
    "AttributeError: '",
    ("KimiK25Config", "name"),
    "' object has no attribute 'rope_theta'",
)

SERVER_LOG = """\
(APIServer pid=2987) INFO 02-22 16:01:40 [api_server.py:1272] vLLM API server version 0.15.1
(EngineCore_DP0 pid=3105) INFO 02-22 16:01:58 [core.py:96] Initializing a V1 LLM engine (v0.15.1)
(EngineCore_DP0 pid=3105) WARNING 02-22 16:02:03 [speculative.py:211] eagle3 draft model: config is remote code
(EngineCore_DP0 pid=3105) ERROR 02-22 16:02:11 [core.py:1029] EngineCore failed to start.
(EngineCore_DP0 pid=3105) ERROR 02-22 16:02:11 [core.py:1029] Traceback (most recent call last):
(EngineCore_DP0 pid=3105) ERROR 02-22 16:02:11 [core.py:1029]   File "/opt/vllm/v1/engine/core.py", line 1021, in run
(EngineCore_DP0 pid=3105) ERROR 02-22 16:02:11 [core.py:1029]     engine_core = EngineCoreProc(*args, **kwargs)
(EngineCore_DP0 pid=3105) ERROR 02-22 16:02:11 [core.py:1029]   File "/opt/vllm/config/speculative.py", line 418, in check
(EngineCore_DP0 pid=3105) ERROR 02-22 16:02:11 [core.py:1029]     media = config.image_token_index
(EngineCore_DP0 pid=3105) ERROR 02-22 16:02:11 [core.py:1029] AttributeError: 'KimiK25Config' object has no attribute 'image_token_index'
(Worker_TP3 pid=3188) ERROR 02-22 16:02:12 [multiproc_executor.py:770] Exception: WorkerProc initialization failed due to an exception
(APIServer pid=2987) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {'EngineCore_DP0': 1}
"""
SECOND_LOG = """\
(EngineCore_DP0 pid=4410) INFO 02-22 17:20:31 [eagle.py:120] Loading drafter
(EngineCore_DP0 pid=4410) ERROR 02-22 17:20:44 [core.py:1029] NotImplementedError: M-RoPE support is not implemented in Eagle3LlamaForCausalLM
(APIServer pid=4288) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {'EngineCore_DP0': 1}
"""
OOM_LOG = """\
[rank0]: Loading safetensors checkpoint shards: 63% Completed | 41/65
[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.50 GiB
"""


def seen(
    signature: Signature, log: str, text: str, attempt: int, role: Role, *, primary: bool = False, first: int = 201
) -> Occurrence:
    """The occurrence of a signature at the line of `log` that holds `text`."""
    lines = log.rstrip("\n").split("\n")
    at = next(i for i, line in enumerate(lines) if text in line)
    failure = Failure(
        kind="exception",
        type=signature.type,
        message=text,
        line=at + 1,
        first_line=at + 1,
        last_line=at + 1,
        text=lines[at],
        language="python",
        process="EngineCore_DP0",
        role=role,
        because=("first failure in time",) if role == "root" else ("says that another process failed",),
    )
    return Occurrence(signature, failure, attempt, role, primary, log, at, "server.log", first + at)


def kimi_session(name: str = "2026-02-22-vllm-eagle3-kimi-k2-5", day: int = 22, month: int = 2) -> Session:
    """A session of three attempts: one failure, got past, another failure, replaced."""
    started = datetime(2026, month, day, 15, 10, tzinfo=UTC)
    serve = "python3 -m vllm.entrypoints.openai.api_server \\\n    --enable-expert-parallel --tensor-parallel-size 8"
    return Session(
        id=name,
        title="vLLM with EAGLE-3 dies at start-up on Kimi-K2.5",
        started=started,
        ended=started + timedelta(hours=6, minutes=30),
        resolution="worked-around",
        components={"vllm": "0.15.1", "python": "3.12.3"},
        environment={"gpu": "8x RTX PRO 6000", "os": "Ubuntu 24.04"},
        tags=("speculative-decoding", "multi-process"),
        introduction="Wanted: a *drafter* for `Kimi-K2.5`. Seen: the server exits **before the first token**.",
        attempts=(
            Attempt(
                title="start the server",
                steps=(
                    Console(body=f"$ {serve}\nexit code -9\n", exit=1, duration=timedelta(seconds=190), cwd="/srv"),
                    Log(body=SERVER_LOG, source="server.log"),
                    Diagnosis(
                        prose="The config class was renamed upstream: `media_placeholder_token_id` replaced "
                        "`image_token_index`, and the check of the drafter still reads the old name.",
                        confidence="high",
                        rules_out="a broken download: the checksum is right",
                    ),
                    Fix(
                        slug="allow-kimi-k2-model-type",
                        kind="patch",
                        target="vllm/config/speculative.py",
                        applies="vllm>=0.15,<0.16",
                        prose="Let the check read the new name first.",
                        blocks=(
                            Block(
                                language="diff",
                                body="-    media = config.image_token_index\n"
                                '+    media = getattr(config, "media_placeholder_token_id", None)\n',
                            ),
                        ),
                    ),
                ),
            ),
            Attempt(
                title="start again",
                reruns=1,
                steps=(
                    Console(body=f"$ {serve}\n", exit=1, duration=timedelta(seconds=200)),
                    Log(body=SECOND_LOG, source="server.log"),
                    Note(prose="The drafter is a plain Llama, so M-RoPE cannot work there."),
                    Fix(
                        slug="serve-without-drafter",
                        kind="config",
                        prose="Leave the drafter out.",
                        blocks=(Block(language="sh", body="python3 -m vllm.entrypoints.openai.api_server -B5\n"),),
                    ),
                ),
            ),
            Attempt(title="start without the drafter", reruns=1, steps=(Console(body=f"$ {serve}\nready\n", exit=0),)),
        ),
        closing="The server runs without a drafter, at half the speed.",
    )


def facts_of(
    session: Session, occurrences: Iterable[Occurrence], tries: Iterable[Try] = (), fixes: Iterable[FixMade] = ()
) -> SessionFacts:
    """The facts of `session`, with what was derived given."""
    made = tuple(fixes) or tuple(
        FixMade(
            step.slug,
            step.kind,
            " ".join(step.slug.split("-")).capitalize(),
            number,
            step.target or "",
            step.applies or "",
            step.prose,
            tuple((block.language, block.body) for block in step.blocks),
        )
        for number, attempt in enumerate(session.attempts, 1)
        for step in attempt.steps
        if isinstance(step, Fix)
    )
    return SessionFacts(
        id=session.id,
        title=session.title,
        path=f"sessions/{session.id}.md",
        started=session.started.isoformat(),
        ended=session.ended.isoformat() if session.ended else "",
        resolution=session.resolution,
        components=dict(session.components),
        environment=dict(session.environment),
        tags=session.tags,
        summary=session.introduction[:200],
        attempts=tuple(attempt.title for attempt in session.attempts),
        occurrences=tuple(occurrences),
        fixes=made,
        tries=tuple(tries),
        attempt_seconds=tuple(120.0 for _ in session.attempts),
        text=session.introduction,
    )


def gather_small(facts: Iterable[SessionFacts]) -> Knowledge:
    """Knowledge of `facts`, gathered plainly: counts, chains, first and last dates."""
    sessions = {one.id: one for one in sorted(facts, key=lambda one: one.started, reverse=True)}
    places: dict[str, list[tuple[str, Occurrence]]] = defaultdict(list)
    for one in sessions.values():
        for occurrence in one.occurrences:
            places[occurrence.signature.id].append((one.id, occurrence))
    signatures = {}
    for name, each in places.items():
        own = tuple(dict.fromkeys(session for session, _ in each))
        tried = [(s, t) for s in sessions.values() for t in s.tries if t.signature_id == name]
        onward = defaultdict(list)
        for session, one_try in tried:
            if one_try.outcome == "progressed":
                onward[one_try.fix, one_try.next_id].append(session.id)
        signatures[name] = SignatureKnowledge(
            signature=each[0][1].signature,
            role=each[0][1].role,
            declared=False,
            occurrences=tuple(each),
            fixes=tuple(sorted(_ranked(tried), key=lambda f: -f.lower_bound)),
            next=tuple(Chain(name, fix, after, tuple(ids)) for (fix, after), ids in onward.items()),
            previous=(),
            sessions=own,
            first_seen=min(sessions[s].started for s in own),
            last_seen=max(sessions[s].started for s in own),
            components={c: (v,) for s in own for c, v in sessions[s].components.items()},
            tags=sessions[own[0]].tags,
            attempt_seconds=190.0,
        )
    for known in list(signatures.values()):
        for chain in known.next:
            after = signatures.get(chain.after)
            if after:
                signatures[chain.after] = replace(after, previous=(*after.previous, chain))
    return Knowledge(sessions, signatures)


def _ranked(tried: list[tuple[SessionFacts, Try]]) -> Iterable[RankedFix]:
    for slug in dict.fromkeys(one.fix for _, one in tried):
        mine = [(s, t) for s, t in tried if t.fix == slug]
        made = [(s.id, next(f for f in s.fixes if f.slug == slug)) for s, _ in mine]
        outcomes = [t.outcome for _, t in mine]
        good = outcomes.count("fixed") + outcomes.count("progressed")
        total = good + outcomes.count("failed")
        yield RankedFix(
            slug=slug,
            title=made[0][1].title,
            kind=made[0][1].kind,
            fixed=outcomes.count("fixed"),
            progressed=outcomes.count("progressed"),
            failed=outcomes.count("failed"),
            unverified=outcomes.count("unverified"),
            lower_bound=_wilson(good, total),
            strength=next((t.strength for _, t in mine if t.strength), ""),
            sessions=tuple(s.id for s, _ in mine),
            last=max(s.started for s, _ in mine),
            applies=made[0][1].applies,
            target=made[0][1].target,
            versions={"vllm": ("0.15.1",)},
            made=tuple(made),
        )


def _wilson(good: int, total: int, z: float = 1.96) -> float:
    if not total:
        return 0.0
    p = good / total
    return (p + z * z / (2 * total) - z * sqrt(p * (1 - p) / total + z * z / (4 * total**2))) / (1 + z * z / total)


def kimi_facts(session: Session) -> SessionFacts:
    """What derives from `kimi_session`."""
    return facts_of(
        session,
        (
            seen(KIMI, SERVER_LOG, "AttributeError:", 1, "root", primary=True),
            seen(WORKER, SERVER_LOG, "WorkerProc", 1, "cascade"),
            seen(ENGINE, SERVER_LOG, "RuntimeError:", 1, "wrapper"),
            seen(MROPE, SECOND_LOG, "M-RoPE", 2, "root", primary=True),
            seen(ENGINE, SECOND_LOG, "RuntimeError:", 2, "wrapper"),
        ),
        (
            Try(
                KIMI.id,
                "allow-kimi-k2-model-type",
                1,
                "progressed",
                "",
                "attempt 2 shows another failure",
                (),
                MROPE.id,
            ),
            Try(MROPE.id, "serve-without-drafter", 2, "fixed", "absent", "attempt 3 ran and shows no failure"),
        ),
    )


def oom_facts() -> tuple[Session, SessionFacts]:
    """A session with a dead end and no fix yet."""
    session = Session(
        id="2026-03-04-oom-while-loading",
        title="Out of memory while the weights load",
        started=datetime(2026, 3, 4, 9, 0, tzinfo=UTC),
        resolution="open",
        components={"torch": "2.10.0"},
        environment={"gpu": "1x L4"},
        introduction="The weights do not fit; std::bad_alloc on the host as well.",
        attempts=(
            Attempt(
                title="load",
                steps=(
                    Log(body=OOM_LOG, source="rank0.log"),
                    Fix(slug="set-expandable-segments", kind="environment", prose="Fragmentation, perhaps."),
                ),
            ),
            Attempt(title="load again", reruns=1, steps=(Log(body=OOM_LOG, source="rank0.log"),)),
        ),
    )
    facts = facts_of(
        session,
        (
            seen(OOM, OOM_LOG, "OutOfMemoryError", 1, "root", primary=True),
            seen(OOM, OOM_LOG, "OutOfMemoryError", 2, "root", primary=True),
        ),
        (Try(OOM.id, "set-expandable-segments", 1, "failed", "", "attempt 2 shows the same failure"),),
    )
    return session, facts


def rope_facts() -> tuple[Session, SessionFacts]:
    """A look-alike of the Kimi failure."""
    log = "AttributeError: 'KimiK25Config' object has no attribute 'rope_theta'\n"
    session = Session(
        id="2026-01-12-rope-theta-is-gone",
        title="rope_theta is gone from the config",
        started=datetime(2026, 1, 12, 9, 0, tzinfo=UTC),
        resolution="abandoned",
        components={"vllm": "0.14.0"},
        attempts=(Attempt(title="load", steps=(Log(body=log),)),),
    )
    return session, facts_of(session, (seen(ROPE, log, "rope_theta", 1, "root", primary=True, first=-400),))


def small_knowledge() -> tuple[Knowledge, dict[str, Session]]:
    """Five sessions: the same failure three times, one dead end, one look-alike."""
    kimi = [
        kimi_session(),
        kimi_session("2026-04-02-eagle3-again", 2, 4),
        kimi_session("2026-06-19-eagle3-third", 19, 6),
    ]
    pairs = [(one, kimi_facts(one)) for one in kimi]
    pairs += [oom_facts(), rope_facts()]
    return gather_small(facts for _, facts in pairs), {session.id: session for session, _ in pairs}
