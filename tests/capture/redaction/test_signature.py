"""Redaction and signatures: what is taken out was never what tells failures apart."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up_secrets import placed, secrets
from pairs import groups

from kb.capture.redaction.policy import Policy
from kb.capture.redaction.redactor import Redactor
from kb.failures.find import find_failures
from kb.failures.lines import clean
from kb.failures.model import Failure
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
IN_URLS = SECRET[:2]

#: How programs of several kinds print a message.
PRINTED = (
    LOG.replace("{user}", "alice").replace("{message}", "{}"),
    "2026-03-01 09:00:00,123 ERROR [worker] request failed: {}\n",
    "panic: {}\n\ngoroutine 1 [running]:\nmain.main()\n\t/home/alice/x/main.go:12 +0x1d\nexit status 2\n",
    'Exception in thread "main" java.lang.IllegalStateException: {}\n\tat com.acme.Shop.run(Shop.java:12)\n',
    "(RayWorkerWrapper pid=263, ip=10.0.16.95) Traceback (most recent call last):\n"
    '(RayWorkerWrapper pid=263, ip=10.0.16.95)   File "/home/alice/a.py", line 1, in f\n'
    "(RayWorkerWrapper pid=263, ip=10.0.16.95) ValueError: {}\n",
)
MESSAGES = (
    "cannot reach {} now", "{} refused", "connect to {} failed: timed out after 3 s", "lookup of '{}' failed (status 503)",
    "peer={} closed, retry 3", "no route to {}: host unreachable", "{}: permission denied", "bad value ({}) in line 3",
    "worker [{}] gone", 'no entry "{}" in the table',
)  # fmt: skip
VALUES = (
    "10.1.2.{}", "192.168.7.{}:8080", "db{}.prod.internal", "(host='10.1.2.{}')", "fd12:3456:789a::{}", "jane.{}roe@corp.io",
    "[fd12:3456:789a::{}]:80", "/home/alice{}/x.bin", "C:\\Users\\bob{}\\x.txt", "ip=10.1.2.{}", "host=db{}.lan port=3",
    "ip-10-1-2-{}.ec2.internal:9000", "http://10.1.2.{}:80/x", "node-1/10.4.0.{}:8030", "alice{0}x@10.1.2.{0}:22",
)  # fmt: skip
BARE = [secret.value for secret in secrets(4) if secret.bare]
#: A value that holds a space itself: only kb looks for it without the value, other tools have the pattern alone.
_SPACED = re.compile(r"""authorization["']: ["']""", re.IGNORECASE)


def of(log: str) -> tuple[Failure | None, tuple[str, ...]]:
    """The primary failure of a log, and all of its signature that is kept; None for a log without a failure."""
    result = find_failures(log)
    if result.primary is None:
        return None, ()
    failure = result.failures[result.primary]
    found = sign(failure)
    return failure, (found.id, found.title, found.template, found.pattern)


def matches(pattern: str, failure: Failure) -> bool:
    first = failure.message.split("\n", 1)[0]
    return any(re.search(pattern, line) for line in (clean(failure.text), f"{failure.type}: {first}"))


def check(printed: str, message: str) -> None:
    """One failure with this message has one signature, raw and redacted by each policy, and its pattern finds them."""
    raw = printed.replace("{}", message)
    failure, signature = of(raw)
    for policy in (Policy.SECRETS, Policy.PERSONAL):
        redacted, other = of(Redactor(policy).text(raw))
        assert other == signature, policy
        if failure and redacted and signature[3]:
            assert matches(signature[3], redacted)
            assert matches(signature[3], failure) or _SPACED.search(message)


@pytest.mark.parametrize("number", range(3))
def test_a_secret_in_any_place_changes_no_signature(number: int) -> None:
    for index, one in enumerate(list(placed(3 + number))[number::331]):
        check(PRINTED[index % len(PRINTED)], one.text)


@settings(max_examples=120, deadline=None)
@given(
    printed=st.sampled_from(PRINTED),
    message=st.sampled_from(MESSAGES),
    value=st.one_of(
        st.sampled_from(BARE), st.builds(lambda value, n: value.format(n), st.sampled_from(VALUES), st.integers(2, 250))
    ),
)
def test_what_redaction_takes_out_changes_no_signature(printed: str, message: str, value: str) -> None:
    check(printed, message.replace("{}", value))


@pytest.mark.parametrize(("message", "value"), list(product(MESSAGES, VALUES))[::3])
def test_two_personal_values_give_one_signature(message: str, value: str) -> None:
    one, other = (PRINTED[0].replace("{}", message.replace("{}", value.format(number))) for number in (4, 217))
    assert of(one)[1] == of(other)[1]


@pytest.mark.parametrize("value", ["10.1.2.3", BARE[0], "/home/alice/x"])
def test_what_tells_failures_apart_still_does(value: str) -> None:
    apart = [
        f"HTTP 403 from {value}", f"HTTP 404 from {value}", f"no module 'torch' at {value}", f"no module 'numpy' at {value}",
        f"expected Half but {value} has Float", f"expected BFloat16 but {value} has Float", f"errno 98 {value}", f"errno 99 {value}",
    ]  # fmt: skip
    assert len({of(PRINTED[0].replace("{}", message))[1][0] for message in apart}) == len(apart)


def test_asserted_source_is_the_same_redacted() -> None:
    printed = (
        'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    assert host == "{}"\nAssertionError\n'
    )
    check(printed, "10.31.4.7")
    assert of(printed.replace("{}", "10.31.4.7"))[1] == of(printed.replace("{}", "10.99.1.2"))[1]
    assert of(printed.replace("{}", "a"))[1] != of(printed.replace("{}", "b"))[1]


REAL = [text for group in groups() for text in group.texts]


@pytest.mark.parametrize("policy", [Policy.SECRETS, Policy.PERSONAL])
def test_real_outputs_keep_their_signatures(policy: Policy) -> None:
    changed = [(text, done) for text in REAL if (done := Redactor(policy).text(text)) != text]
    assert changed
    for text, done in changed:
        raw, redacted = ([sign(one).id for one in find_failures(log).failures] for log in (text, done))
        assert raw == redacted


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
