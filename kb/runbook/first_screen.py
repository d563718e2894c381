"""What the first screen of a signature's page must say: what failed, in words, and how sure one can be of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Literal, NamedTuple

from kb.failures.lines import clean
from kb.knowledge.model import SignatureKnowledge
from kb.runbook.lines.line_rules import LineRule
from kb.runbook.lines.parts import side_by_side
from kb.runbook.phrases import count

#: What a failure is called by its kind.
KINDS = {
    "exception": "exception",
    "crash": "crash",
    "error": "error",
    "kernel": "message of the kernel",
    "nccl": "error of NCCL",
    "panic": "panic",
    "signal": "death by a signal",
    "test": "test failure",
}

#: How languages and tools write themselves, where that is not their name with a capital.
NAMES = {
    "apt": "apt",
    "cmake": "CMake",
    "cpp": "C++",
    "csharp": "C#",
    "cuda": "CUDA",
    "javascript": "JavaScript",
    "make": "make",
    "npm": "npm",
    "ocaml": "OCaml",
    "php": "PHP",
    "pip": "pip",
    "typescript": "TypeScript",
    "uv": "uv",
}

#: How many occurrences the pattern is tried on, and the longest summary, in characters.
TRIED, LONGEST = 50, 240

#: How a sentence begins that goes on from what was said elsewhere.
_POINTS_BACK = re.compile(r"(?:As (?:above|before|in|with)|Again|Now|Still|(?:The )?[Ss]ame(?: again)?(?=[,;:.]))\b")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'(])")


class Certainty(NamedTuple):
    """How surely one knows this failure by its line: a level for the eye, the words, and what they rest on."""

    level: Literal["sure", "likely", "unsure"]
    words: str
    proof: str = ""


def what_words(known: SignatureKnowledge) -> str:
    """The kind of failure, what it began or followed, and where: `a Python exception that began the failure`."""
    kinds = Counter((seen.failure.kind, seen.failure.language or "") for _, seen in known.occurrences)
    kind, language = kinds.most_common(1)[0][0] if kinds else ("error", "")
    if known.declared:
        return "A failure that leaves no error line."
    named = " ".join(part for part in (NAMES.get(language) or language.capitalize(), KINDS.get(kind, "error")) if part)
    processes = sorted({seen.failure.process for _, seen in known.occurrences if seen.failure.process})
    where = f" in {processes[0]}" + (" and others" if len(processes) > 1 else "") if processes else ""
    return f"{'An' if named[0] in 'AEIOUaeiou' or named.startswith('npm') else 'A'} {named}{where}."


def certainty(known: SignatureKnowledge, rule: LineRule | None) -> Certainty:
    """How sure one can be from one line; the pattern is tried on the occurrences themselves."""
    if known.declared:
        return Certainty("unsure", "No line tells it: compare what was observed.")
    if rule is None:
        return Certainty("unsure", "One line does not tell it: run kb triage on the whole log.")
    texts = [text for text in (clean(seen.failure.text) for _, seen in known.occurrences[:TRIED]) if text]
    if rule.literal:  # to compile its pattern would take longer than all else on the first screen
        matched = sum(rule.literal in text for text in texts)
    else:
        matched = sum(side_by_side(rule.parts, text) or bool(re.search(rule.pattern, text)) for text in texts)
    proof = f"Its pattern matches {matched} of {count(len(texts), 'occurrence')} on record." if texts else ""
    if rule.contexts or matched < len(texts):
        return Certainty("likely", "Likely this one if your log has this line.", proof)
    return Certainty("sure", "It is this one if your log has this line.", proof)


def summary(diagnoses: Iterable[str]) -> str:
    """The first of the diagnoses in short; one that goes on from another only where no other can be told so; "" when
    none can."""
    short = [said for said in map(in_short, diagnoses) if said]
    return next((said for said in short if not _POINTS_BACK.match(said)), short[0] if short else "")


def in_short(prose: str) -> str:
    """The first sentence of a diagnosis, when it is short and stands alone; "" else."""
    paragraph = prose.strip().split("\n\n", 1)[0]
    first = " ".join(_SENTENCE.split(" ".join(paragraph.split()), maxsplit=1)[:1])
    balanced = not first.count("`") % 2 and not first.count("*") % 2
    return first if balanced and len(first) <= LONGEST and first[-1:] in ".!?" else ""
