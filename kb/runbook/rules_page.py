"""The page of triage rules: each target with its files to download and how to load them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kb.failures.model import Failure
from kb.knowledge.model import Knowledge, SignatureKnowledge
from kb.rules.check import check
from kb.rules.choice import Choice, chosen
from kb.rules.derive import candidates
from kb.rules.exporters.registry import EXPORTERS, exporter
from kb.rules.healthy import shipped
from kb.rules.model import Exported, RuleSet
from kb.runbook.page import Draft, content_key, root_of
from kb.runbook.templating import Templates
from kb.runbook.urls import signature_url
from kb.runbook.views import LinkView

URL = "rules/"
#: Of a target of more files than this only those at its top are linked: they hold all that the others do.
FILES = 8
#: How many of the signatures without a rule the page lists.
REFUSED = 100

#: Files by their path, each with its size in bytes.
Sizes = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class TargetView:
    """A target: what it is, how its files are loaded, what proved them, and where they lie."""

    name: str
    about: str
    load: str
    proved: str
    files: tuple[tuple[LinkView, int], ...]
    unshown: int


@dataclass(frozen=True, slots=True)
class RefusedView:
    """A signature without a rule, and why."""

    link: LinkView
    reason: str


@dataclass(frozen=True, slots=True)
class RulesView:
    """All that the page shows."""

    rules: int
    targets: tuple[TargetView, ...]
    refused: tuple[RefusedView, ...]
    unshown: int


def rules_key(knowledge: Knowledge, base_url: str) -> str:
    """A hash of what the rules are made from (all that `candidates` reads), so that a publisher need not make them
    again."""
    each = (one for known in knowledge.signatures.values() for one in known.as_signed())
    return content_key(base_url, *sorted(map(_made_from, each)))


def _made_from(known: SignatureKnowledge) -> tuple[object, ...]:
    one = known.signature
    return (
        (one.id, one.signed, one.title, one.type, one.template, one.pattern, one.context, known.role, known.declared),
        (known.sessions, known.first_seen, known.last_seen, known.tags, tuple(known.components)),
        tuple((fix.slug, fix.title, fix.kind, fix.fixed, fix.progressed, fix.failed, fix.last) for fix in known.fixes),
        tuple((session, seen.attempt, *_failed(seen.failure)) for session, seen in known.occurrences),
    )


def _failed(one: Failure) -> tuple[object, ...]:
    frames = tuple((frame.file, frame.function) for frame in one.frames)
    return (one.kind, one.language, one.type, one.text, one.message, frames)


def make_rules(knowledge: Knowledge, base_url: str) -> RuleSet:
    """The rules of all signatures, with the reasons of those that have none."""
    return check(candidates(knowledge, base_url=base_url), shipped())


def rule_files(rules: RuleSet, name: str) -> Iterator[tuple[str, tuple[Exported, ...]]]:
    """Each target with its files, for root failures; those of all targets together are large."""
    some = chosen(rules, Choice())
    for target in EXPORTERS:
        yield target, exporter(target).export(some, name)


def rules_draft(rules: RuleSet, files: Mapping[str, Sizes], templates: Templates) -> Draft:
    """The page for `rules`, whose `files` lie below it by target, each with its size."""
    targets = tuple(_target(name, made) for name, made in files.items())
    refused = tuple(
        RefusedView(LinkView(one.title, signature_url(one.id)), one.reason)
        for one in rules.refused[:REFUSED]
        if one.code != "declared"
    )
    view = RulesView(len(chosen(rules, Choice())), targets, refused, max(len(rules.refused) - REFUSED, 0))
    return Draft(
        url=URL,
        title="Triage rules",
        kind="rules",
        toc=(("targets", "Targets"), ("without", "Signatures without a rule")),
        body=lambda: templates.render("pages/rules.html", root_of(URL), page=view),
    )


def _target(name: str, made: Sizes) -> TargetView:
    one = exporter(name)
    few = made if len(made) <= FILES else tuple(pair for pair in made if "/" not in pair[0])
    links = tuple((LinkView(path, f"{URL}{name}/{path}"), size) for path, size in few)
    return TargetView(name, one.ABOUT, one.LOAD, one.PROVED, links, len(made) - len(few))
