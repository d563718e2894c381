"""A ruleset in the form of PyTorch's test-infra log classifier."""

from __future__ import annotations

import json
from collections.abc import Sequence

from kb.rules.exporters.telling import headline
from kb.rules.model import Exported, TriageRule

NAME = "testinfra"
ABOUT = "PyTorch test-infra ruleset.toml: the log classifier of CI jobs"
LOAD = "Append the rules of kb-ruleset.toml to ruleset.toml; the order is the priority."
PROVED = "a TOML reader, and Rust's regex through ripgrep"


def export(rules: Sequence[TriageRule], name: str) -> tuple[Exported, ...]:
    """`kb-ruleset.toml`. Strings are basic ones, which every reader of TOML 0.5 takes."""
    rows = [f"[[rule]]\nname = {json.dumps(headline(rule))}\npattern = {json.dumps(rule.pattern)}\n" for rule in rules]
    return (Exported("kb-ruleset.toml", "\n".join(["# Made by kb; do not edit.", *rows])),)
