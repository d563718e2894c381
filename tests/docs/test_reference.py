"""What is generated is current, and what is listed by hand is complete."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from kb.cli.main import COMMANDS
from kb.record.build import ATTRIBUTES
from kb.record.front import KEYS
from kb.record.model import Confidence, FixKind, Resolution

from .generate import (
    RECORD_PAGE,
    RULES_PAGE,
    command_pages,
    reader_pages,
    with_problem_codes,
    with_targets,
)

CHECKOUT = Path(__file__).resolve().parent.parent.parent


def test_the_command_reference_is_what_the_commands_say() -> None:
    pages = command_pages()
    assert {page: page.read_text("utf-8") for page in pages} == pages, "run `make docs`"
    told = "".join(pages.values())
    assert [name for name in COMMANDS if told.count(f"\n## kb {name}\n") != 1] == []


def test_the_pages_of_readers_are_what_the_readers_say() -> None:
    pages = reader_pages()
    assert {page: page.read_text("utf-8") for page in pages} == pages, "run `make docs`"


def test_the_page_of_rules_lists_every_target_and_format() -> None:
    page = RULES_PAGE.read_text("utf-8")
    assert page == with_targets(page), "run `make docs`"


def test_the_page_of_the_record_format_names_every_key_attribute_and_word() -> None:
    page = RECORD_PAGE.read_text("utf-8")
    attributes = {name for forms in ATTRIBUTES.values() for name, _, _ in forms}
    words = {*KEYS, *attributes, *get_args(FixKind), *get_args(Confidence), *get_args(Resolution)}
    assert [word for word in sorted(words) if f"`{word}`" not in page] == []


def test_the_page_of_the_record_format_lists_the_codes_of_problems() -> None:
    page = RECORD_PAGE.read_text("utf-8")
    assert page == with_problem_codes(page), "run `make docs`"


def test_the_lock_names_releases_and_no_place_to_get_them_from() -> None:
    lines = (CHECKOUT / "requirements-dev.lock").read_text("utf-8").splitlines()
    requirements = [line for line in lines if line and not line.lstrip().startswith("#")]
    assert requirements
    assert [line for line in requirements if not re.fullmatch(r"[a-z0-9._-]+==[A-Za-z0-9.!+]+", line)] == []
    assert not any("://" in line or " /" in line for line in lines)


def test_the_readme_names_every_command() -> None:
    readme = (CHECKOUT / "README.md").read_text("utf-8")
    assert [name for name in COMMANDS if f"`kb {name}" not in readme] == []


def test_every_page_of_the_guide_is_in_the_navigation() -> None:
    navigation = (CHECKOUT / "site" / "mkdocs.yml").read_text("utf-8")
    pages = sorted((CHECKOUT / "site" / "docs" / "guide").glob("*.md"))
    assert [page.name for page in pages if f"guide/{page.name}" not in navigation] == []


def test_the_licence_is_the_whole_apache_licence() -> None:
    text = (CHECKOUT / "LICENSE").read_text("utf-8")
    assert "Apache License\n                           Version 2.0, January 2004" in text
    for number in range(1, 10):
        assert f"\n   {number}. " in text
    assert "END OF TERMS AND CONDITIONS" in text
    assert "APPENDIX: How to apply the Apache License to your work." in text
