"""What `kb.toml` says about redaction."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.capture.redaction.policy import Policy, policy_of
from kb.errors import UsageError
from kb.home import read_home


def policy(folder: Path, text: str) -> Policy:
    (folder / "kb.toml").write_text(text)
    return policy_of(read_home(folder))


def test_personal_values_are_taken_out_unless_something_else_is_said(tmp_path: Path) -> None:
    assert policy(tmp_path, "") is Policy.PERSONAL
    assert policy_of(None) is Policy.PERSONAL
    assert policy(tmp_path, 'redaction = "secrets"') is Policy.SECRETS


def test_off_needs_a_confirmation_that_nobody_writes_by_accident(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="secrets may be stored"):
        policy(tmp_path, 'redaction = "off"')
    with pytest.raises(UsageError, match="nobody confirmed"):
        policy(tmp_path, 'redaction = "off"\nredaction_off = "yes"')
    assert policy(tmp_path, 'redaction = "off"\nredaction_off = "secrets may be stored"') is Policy.OFF


def test_an_unknown_word_is_an_error_that_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="one of personal, secrets, off"):
        policy(tmp_path, 'redaction = "none"')
