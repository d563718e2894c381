"""Hostile records in a browser whose policy is switched off: nothing runs, everything is shown."""

from __future__ import annotations

from pathlib import Path

from hostile_factory import EVIL, EVIL_LOG

HACKED = "window.hacked"


def test_no_page_runs_anything(visit, hostile: Path) -> None:  # type: ignore[no-untyped-def]
    every = sorted(path.parent.relative_to(hostile).as_posix() for path in hostile.rglob("index.html"))
    pages = [path for path in every if not path.startswith("guide/")]  # written by hand, with pictures
    with visit(hostile, bypass_csp=True) as reader:
        for path in pages:
            page = reader.open("" if path == "." else f"{path}/")
            page.mouse.move(200, 300)
            for link in page.locator("article a[href]").all()[:40]:
                assert "javascript:" not in (link.get_attribute("href") or "").lower()
            page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            assert page.evaluate(HACKED) is None, path
            assert (
                page.locator("article script, article iframe, article img, article object, article svg[onload]").count()
                == 0
            )
            assert page.locator("body > script:not([src]):not([type])").count() <= 1


def test_the_title_of_a_page_is_text(visit, hostile: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(hostile, bypass_csp=True) as reader:
        page = reader.open("sessions/2026-01-01-hostile/")
        assert page.title().startswith("</title></script><script>window.hacked=1</script>")
        assert "<script>window.hacked=1</script>" in page.locator("h1").inner_text()


def test_the_box_shows_a_hostile_log_as_text(visit, hostile: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(hostile, bypass_csp=True) as reader:
        page = reader.open()
        reader.paste(EVIL_LOG)
        reader.paste("Error: <img src=x onerror=window.hacked=20> not known " + EVIL[:60])
        assert page.locator(".kb-paste img, .kb-paste script").count() == 0
        assert page.evaluate(HACKED) is None
        assert "<script>" in page.locator(".kb-paste").inner_text()


def test_what_is_found_is_shown_as_text(visit, hostile: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(hostile, bypass_csp=True) as reader:
        page = reader.open("signatures/")
        page.keyboard.press("/")
        for query in ("<script>", "onerror", EVIL[:40], "<img src=x onerror=window.hacked=21>", "</mark>"):
            reader.search(query)
            assert page.locator(".kb-dialog img, .kb-dialog script").count() == 0
            assert page.evaluate(HACKED) is None
        assert "<script>" in reader.search("onerror")[0]


def test_the_policy_holds_by_itself(visit, small: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    import shutil

    site = tmp_path / "site"
    shutil.copytree(small, site)
    page_file = site / "components" / "index.html"
    evil = "<script>window.hacked=1</script><img src=x onerror='window.hacked=2'>"
    page_file.write_text(page_file.read_text("utf-8").replace("<h1>Components", evil + "<h1>Components"), "utf-8")
    with visit(site) as reader:
        page = reader.open("components/")
        assert page.evaluate(HACKED) is None
        assert any("Content Security Policy" in error for error in reader.errors)
        reader.errors.clear()
