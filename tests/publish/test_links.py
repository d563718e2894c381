"""The check of links inside a site."""

from __future__ import annotations

from pathlib import Path

from kb.publish.links import broken_links


def site(tmp_path: Path, **pages: str) -> Path:
    for name, html in pages.items():
        path = tmp_path / name.replace("_", "/") / "index.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(html, "utf-8")
    return tmp_path


def test_links_to_pages_files_and_elements_are_whole(tmp_path: Path) -> None:
    folder = site(
        tmp_path,
        a='<a href="../b/">b</a> <a href="../b/#there">b</a> <a href="#here" id="here">c</a> <img src="../x.png">',
        b='<h2 id="there">x</h2> <a href="https://example.org/nowhere">out</a> <a href="../">home</a> <a href="../#q=vllm">ask</a>',
    )
    (folder / "x.png").write_bytes(b"")
    (folder / "index.html").write_text("home")
    assert broken_links(folder) == []


def test_each_broken_link_is_named_with_its_page(tmp_path: Path) -> None:
    folder = site(
        tmp_path,
        a='<a href="../c/">c</a> <a href="../b/#gone">b</a> <script src="gone.js"></script> <a href="../../etc/">o</a>',
        b='<a href="javascript:x">x</a>',
    )
    assert broken_links(folder) == [
        "a/index.html links to ../c/",
        "a/index.html links to ../b/#gone",
        "a/index.html links to gone.js",
        "a/index.html links to ../../etc/",
        "b/index.html links to javascript:x",
    ]
