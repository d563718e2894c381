"""Redaction and signatures: what is taken out was never what tells failures apart."""

from __future__ import annotations

import re

import pytest
from made_up_secrets import secrets

from kb.capture.redaction.redactor import Redactor
from kb.failures.find import find_failures
from kb.signature.sign import sign

LOG = """\
Traceback (most recent call last):
  File "/home/{user}/app/main.py", line 3, in start
    connect()
  File "/home/{user}/app/db.py", line 9, in connect
    raise ConnectionError(message)
ConnectionError: {message}
"""

#: Messages with a personal value, and values that may stand in it.
PERSONAL = [
    ("cannot reach {}", ("10.1.2.3", "192.168.7.19")),
    ("connect to {}:5432 failed", ("10.1.2.3", "192.168.7.19")),
    ("dial tcp {}:5432: connect: connection refused", ("10.1.2.3", "192.168.7.19")),
    ("lookup {}:5432 failed", ("db1.prod.internal", "db2.prod.internal")),
    ("no mail for {}", ("jane.roe@corp.io", "john.doe@corp.io")),
    ("cannot open /home/{}/data/x.bin", ("alice", "bob")),
    ("[Errno 13] Permission denied: '/home/{}/data/x.bin'", ("alice", "bob")),
    ("C:\\Users\\{}\\x.txt is missing", ("alice", "bob")),
    ("404 Client Error: Not Found for url: http://{}/v1/models", ("10.1.2.3", "192.168.7.19")),
]

SECRET = [
    "401 Client Error: Unauthorized for url: https://api.example.com/v1?access_token={}",
    "GET https://me:{}@host.example.com/x failed",
    "cannot log in with token: {}",
    "login failed: password={} was refused",
    "Authorization: Bearer {} was refused",
    "the API key '{}' is not valid",
]
#: A URL is masked whole, so a signature never saw the secret in it.
IN_URLS = SECRET[:2]


def signature(message: str, *, user: str = "alice", redact: bool = True) -> tuple[str, str, str]:
    """Id, template and pattern of the failure with this message."""
    log = LOG.format(user=user, message=message)
    failures = find_failures(Redactor().text(log) if redact else log).failures
    assert len(failures) == 1
    found = sign(failures[0])
    return found.id, found.template, found.pattern


@pytest.mark.parametrize(("message", "values"), PERSONAL)
def test_a_personal_value_is_masked_like_its_placeholder(message: str, values: tuple[str, str]) -> None:
    first, second = (message.format(value) for value in values)
    assert signature(first) == signature(first, redact=False) == signature(second, user="bob")


@pytest.mark.parametrize("message", IN_URLS)
def test_a_secret_in_a_url_is_masked_like_its_placeholder(message: str) -> None:
    for secret in secrets():
        text = message.format(secret.value)
        assert signature(text) == signature(text, redact=False), secret.kind


@pytest.mark.parametrize("message", SECRET)
def test_two_secrets_give_one_signature_whose_pattern_matches_both(message: str) -> None:
    for one, other in list(zip(secrets(1), secrets(2), strict=True))[::4]:
        if message in SECRET[2:] and not one.bare:
            continue
        first, second = message.format(one.value), message.format(other.value)
        recorded = signature(first)
        assert recorded == signature(second), one.kind
        assert re.search(recorded[2], f"ConnectionError: {second}"), one.kind
