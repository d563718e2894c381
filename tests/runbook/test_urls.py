"""Addresses of pages: safe for any name, different for different names."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from kb.runbook.page import root_of
from kb.runbook.urls import component_url, fix_url, path_name, session_url, table_url

SAFE = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")


def test_a_plain_name_is_its_own_folder() -> None:
    assert session_url("2026-02-22-vllm-eagle3") == "sessions/2026-02-22-vllm-eagle3/"


def test_a_name_that_is_no_folder_keeps_its_readable_part() -> None:
    assert re.fullmatch(r"components/flash-attn-v2-[0-9a-f]{8}/", component_url("Flash Attn/v2"))


def test_a_fix_cannot_take_the_place_of_a_page() -> None:
    assert fix_url("index.html") != "fixes/index.html/"


def test_names_that_differ_in_case_do_not_share_a_page() -> None:
    assert component_url("vLLM") != component_url("vllm")


def test_the_way_to_the_root_is_as_long_as_the_address() -> None:
    assert [root_of(url) for url in ("", "fixes/", "s/kb1-a/")] == ["", "../", "../../"]


def test_no_session_is_called_as_the_second_page_of_a_table() -> None:
    assert table_url("sessions", 1) == "sessions/"
    assert path_name("_2") != "_2"
    assert table_url("sessions", 2) == "sessions/_2/"


@given(st.text(min_size=1))
def test_every_name_makes_a_safe_folder(name: str) -> None:
    made = path_name(name)
    assert SAFE.fullmatch(made)
    assert ".." not in made
    assert len(made) <= 100


@given(st.text(min_size=1), st.text(min_size=1))
def test_different_names_make_different_folders(one: str, other: str) -> None:
    assert (path_name(one) == path_name(other)) == (one == other)
