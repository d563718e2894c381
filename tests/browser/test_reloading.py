"""A page that is looked at while its site is served shows itself again when the site was built again."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from runbook_factory import KIMI

from kb.publish.reloading import Builds
from kb.publish.serve import open_server

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_a_page_is_shown_again_under_the_policy_and_keeps_what_was_pasted(
    chromium: Browser, small: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "site"
    shutil.copytree(small, folder)
    builds = Builds()
    server = open_server(folder, "127.0.0.1", 0, builds)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    context = chromium.new_context()
    try:
        page = context.new_page()
        errors: list[str] = []
        page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        page.locator("#kb-paste textarea").fill("image_token_index")
        page.wait_for_selector(".kb-hit-title")
        home = folder / "index.html"
        text = (
            home.read_text("utf-8")
            .replace("What failed?</h1>", "What failed now?</h1>")
            .replace("<h1", "<p>Ours</p><h1")
        )
        home.unlink()  # it may be a link to that of another site
        home.write_text(text, "utf-8")
        builds.built()
        page.wait_for_selector("text=Ours")
        page.wait_for_selector(".kb-hit-title")
        assert page.locator("#kb-paste textarea").input_value() == "image_token_index"
        page.goto(f"http://127.0.0.1:{server.server_port}/s/{KIMI.id}/")
        page.wait_for_selector(".kb-first")
        assert errors == []
        # A record that is broken for a moment has no page; whoever looked at it sees it come back.
        own = folder / "s" / KIMI.id
        own.rename(tmp_path / "away")
        builds.built()
        page.wait_for_selector(".kb-first", state="detached")
        (tmp_path / "away").rename(own)
        builds.built()
        page.wait_for_selector(".kb-first")
    finally:
        context.close()
        server.shutdown()
        server.server_close()
