"""What is printed to people is harmless, and fits."""

from __future__ import annotations

import os
import sys
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.cli import terminal
from kb.cli.output import json_text


@given(st.text(st.characters(), max_size=200))
@settings(max_examples=300)
def test_visible_text_holds_no_character_that_a_terminal_obeys(text: str) -> None:
    shown = terminal.visible(text)
    assert all(c == "\n" or (c.isprintable() or c.isspace()) for c in shown if ord(c) < 0xA0)
    assert not any(0x202A <= ord(c) <= 0x202E or 0xD800 <= ord(c) <= 0xDFFF for c in shown)
    shown.encode("utf-8")


def test_escapes_name_the_character() -> None:
    assert terminal.visible("a\x1b[2J\x9b\x7f\u202eb") == "a\\x1b[2J\\x9b\\x7f\\u202eb"


def test_colours_are_left_out() -> None:
    assert terminal.visible("\x1b[1;31mError\x1b[0m: \x1b[38;5;9mno\x1b[m") == "Error: no"


def test_a_byte_that_was_no_utf8_is_shown_as_that_byte() -> None:
    assert terminal.visible(b"caf\xe9".decode("utf-8", "surrogateescape")) == "caf\\xe9"


@given(st.text(st.characters(codec="utf-8"), max_size=400), st.integers(0, 4))
@settings(max_examples=300)
def test_wrapped_lines_fit_a_terminal(text: str, lines: int) -> None:
    with mock.patch.object(terminal, "piped", return_value=False):
        rows = terminal.wrap(terminal.one_line(text), indent="    ", first="  x ", lines=lines)
    assert all(terminal.columns(row) <= terminal.width() for row in rows)
    assert not lines or len(rows) <= lines


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zs", "Zl", "Zp"]), max_size=400))
@settings(max_examples=200)
def test_wrapping_without_a_limit_loses_nothing_but_spaces(text: str) -> None:
    assert "".join(terminal.wrap(text)).replace(" ", "") == text


def test_words_stay_whole_and_verbatim_lines_unbroken_when_piped() -> None:
    path = "/srv/" + "x" * 200
    assert path in terminal.wrap(f"at {path} and more", indent="  ", first="")[1]
    assert terminal.verbatim(f"two words {path}\nand more", indent="  ") == [f"  two words {path}", "  and more"]


def test_a_terminal_without_a_width_counts_as_eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr("os.get_terminal_size", lambda *_: os.terminal_size((0, 0)))
    monkeypatch.setattr(sys.stdout, "fileno", lambda: 1)
    assert terminal.width() == 80


def test_a_line_that_was_cut_ends_in_an_ellipsis() -> None:
    assert terminal.cut("abcdef", 4) == "abc…"
    assert terminal.cut("日本語", 4) == "日…"
    assert terminal.cut("abc", 3) == "abc"
    assert terminal.wrap("word " * 100, lines=2)[-1].endswith("…")


def test_colours_are_off_when_the_output_is_not_a_terminal() -> None:
    assert terminal.paint("x", "red", bold=True) == "x"


def test_colours_are_on_in_a_terminal_unless_it_says_no(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    assert terminal.paint("x", "red") == "\x1b[31mx\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert terminal.paint("x", "red") == "x"
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert terminal.paint("x", "red") == "x"


def test_progress_is_silent_when_standard_error_is_not_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    progress = terminal.Progress("reading")
    progress(1, 2)
    progress.close()
    assert capsys.readouterr().err == ""


def test_progress_is_one_line_that_is_cleared(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    progress = terminal.Progress("reading")
    for done in range(3):
        progress(done, 2)
    progress(1, 2, "deriving")
    progress.close()
    err = capsys.readouterr().err
    assert "\n" not in err
    assert "reading 2/2 (100 %)" in err
    assert err.endswith("\rderiving 1/2 (50 %)\x1b[K\r\x1b[K")


def test_json_is_ascii_without_lone_surrogates() -> None:
    assert json_text({"a": "\udc80\x7f\u202e", "b": ["é"]}, indent=None) == (
        '{"a": "\\ufffd\\u007f\\u202e", "b": ["\\u00e9"]}'
    )
