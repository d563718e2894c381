"""What redaction takes out: the policy of a knowledge base, from its `kb.toml`."""

from __future__ import annotations

from enum import StrEnum

from kb.errors import Location, UsageError
from kb.home import CONFIG, Home

#: What `redaction_off` in kb.toml must say before redaction can be off: nobody writes this by accident.
CONFIRMATION = "secrets may be stored"


class Policy(StrEnum):
    """How much is taken out before anything is stored."""

    #: Nothing. Needs the confirmation.
    OFF = "off"
    #: Tokens, passwords, keys: what gives access.
    SECRETS = "secrets"
    #: Secrets, and e-mail addresses, users in home folders, internal hosts and addresses. The default.
    PERSONAL = "personal"


def policy_of(home: Home | None) -> Policy:
    """The policy that `kb.toml` of `home` names; `PERSONAL` when it names none or there is no knowledge base.

    Raises UsageError for an unknown word, and for `off` without `redaction_off = "secrets may be stored"`.
    """
    if home is None or not home.redaction:
        return Policy.PERSONAL
    where = Location(str(home.root / CONFIG))
    try:
        policy = Policy(home.redaction)
    except ValueError:
        known = ", ".join(policy.value for policy in reversed(Policy))
        raise UsageError(f"unknown redaction {home.redaction!r}", location=where, hint=f"one of {known}") from None
    if policy is Policy.OFF and home.redaction_off != CONFIRMATION:
        raise UsageError(
            "redaction is off, but nobody confirmed it",
            location=where,
            hint=f'write redaction_off = "{CONFIRMATION}" beside it, or take redaction = "off" out',
        )
    return policy
