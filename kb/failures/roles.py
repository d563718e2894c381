"""Telling the root failure from its symptoms: structure first, then wording, then order across streams."""

from dataclasses import dataclass
from itertools import islice

from kb.expressions import late
from kb.failures.clock import comparable, leading
from kb.failures.found import Find
from kb.failures.model import Relation, Role
from kb.failures.named import named
from kb.failures.phrases import role_of

#: Exceptions that code commonly catches to say something better: what is raised while handling them is the news.
_LOOKUPS = frozenset(
    {"KeyError", "IndexError", "AttributeError", "StopIteration", "LookupError", "ValueError", "TypeError", "Empty"}
)

#: What is raised, without a word, where a stream ends too soon.
_GONE = frozenset({"EOFError", "EOFException"})

#: A message that is only the name of a status (`NVRTC_ERROR_COMPILATION (6)`): what is raised instead says which.
_STATUS = late(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?: \(-?\d+\))?")

_WORDING = 2_000
#: So many processes are named that failed alike.
_NAMED = 8

_BECAUSE: dict[Relation, str] = {
    "cause": "raised from",
    "context": "raised while handling",
    "remote": "the copy, in another process, of",
    "member": "a group that holds",
    "quotes": "reports",
}


@dataclass(slots=True, eq=False)
class Judged:
    """A find with its role, the reasons, and the find that it follows from."""

    find: Find
    role: Role
    because: list[str]
    caused_by: Find | None = None


def judge(finds: list[Find]) -> tuple[list[Judged], Judged | None]:
    """Roles for all `finds` (in the order of their lines), and the primary: the root failure, or None without one."""
    judged = [_judge(find, finds) for find in finds]
    by_find = {id(j.find): j for j in judged}
    _turn_contexts(judged, by_find)
    _turn_quotes(judged)
    _turn_waits(judged)
    roots = [j for j in judged if j.role == "root"] or _wordless(judged)
    if not roots:
        return judged, None
    primary = _earliest(roots)
    _explain_order(judged, primary)
    return judged, primary


def _judge(find: Find, finds: list[Find]) -> Judged:
    inner = [(relation, f) for relation, f in find.inner if relation != "context" and not _heard_nothing(f)]
    if inner:
        relation, cause = inner[0]
        return Judged(find, "wrapper", [f"{_BECAUSE[relation]} {_name(cause)} (line {cause.at.number})"], cause)
    if find.teardown:
        return Judged(find, "teardown", [find.teardown])
    if find.cascade:
        return Judged(find, "cascade", [find.cascade])
    said = role_of(_wording(find)[:_WORDING])
    if said is not None:
        return Judged(find, said[0], [said[1]])
    if not find.complete:
        return Judged(find, "wrapper", ["its last line is not in this log, so what failed here is not known"])
    if find.at.tangled:
        return Judged(find, "root", ["its frames are mixed with another traceback's, printed at the same time"])
    return Judged(find, "root", [])


def _heard_nothing(cause: Find) -> bool:
    """Whether a cause says only that the other side of a stream was gone: what was raised from it says which."""
    return not cause.message and cause.type.rsplit(".", 1)[-1] in _GONE


def _turn_contexts(judged: list[Judged], by_find: dict[int, Judged]) -> None:
    """`During handling of …`: the first exception is the root, unless the code that caught it says it better."""
    for j in judged:
        for relation, first in j.find.inner:
            before = by_find.get(id(first))
            if relation != "context" or before is None:
                continue
            if _says_little(first) and j.role == "root" and before.role == "root":
                before.role, before.caused_by = "wrapper", j.find
                before.because = [f"it was caught, and {_name(j.find)} was raised instead (line {j.find.at.number})"]
                j.because.append(f"raised in place of {_name(first)}")
            elif j.role == "root":
                j.role, j.caused_by = "wrapper", first
                j.because = [f"{_BECAUSE['context']} {_name(first)} (line {first.at.number})"]


def _turn_quotes(judged: list[Judged]) -> None:
    """What one report repeats of another: the lone line that its message holds too, the earlier exception it names."""
    roots = [j for j in judged if j.role == "root"]
    if len(roots) < 2:
        return
    from kb.failures.quoted import quotes, repeated

    standing = {id(j.find): j for j in roots}
    for copy, own, why in quotes([j.find for j in roots]):
        j = standing[id(copy)]
        j.role, j.caused_by, j.because = "wrapper", own, [why]
    outer = [j.find for j in judged if j.role == "wrapper" and j.caused_by is not None]
    for j in roots[1:]:
        said = repeated(j.find, outer) if j.role == "root" else None
        if said is not None:
            j.role, j.caused_by = "wrapper", said
            j.because = [f"it says again what the failure of line {said.at.number} says"]


def _turn_waits(judged: list[Judged]) -> None:
    """What failed only because another part of the system did not answer follows from that part's own failure."""
    roots = [j for j in judged if j.role == "root"]
    if len(roots) < 2:
        return
    # Most logs hold one root: what is said of others is compiled where there are some.
    from kb.failures.peers import MOST, awaited

    outer = {id(inner): j.find for j in judged for _, inner in j.find.inner}
    ended = {j.find.message.split(" exited with ", 1)[0] for j in judged if " exited with " in j.find.message[:100]}
    standing = {id(j.find): j.find for j in roots}
    for j in roots:
        found = awaited(j.find, list(islice(standing.values(), MOST)), outer, ended)
        if found is not None:
            del standing[id(j.find)]
            j.role, j.caused_by, j.because = "cascade", found[0], [found[1]]


def _wordless(judged: list[Judged]) -> list[Judged]:
    """The processes that ended themselves, as roots, in a log that has no other root: they said nothing before."""
    ended = [j for j in judged if j.find.kind == "signal" and j.role == "cascade" and not j.find.cascade]
    for j in ended:
        j.role, j.because = "root", ["the process ended itself, and nothing that it said before is in this log"]
    return ended


def _says_little(first: Find) -> bool:
    """Whether code catches such an exception to raise a better one: a lookup, or the bare name of a status."""
    return first.type.rsplit(".", 1)[-1] in _LOOKUPS or _STATUS.fullmatch(first.message) is not None


def _earliest(roots: list[Judged]) -> Judged:
    """Whole reports before lone lines, and of those the earliest: by time where the times compare, else by line."""
    roots = [j for j in roots if not j.find.aside] or roots
    weight = min(j.find.weight for j in roots)
    rivals = [j for j in roots if j.find.weight == weight]
    rivals.sort(key=lambda j: j.find.at.number)
    times = comparable([j.find.at.time or leading(j.find.at.text) for j in rivals]) if len(rivals) > 1 else None
    if times is None:
        return rivals[0]
    return min(zip(times, rivals, strict=True), key=lambda pair: (pair[0], pair[1].find.at.number))[1]


def _explain_order(judged: list[Judged], primary: Judged) -> None:
    _demote(judged, primary)
    rivals = [j for j in judged if j.role == "root" and j is not primary]
    beside = [j for j in rivals if not j.find.aside]
    others = [j for j in beside if not _same(j.find, primary.find)]
    if others:
        number = len({(j.find.type, j.find.message.split("\n", 1)[0]) for j in others}) + 1
        primary.because.insert(0, f"first in time of {number} failures that nothing else explains")
    elif beside:
        where = list(dict.fromkeys(j.find.process or f"line {j.find.at.number}" for j in beside))
        also = ", ".join(where[:_NAMED]) + (f" and {len(where) - _NAMED} more" if len(where) > _NAMED else "")
        primary.because.insert(0, f"first in time; the same failure also in {also}")
    elif rivals:
        aside = rivals[0].find
        primary.because.insert(0, f"line {aside.at.number} stands aside: {aside.aside}")
    elif len(judged) > 1:
        primary.because.insert(0, "every other failure only reports it or follows from it")
    else:
        primary.because.insert(0, "the only failure in this log")
    for j in rivals:
        if j.find.aside:
            j.because.append(j.find.aside)
            continue
        same = _same(j.find, primary.find)
        j.because.append("the same failure in another process" if same else f"came after line {primary.find.at.number}")


def _demote(judged: list[Judged], primary: Judged) -> None:
    """Takes the role of a root from what repeats the primary and from lone lines; says what the others follow from."""
    roots = [j.find for j in judged if j.role == "root"]
    for j in judged:
        if j is primary:
            continue
        if j.role == "root":
            if _same(j.find, primary.find) and _process(j.find) == _process(primary.find):
                j.role, j.caused_by = "wrapper", primary.find
                j.because = [f"the same failure, reported again (first on line {primary.find.at.number})"]
            elif j.find.weight >= 2 and primary.find.weight < j.find.weight:
                j.role, j.caused_by = "cascade", primary.find
                j.because = ["an error line beside a whole report"]
        elif j.caused_by is None and j.find.complete:
            j.caused_by = named(j.find, roots) or _earlier_attempt(j.find, roots) or primary.find


def _earlier_attempt(symptom: Find, roots: list[Find]) -> Find | None:
    """The root set aside that `symptom` stands behind and before all that count, or None."""
    before = [root for root in roots if root.at.number < symptom.at.number]
    return before[-1] if before and all(root.aside for root in before) else None


def _process(find: Find) -> str:
    return find.process or find.at.process


def _same(one: Find, other: Find) -> bool:
    if one.kind == "build" or one.type != other.type:
        # Compilers say in later lines which name they mean; the watchdog has its own name for what PyTorch raised.
        if "CUDA error" in (one.type, other.type):
            return _plain_cuda(one) == _plain_cuda(other)
        return one.type == other.type and one.message == other.message
    return one.message.split("\n", 1)[0] == other.message.split("\n", 1)[0]


def _plain_cuda(find: Find) -> str:
    return find.message.split("\n", 1)[0].removeprefix("CUDA error: ")


def _wording(find: Find) -> str:
    first = "\n".join(find.message.split("\n", 2)[:2])
    name = find.type.rsplit(".", 1)[-1] if "(" not in find.type else find.type
    return f"{name}: {first}" if find.kind != "error-line" and find.kind != "death" else first


def _name(find: Find) -> str:
    return find.type.rsplit(".", 1)[-1] or "a failure cut from this log"
