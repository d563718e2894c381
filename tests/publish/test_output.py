"""Replacing a published folder: all or nothing, and never somebody else's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kb.errors import SiteError
from kb.publish.output import Before, replacing


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def fail_half_way(out: Path) -> None:
    with replacing(out) as output:
        output.write("index.html", "new", "2")
        raise SiteError("half way")


def test_the_new_site_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    out = tmp_path / "public"
    for name in ("a/index.html", "b/index.html"):
        with replacing(out) as output:
            output.write(name, name, "key")
    assert files(out) == {"b/index.html", ".kb-site.json"}
    assert [path.name for path in tmp_path.iterdir()] == ["public"]


def test_a_build_that_fails_leaves_the_old_site(tmp_path: Path) -> None:
    out = tmp_path / "public"
    with replacing(out) as output:
        output.write("index.html", "old", "1")
    with pytest.raises(SiteError, match="half way"):
        fail_half_way(out)
    assert (out / "index.html").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["public"]


def test_an_unchanged_page_is_taken_over(tmp_path: Path) -> None:
    out = tmp_path / "public"
    with replacing(out) as output:
        output.write("a/index.html", "old", "1")
        output.write("b/index.html", "old", "1")
    with replacing(out) as output:
        assert output.reuse("a/index.html", "1")
        assert not output.reuse("b/index.html", "2")
        assert not output.reuse("c/index.html", "1")
        output.write("b/index.html", "new", "2")
        assert output.written == 1
    assert (out / "a/index.html").read_text() == "old"
    assert (out / "b/index.html").read_text() == "new"


def test_a_page_that_somebody_deleted_is_not_taken_over(tmp_path: Path) -> None:
    out = tmp_path / "public"
    with replacing(out) as output:
        output.write("a/index.html", "old", "1")
    (out / "a/index.html").unlink()
    with replacing(out) as output:
        assert not output.reuse("a/index.html", "1")


def test_a_folder_that_kb_did_not_build_is_not_deleted(tmp_path: Path) -> None:
    out = tmp_path / "documents"
    out.mkdir()
    (out / "thesis.txt").write_text("years of work")
    with pytest.raises(SiteError, match="other than a site"), replacing(out):
        pass
    assert files(out) == {"thesis.txt"}


def test_an_empty_folder_may_be_filled(tmp_path: Path) -> None:
    with replacing(tmp_path / "public") as output:
        output.write("index.html", "x", "")
    (tmp_path / "other").mkdir()
    with replacing(tmp_path / "other") as output:
        output.write("index.html", "x", "")
    assert (tmp_path / "other" / "index.html").is_file()


def test_a_file_in_the_way_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "public").write_text("not a folder")
    with pytest.raises(SiteError, match="not a folder"), replacing(tmp_path / "public"):
        pass


def test_a_site_whose_list_is_broken_is_built_anew(tmp_path: Path) -> None:
    out = tmp_path / "public"
    with replacing(out) as output:
        output.write("a/index.html", "old", "1")
    (out / ".kb-site.json").write_text("{broken")
    with replacing(out) as output:
        assert not output.reuse("a/index.html", "1")


def test_a_lone_surrogate_does_not_stop_a_build(tmp_path: Path) -> None:
    with replacing(tmp_path / "public") as output:
        output.write("index.html", "a\udc80b", "")
    assert (tmp_path / "public" / "index.html").read_bytes() == b"a?b"


def build(out: Path, pages: dict[str, str]) -> None:
    """A site of these pages, each made by its text."""
    with replacing(out) as output:
        for name, text in pages.items():
            if not output.reuse(name, text):
                output.write(name, text, text)


MANY = {f"{number}/index.html": f"page {number}" for number in range(20)}


def test_a_small_change_touches_nothing_else(tmp_path: Path) -> None:
    out = tmp_path / "public"
    build(out, MANY)
    (out / "stranger.txt").write_text("put here by hand")
    folder = out.stat().st_ino
    pages = {**MANY, "3/index.html": "changed", "new/index.html": "new"}
    del pages["4/index.html"]
    build(out, pages)
    assert out.stat().st_ino == folder
    assert {name: (out / name).read_text() for name in pages} == pages
    assert not (out / "4").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["public"]


def test_a_large_change_exchanges_the_folder(tmp_path: Path) -> None:
    out = tmp_path / "public"
    build(out, MANY)
    folder = out.stat().st_ino
    build(out, {name: text.upper() for name, text in MANY.items()})
    assert out.stat().st_ino != folder
    assert (out / "7/index.html").read_text() == "PAGE 7"


def test_a_change_that_was_cut_short_is_made_by_the_next_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "public"
    build(out, MANY)
    changed = {**MANY, "3/index.html": "changed", "5/index.html": "changed"}
    replace, done = os.replace, []

    def fails(source: Path, target: Path) -> None:
        if Path(target).name == "index.html":
            if done:
                raise OSError("the disk is full")
            done.append(target)
        replace(source, target)

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", fails)
        with pytest.raises(OSError, match="full"):
            build(out, changed)
    assert (out / "3/index.html").read_text() == "changed"
    with replacing(out) as output:
        before = Before(output, "")
        assert [before.there(f"{number}/index.html") for number in (3, 4, 5)] == [False, True, False]
    build(out, MANY)
    assert {name: (out / name).read_text() for name in MANY} == MANY


def test_a_page_that_is_no_more_goes_even_when_its_deletion_was_cut_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "public"
    build(out, MANY)
    fewer = {name: text for name, text in MANY.items() if name != "4/index.html"}

    def fails(path: Path, missing_ok: bool = False) -> None:
        raise OSError(f"{path} {missing_ok}: killed")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", fails)
        with pytest.raises(OSError, match="killed"):
            build(out, fewer)
    build(out, fewer)
    assert not (out / "4").exists()


def test_a_new_page_of_a_build_that_was_cut_short_does_not_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "public"
    build(out, MANY)
    replace = os.replace

    def fails(source: Path, target: Path) -> None:
        replace(source, target)
        if Path(target).name == "index.html":
            raise OSError("killed")

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", fails)
        with pytest.raises(OSError, match="killed"):
            build(out, {**MANY, "new/index.html": "new"})
    assert (out / "new/index.html").exists()
    build(out, MANY)
    assert not (out / "new").exists()
