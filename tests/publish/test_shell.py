"""Stamping: one rendered shell becomes every page, at every depth."""

from __future__ import annotations

import re

import pytest

from kb.errors import SiteError
from kb.publish.policy import PLACEHOLDER, policy
from kb.publish.shell import SHELL_FILE, Shell
from kb.runbook.page import Page

DEEP = "../" * SHELL_FILE.count("/")
HTML = f"""<head><meta http-equiv="Content-Security-Policy" content="{PLACEHOLDER}">
<title>kbShellTitle7f3a - site</title><link href="{DEEP}assets/a.css">
<script>x = new URL("{DEEP.rstrip("/")}", location)</script></head>
<a href="#kbshellbody7f3a" class="md-skip">skip</a>
<li class="md-tabs__item"> <a href="{DEEP}sessions/" class="md-tabs__link">Sessions</a></li>
<li class="md-tabs__item"> <a href="{DEEP}fixes/" class="md-tabs__link">Fixes</a></li>
<li class="md-nav__item"> <a href="#kbshellcontents7f3a"><span class="e"> kbShellContents7f3a </span></a> </li>
<article><h1 id="kbshellbody7f3a">kbShellBody7f3a<a>#</a></h1>
<h2 id="kbshellcontents7f3a">kbShellContents7f3a<a>#</a></h2></article>
<link rel="canonical" href="https://example.org/kb-shell/a/b/c/d/e/">"""


def page(url: str = "sessions/a/", body: str = "<h1>A</h1>", title: str = "A") -> Page:
    return Page(url, title, body, (("first", "Do <this>"),), "session")


def test_a_page_has_its_own_title_body_and_contents() -> None:
    html = Shell(HTML).stamp(page(title="A <b> & c")).decode()
    assert "<title>A &lt;b&gt; &amp; c - site</title>" in html
    assert '<article><span id="kb-page"></span><h1>A</h1></article>' in html
    assert '<a href="#first" class="md-nav__link"><span class="md-ellipsis">Do &lt;this&gt;</span>' in html
    assert "kbShell" not in html
    assert "kb-shell" not in html
    assert 'href="https://example.org/sessions/a/"' in html


@pytest.mark.parametrize(("url", "root"), [("sessions/", "../"), ("sessions/a/", "../../")])
def test_a_page_finds_the_root_from_any_depth(url: str, root: str) -> None:
    html = Shell(HTML).stamp(page(url)).decode()
    assert f'href="{root}assets/a.css"' in html
    assert f'new URL("{root.rstrip("/")}", location)' in html


def test_the_tab_of_a_page_is_the_active_one() -> None:
    html = Shell(HTML).stamp(page()).decode()
    assert re.search(r'<li class="md-tabs__item md-tabs__item--active">\s*<a href="../../sessions/"', html)
    assert html.count("--active") == 1


def test_only_the_scripts_of_the_shell_may_run() -> None:
    shell = Shell(HTML)
    clean = shell.stamp(page()).decode()
    hostile = shell.stamp(
        page(body="<h1>x</h1><script>evil()</script>", title="</title><script>evil()</script>")
    ).decode()
    assert re.findall(r"'sha256-[^']+'", clean) == re.findall(r"'sha256-[^']+'", hostile)
    assert len(re.findall(r"'sha256-[^']+'", clean)) == 1


def test_a_body_that_holds_the_words_of_the_shell_stays_as_it_is() -> None:
    body = "<h1>kbShellTitle7f3a kbShellBody7f3a kb-policy-goes-here ../../../../../../</h1>"
    assert body in Shell(HTML).stamp(page(body=body)).decode()


def test_a_theme_that_renders_no_shell_is_an_error() -> None:
    with pytest.raises(SiteError, match="does not know"):
        Shell("<html></html>").stamp(page())


def test_the_policy_allows_nothing_from_elsewhere() -> None:
    made = policy("<script>a()</script><script src='x'></script>")
    assert made.startswith("default-src 'none'; script-src 'self' 'sha256-")
    assert "http" not in made
    assert "unsafe-eval" not in made
