"""The page of triage rules: each target with its files to download and how to load them."""

from __future__ import annotations

from dataclasses import dataclass

from kb.knowledge.model import Knowledge
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
    """A hash of what the rules are made from, so that a publisher need not make them again."""
    rows = (
        (
            known.signature.id,
            known.signature.pattern,
            known.role,
            known.sessions,
            known.tags,
            tuple(known.components),
            tuple((fix.slug, fix.title, fix.fixed, fix.progressed, fix.failed, fix.last) for fix in known.fixes[:3]),
            tuple(one.failure.text for _, one in known.occurrences),
        )
        for known in knowledge.signatures.values()
    )
    return content_key(base_url, *sorted(rows))


def make_rules(knowledge: Knowledge, base_url: str) -> RuleSet:
    """The rules of all signatures, with the reasons of those that have none."""
    return check(candidates(knowledge, base_url=base_url), shipped())


def rule_files(rules: RuleSet, name: str) -> dict[str, tuple[Exported, ...]]:
    """The files of each target, for root failures."""
    some = chosen(rules, Choice())
    return {target: exporter(target).export(some, name) for target in EXPORTERS}


def rules_draft(rules: RuleSet, files: dict[str, tuple[Exported, ...]], templates: Templates) -> Draft:
    """The page for `rules`, whose `files` lie below it by target."""
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


def _target(name: str, made: tuple[Exported, ...]) -> TargetView:
    one = exporter(name)
    few = made if len(made) <= FILES else tuple(file for file in made if "/" not in file.path)
    links = tuple((LinkView(file.path, f"{URL}{name}/{file.path}"), len(file.text.encode())) for file in few)
    return TargetView(name, one.ABOUT, one.LOAD, one.PROVED, links, len(made) - len(few))
