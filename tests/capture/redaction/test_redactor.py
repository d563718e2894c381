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


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.one_of(st.text(max_size=40), st.sampled_from([GITHUB, "token=a1b2c3d4e5", "10.1.2.3", "\x1b[1m"])),
        max_size=8,
    )
)
def test_any_text_is_redacted_once_and_for_all(parts: list[str]) -> None:
    redactor = Redactor()
    once = redactor.text(" ".join(parts))
    assert redactor.text(once) == once
    assert GITHUB not in once
