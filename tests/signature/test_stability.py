"""What does not belong to a failure does not change its signature: how it was printed, wrapped, redacted or read."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pairs import groups

from kb.capture.redaction.redactor import Redactor
from kb.failures import places
from kb.failures.find import find_failures
from kb.failures.large import find_in_stream
from kb.failures.model import Failure
from kb.signature.masking import mask, shown
from kb.signature.sign import sign
from kb.signature.wordings import reworded, without_hint

#: One real output of every other group, the short ones.
REAL = [group.texts[0] for group in groups()[::2] if len(group.texts[0]) < 2500]
PREFIXES = [
    "",
    "2026-11-29T13:21:30.7846808Z ",
    "worker-1  | ",
    "[rank3]: ",
    "(EngineCore_DP0 pid=362045) ERROR 02-22 17:52:14 [core.py:1029] ",
    "(RayWorkerWrapper pid=263, ip=10.0.16.95) ",
    "Nov 29 14:02:10 node7 app[4711]: ",
]
HEALTHY = "2025-03-01 09:13:15,186 INFO [cursor] replay queue 771720 took 257 ms\n"
MESSAGES = [
    "no answer from {}",
    "cannot reach {} within 3 s",
    "{} closed the connection",
    "user at {} was refused (code 7)",
    "https://{}/v1/jobs answered with HTTP 503",
]
VALUES = [
    "10.31.4.{}", "192.168.7.{}:8080", "ann{}@shop-example.com", "bob.lee+{}@mail.example-shop.org",
    "[2001:db8:0:1::{}]:9000", "2001:db8:85a3::8a2e:370:{}",
]  # fmt: skip


def identity(text: str | bytes) -> str:
    found = find_failures(text)
    return sign(found.failures[found.primary]).id if found.primary is not None else ""


def of(message: str) -> str:
    return sign(Failure("exception", "ConnectionError", message, 1, 1, 1, f"ConnectionError: {message}", "python")).id


@settings(max_examples=60, deadline=None)
@given(text=st.sampled_from(REAL), code=st.sampled_from(["1", "0;31", "1;36", "38;5;9"]))
def test_colours_change_nothing(text: str, code: str) -> None:
    coloured = "\n".join(f"\x1b[{code}m{line}\x1b[0m" if line.strip() else line for line in text.split("\n"))
    assert identity(coloured) == identity(text)


@settings(max_examples=60, deadline=None)
@given(text=st.sampled_from(REAL), as_bytes=st.booleans())
def test_the_ends_of_lines_and_the_form_of_the_text_change_nothing(text: str, as_bytes: bool) -> None:
    printed = text.replace("\r\n", "\n").replace("\n", "\r\n")
    assert identity(printed.encode() if as_bytes else printed) == identity(text)


PYTHON = [text for text in REAL if text.startswith("Traceback (most recent call last):\n") and "│" not in text]


@settings(max_examples=60, deadline=None)
@given(text=st.sampled_from(PYTHON), prefix=st.sampled_from(PREFIXES))
def test_what_stands_before_every_line_changes_nothing(text: str, prefix: str) -> None:
    assert identity("".join(f"{prefix}{line}\n" for line in text.rstrip("\n").split("\n"))) == identity(text)


@settings(max_examples=40, deadline=None)
@given(text=st.sampled_from(PYTHON), block=st.sampled_from([64, 1000, 4096]))
def test_reading_in_pieces_changes_nothing(text: str, block: int) -> None:
    log = HEALTHY * 300 + text + HEALTHY * 300
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(places, "_BLOCK", block)
        found = find_in_stream(io.BytesIO(log.encode())).found
    assert found.primary is not None
    assert sign(found.failures[found.primary]).id == identity(text)


@settings(max_examples=40, deadline=None)
@given(text=st.sampled_from(PYTHON), before=st.integers(0, 40), after=st.integers(0, 40))
def test_a_healthy_log_around_it_changes_nothing(text: str, before: int, after: int) -> None:
    lines = [f"INFO step {number} done" for number in range(max(before, after))]
    assert identity("\n".join([*lines[:before], text.rstrip("\n"), *lines[:after], ""])) == identity(text)


@given(
    message=st.sampled_from(MESSAGES),
    value=st.sampled_from(VALUES),
    numbers=st.tuples(st.integers(1, 254), st.integers(1, 254)),
)
def test_redaction_changes_nothing(message: str, value: str, numbers: tuple[int, int]) -> None:
    one, other = (message.format(value.format(number)) for number in numbers)
    redacted = Redactor().text(one)
    assert of(one) == of(other) == of(redacted)


@given(
    message=st.sampled_from(MESSAGES),
    kinds=st.tuples(
        *[st.sampled_from(["ip:1", "host:27", "email:3", "user:2", "secret:api-key", "secret:url-password"])] * 2
    ),
)
def test_the_kind_and_the_number_of_a_placeholder_change_nothing(message: str, kinds: tuple[str, str]) -> None:
    one, other = (message.format(f"<{kind}>") for kind in kinds)
    assert of(one) == of(other) == of(message.format("10.31.4.7"))


@settings(max_examples=80, deadline=None)
@given(text=st.sampled_from(REAL))
def test_masks_hints_and_wordings_act_once(text: str) -> None:
    for line in text.split("\n"):
        masked = shown(mask(line).segments)
        assert shown(mask(masked).segments) == masked
        hinted = without_hint(line)
        assert without_hint(hinted) == hinted
        said = reworded("Error", masked)
        assert reworded(said.type, said.template)[:2] == said[:2]


@pytest.mark.parametrize("prefix", PREFIXES)
def test_what_announces_a_list_decides_whether_or_not_the_list_belongs_to_it(prefix: str) -> None:
    """Only behind the label of one process of several it is sure that lines which are not indented are of the message."""
    lines = [
        "Traceback (most recent call last):",
        '  File "/srv/app/read.py", line 12, in load',
        "    return reader(path)",
        "ValueError: Could not make the reader from one of: ",
        "(1) a table with a header, ",
        "(2) a folder of tables.",
    ]
    found = find_failures("\n".join(["starting", *(prefix + line for line in lines)]))
    assert found.primary is not None
    assert sign(found.failures[found.primary]).parts == ("ValueError", "Could not make the reader from one of")


@pytest.mark.parametrize("text", REAL[::4])
def test_a_signature_is_made_the_same_way_twice_and_explains_itself(text: str) -> None:
    found = find_failures(text)
    assert found.primary is not None
    failure = found.failures[found.primary]
    assert sign(failure) == sign(failure)
    assert all(reason.rule for reason in sign(failure).reasons)
