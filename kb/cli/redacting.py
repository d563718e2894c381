"""Redaction of what a command prints for others: tickets, pages of a CI system."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kb.cli.where import optional_home

if TYPE_CHECKING:
    from kb.capture.redaction.redactor import Redactor


def output_redactor(ctx: click.Context) -> Redactor:
    """The redactor by the policy of kb.toml; secrets go even where that is off, for this leaves the machine."""
    from kb.capture.redaction.known import machine_secrets
    from kb.capture.redaction.policy import Policy, policy_of
    from kb.capture.redaction.redactor import Redactor
    from kb.home import read_home

    home = optional_home(ctx)
    policy = policy_of(read_home(home.root) if home is not None else None)
    return Redactor(Policy.SECRETS if policy is Policy.OFF else policy, machine_secrets())
