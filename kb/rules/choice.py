"""Which rules are exported: filters that all exporters share."""

from __future__ import annotations

from dataclasses import dataclass

from kb.rules.model import RuleSet, TriageRule


@dataclass(frozen=True, slots=True)
class Choice:
    """Filters; an empty one excludes nothing. `roles` are root failures only unless more are asked for."""

    components: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    roles: tuple[str, ...] = ("root",)
    min_evidence: int = 1

    def holds(self, rule: TriageRule) -> bool:
        """Whether `rule` is wanted."""
        return (
            rule.role in self.roles
            and rule.sessions >= self.min_evidence
            and (not self.components or bool({rule.component, *rule.components} & set(self.components)))
            and (not self.tags or bool(set(rule.tags) & set(self.tags)))
            and (not self.ids or rule.id in self.ids)
        )


def chosen(rules: RuleSet, choice: Choice) -> tuple[TriageRule, ...]:
    """The rules that `choice` wants, by id."""
    return tuple(sorted((rule for rule in rules.rules if choice.holds(rule)), key=lambda rule: rule.id))
