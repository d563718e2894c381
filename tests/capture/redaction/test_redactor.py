"""Redaction of whole texts and of lines as they come."""

from __future__ import annotations

import string
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.capture.redaction.policy import Policy
from kb.capture.redaction.redactor import Redactor

LETTERS = string.ascii_letters + string.digits


def made_up(length: int, seed: int = 1) -> str:
    """Letters and digits that were never a secret of anybody."""
    return "".join(Random(seed).choices(LETTERS, k=length))


GITHUB = "ghp_" + made_up(36)


@pytest.fixture(scope="module")
def redactor() -> Redactor:
    return Redactor()


def test_a_token_is_replaced_by_its_kind_and_the_rest_stays(redactor: Redactor) -> None:
    assert redactor.text(f"clone with {GITHUB} failed\n") == "clone with <secret:github> failed\n"


def test_a_value_that_its_name_gives_away_is_replaced(redactor: Redactor) -> None:
    assert redactor.text("DB_PASSWORD=swordfish make") == "DB_PASSWORD=<secret:value> make"


def test_the_same_value_has_the_same_placeholder(redactor: Redactor) -> None:
    assert Redactor().text("10.1.2.3 10.1.2.4 10.1.2.3") == "<ip:1> <ip:2> <ip:1>"


def test_colours_stay_and_do_not_hide_a_secret(redactor: Redactor) -> None:
    coloured = f"\x1b[31m{GITHUB[:9]}\x1b[1m{GITHUB[9:]}\x1b[0m."
    assert redactor.text(coloured) == "\x1b[31m<secret:github>\x1b[1m\x1b[0m."


def test_a_key_of_several_lines_is_gone_and_the_lines_are_still_counted(redactor: Redactor) -> None:
    key = ["-----BEGIN RSA PRIVATE KEY-----", made_up(64), made_up(64, 2), "aGk=", "-----END RSA PRIVATE KEY-----"]
    lines = ["cat key", *key, "done"]
    assert redactor.text("\n".join(lines)).split("\n") == ["cat key", *["<secret:private-key>"] * 5, "done"]
    assert [redactor.line(line) for line in lines] == ["cat key", *["<secret:private-key>"] * 5, "done"]


def test_what_only_looks_like_a_secret_stays(redactor: Redactor) -> None:
    for text in (
        "max_tokens=4096",
        "pad_token_id: 128001",
        "password: None",
        "token=$TOKEN",
        "password=${{ secrets.X }}",
    ):
        assert redactor.text(text) == text


def test_known_values_are_replaced_whatever_they_look_like() -> None:
    redactor = Redactor(known=["Plain horse 12"])
    assert redactor.text("got plain horse, Plain horse 12!") == "got plain horse, <secret:value>!"


def test_off_leaves_everything() -> None:
    assert Redactor(Policy.OFF).text(GITHUB) == GITHUB


PARTS = st.one_of(
    st.text(max_size=30),
    st.binary(max_size=20).map(lambda data: data.decode("utf-8", "surrogateescape")),
    st.sampled_from(
        [GITHUB, "token=a1b2c3d4e5", "10.1.2.3", "\x1b[1m", "\n", "password: ", "/home/alice/", "https://u:p4ss@h/"]
    ),
    st.sampled_from(
        ["-----BEGIN PRIVATE KEY-----\n", made_up(64), "-----END PRIVATE KEY-----", "Authorization: Bearer "]
    ),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(PARTS, max_size=10))
def test_any_text_is_redacted_once_and_for_all(parts: list[str]) -> None:
    text = "".join(parts)
    redactor = Redactor()
    once = redactor.text(text)
    assert redactor.text(once) == once
    assert once.count("\n") == text.count("\n")


@settings(max_examples=150, deadline=None)
@given(st.lists(PARTS, max_size=10))
def test_a_text_and_its_lines_are_redacted_alike(parts: list[str]) -> None:
    text = "".join(parts)
    whole, streamed = Redactor(), Redactor()
    lines = text.split("\n")
    assert whole.text(text) == "\n".join(streamed.line(line) for line in lines)
    assert whole.counts == streamed.counts


def test_a_long_line_and_many_hits_are_no_trouble(redactor: Redactor) -> None:
    for text in (
        "token=" * 6_000,
        "a" * 3_000_000,
        "password: " * 4_000,
        "\x1b[" * 300_000,
        "eyJ" * 200_000,
        "10.1.2." * 60_000,
    ):
        redactor.text(text)
    assert redactor.text(f"{'x' * 2_000_000} {GITHUB} {'y' * 2_000_000}").count("<secret:github>") == 1


def test_text_that_is_no_unicode_keeps_its_bytes(redactor: Redactor) -> None:
    text = b"\xff\xfe password=hunter2 \xc3".decode("utf-8", "surrogateescape")
    assert redactor.text(text).encode("utf-8", "surrogateescape") == b"\xff\xfe password=<secret:value> \xc3"


def test_a_title_of_the_terminal_is_text_as_well(redactor: Redactor) -> None:
    assert GITHUB not in redactor.text(f"\x1b]0;run {GITHUB}\x07ok")


def test_what_was_taken_out_is_counted() -> None:
    redactor = Redactor()
    redactor.text(f"{GITHUB} {GITHUB} 10.1.2.3")
    assert redactor.counts == {"github": 2, "ip": 1}


@pytest.mark.parametrize(
    "lines",
    [
        ["-----BEGIN OPENSSH PRIVATE KEY-----", made_up(70), made_up(20), "-----END OPENSSH PRIVATE KEY-----"],
        ["+-----BEGIN RSA PRIVATE KEY-----", "+Proc-Type: 4,ENCRYPTED", "+", "+" + made_up(64), "+-----END RSA PRIVATE KEY-----"],
        ["  key: |", "    -----BEGIN EC PRIVATE KEY-----", "    " + made_up(64), "    -----END EC PRIVATE KEY-----"],
        ["-----BEGIN PGP PRIVATE KEY BLOCK-----", "", made_up(64), "=aB3d", "-----END PGP PRIVATE KEY BLOCK-----"],
        ["-----BEGIN PRIVATE KEY-----\r", made_up(64) + "\r", "-----END PRIVATE KEY-----\r"],
        ['"private_key": "-----BEGIN PRIVATE KEY-----\\n' + made_up(90) + '\\n-----END PRIVATE KEY-----\\n",'],
        ["2026-03-01T09:00:00Z -----BEGIN PRIVATE KEY-----", "2026-03-01T09:00:00Z " + made_up(64), "2026-03-01T09:00:00Z -----END PRIVATE KEY-----"],
        ["-----BEGIN RSA PRIVATE KEY-----", made_up(64, 2), made_up(64) + "==-----END RSA PRIVATE KEY-----"],
        ["-----BEGIN RSA PRIVATE KEY-----", made_up(64) * 200, "-----END RSA PRIVATE KEY-----"],
        ["Private-Lines: 2", made_up(64), made_up(44) + "=", "Private-MAC: x"],
    ],
)  # fmt: skip
def test_private_keys_are_taken_out_in_all_their_forms(lines: list[str]) -> None:
    done = Redactor().text("\n".join(lines))
    assert len(done.split("\n")) == len(lines)
    assert made_up(64)[:20] not in done
    assert "<secret:private-key>" in done


def test_a_line_that_only_names_a_key_hides_nothing_after_it(redactor: Redactor) -> None:
    text = 'if "-----BEGIN PRIVATE KEY-----" in text:\n    return parse(text)\n'
    assert redactor.text(text) == text
    after = redactor.text("-----BEGIN PRIVATE KEY-----\nTraceback (most recent call last):\nValueError: x")
    assert after.endswith("\nTraceback (most recent call last):\nValueError: x")


def test_values_made_to_be_read_again_and_again_are_no_trouble(redactor: Redactor) -> None:
    for value in ("4b0a8e0cAB12" * 4000, "AAAA1" * 8000, "aaa-" * 9000, "Ab" * 20_000):
        redactor.text(f'api_key = "{value}!"')
