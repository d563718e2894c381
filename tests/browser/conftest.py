"""A real browser (Chromium, headless) on sites that were really built."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hostile_factory import hostile_knowledge
from runbook_factory import small_knowledge
from site_factory import make_site

from kb.publish.serve import open_server

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, LocatorAssertions, Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


def expect(locator: Locator) -> LocatorAssertions:
    """Playwright's assertions, which wait; imported on use, so that a machine without Playwright can skip."""
    from playwright.sync_api import expect as expecting

    return expecting(locator)


@dataclass
class Visit:
    """An open page with all that went wrong in it and all that it asked for."""

    page: Page
    root: str
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def open(self, path: str = "") -> Page:
        """Go to a page of the site."""
        if self.root.startswith("file:") and (not path or path.endswith("/")):
            path += "index.html"
        self.page.goto(self.root + path)
        return self.page

    def paste(self, text: str) -> list[str]:
        """Put a text into the box of the home page; out: the titles of the known failures that come out."""
        self.ask(text)
        return self.page.locator(".kb-found .kb-card-title").all_inner_texts()

    def search(self, text: str) -> list[str]:
        """Put a text into the box of the page; out: the titles of what is found by its words, the best first."""
        self.ask(text)
        return self.page.locator(".kb-hit-title").all_inner_texts()

    def ask(self, text: str) -> None:
        """Put a text into the box of the page and wait for all of its answer."""
        box = self.page.locator(".kb-paste textarea")
        box.fill("")
        expect(self.page.locator(".kb-paste .kb-stat")).to_be_empty()
        box.fill(text)
        self.finished()

    def finished(self) -> None:
        """Wait until the box has answered."""
        status = self.page.locator(".kb-paste .kb-stat")
        expect(status).to_contain_text(re.compile("nothing left|could not"), timeout=60_000)
        expect(self.page.locator(".kb-paste[aria-busy]")).to_have_count(0)

    def expect(self, selector: str) -> LocatorAssertions:
        """Assertions on an element of the page that wait for it."""
        return expect(self.page.locator(selector))

    def outside(self) -> list[str]:
        """The requests that left the site."""
        return [one for one in self.requests if not one.startswith((self.root, "data:", "blob:"))]


Visitor = Callable[..., "contextmanager[Visit]"]


#: The browser that runs, if one does.
_RUNNING: list[Browser] = []


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Close the browser with the last test that needs it: idle, it takes a sixth of a core from those that follow."""
    yield
    if nextitem is None or Path(__file__).parent not in nextitem.path.parents:
        while _RUNNING:
            _RUNNING.pop().close()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if not Path(CHROMIUM).exists():
        pytest.skip("Chromium is not installed")
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed", exc_type=ImportError)
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=ARGUMENTS)
        _RUNNING.append(browser)
        yield browser
        if browser in _RUNNING:
            _RUNNING.remove(browser)
            browser.close()


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of five sessions, with the rules in several shards."""
    from kb.runbook.data import rules

    before, rules.PER_SHARD = rules.PER_SHARD, 2
    try:
        return make_site(tmp_path_factory.mktemp("small"), *small_knowledge())
    finally:
        rules.PER_SHARD = before


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site in which every text tries to run something."""
    return make_site(tmp_path_factory.mktemp("hostile"), *hostile_knowledge())


@pytest.fixture(scope="module")
def blank(chromium: Browser, checkout: Path) -> Iterator[Page]:
    """A page that holds the matcher, and nothing else; `data` are the files that it loads."""
    context = chromium.new_context(offline=True)
    page = context.new_page()
    page.evaluate("globalThis.data = new Map(); globalThis.kbData = (name, value) => data.set(name, value);")
    scripts = checkout / "site" / "docs" / "assets" / "kb"
    for name in re.findall(r'"([a-z-]+\.js)"', (scripts / "matcher-worker.js").read_text("utf-8")):
        page.add_script_tag(path=scripts / name)
    yield page
    context.close()


@contextmanager
def served(folder: Path) -> Iterator[str]:
    server = open_server(folder, "127.0.0.1", 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture
def visit(chromium: Browser) -> Visitor:
    """Visits a site, over HTTP or from disk; fails at the end when the page complained or asked somebody else."""

    @contextmanager
    def visiting(
        folder: Path, *, disk: bool = False, width: int = 1280, dark: bool = False, **more: object
    ) -> Iterator[Visit]:
        @contextmanager
        def root() -> Iterator[str]:
            if disk:
                yield folder.resolve().as_uri() + "/"
            else:
                with served(folder) as address:
                    yield address

        with root() as address:
            context = chromium.new_context(
                viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light", **more
            )
            page = context.new_page()
            made = Visit(page, address)
            page.on(
                "console", lambda said: made.errors.append(said.text) if said.type in ("error", "warning") else None
            )
            page.on("pageerror", lambda error: made.errors.append(str(error)))
            page.on("request", lambda request: made.requests.append(request.url))
            try:
                yield made
                assert made.errors == []
                assert made.outside() == []
            finally:
                context.close()

    return visiting
