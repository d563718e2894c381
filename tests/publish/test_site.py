"""The built site: whole, offline, strict, and not built again where nothing changed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hostile_factory import hostile_knowledge
from runbook_factory import KIMI, small_knowledge
from site_factory import make_home, make_site

from kb.errors import SiteError
from kb.publish import build
from kb.publish.build import build_site
from kb.publish.links import broken_links
from kb.publish.output import replacing
from kb.publish.sources import SHIPPED_CONFIG
from kb.publish.theme import make_theme
from kb.shipped import shipped


def test_every_link_leads_somewhere(small_site: Path) -> None:
    assert broken_links(small_site) == []


def test_every_link_of_a_hostile_site_leads_somewhere(tmp_path: Path) -> None:
    assert broken_links(make_site(tmp_path, *hostile_knowledge())) == []


def test_nothing_is_loaded_from_elsewhere(small_site: Path) -> None:
    loads = re.compile(r"""(?:src=|<link[^>]*href=|url\(|@import\s*|action=)["']?(?:https?:)?//[^"')\s]+""")
    for path in [*small_site.rglob("*.html"), *small_site.rglob("kb/*.css")]:
        found = [one for one in loads.findall(path.read_text("utf-8")) if "www.w3.org" not in one]
        assert found == [], path


def test_every_page_has_a_policy_and_no_page_is_left_over(small_site: Path) -> None:
    for path in small_site.rglob("*.html"):
        html = path.read_text("utf-8")
        assert "kb-policy-goes-here" not in html
        # Firefox would fetch it at once, which the policy forbids.
        assert not re.search(r'<link[^>]+rel="?(?:next|prefetch)', html)
        assert "default-src 'none'" in html, path
        assert "kbShell" not in html
        assert "kb-shell/a" not in html


def test_the_home_page_holds_the_box_and_the_lists(small_site: Path) -> None:
    html = (small_site / "index.html").read_text("utf-8")
    assert html.index('id="kb-paste"') < html.index("Most frequent") < html.index("Newest sessions")


def test_the_themes_own_search_is_not_there(small_site: Path) -> None:
    html = (small_site / "signatures" / "index.html").read_text("utf-8")
    assert 'name="search"' not in html
    assert '<a class="kb-ask" href=".." data-kb-ask' in html


def test_a_second_build_writes_only_what_changed(tmp_path: Path) -> None:
    home = make_home(tmp_path)
    knowledge, records = small_knowledge()
    written = []
    for closing in ("a", "a", "b"):
        name = "2026-02-22-vllm-eagle3-kimi-k2-5"
        records = {**records, name: records[name].model_copy(update={"closing": closing})}
        with replacing(home.public) as output:
            build.assemble(home, knowledge, records, make_theme(home), output)
        written.append(output.written)
    # The third build has one session page to write.
    assert written[0] > 20
    assert written[1:] == [0, 1]


def test_progress_counts_the_steps(tmp_path: Path) -> None:
    home = make_home(tmp_path)
    seen: list[tuple[int, int]] = []
    with replacing(home.public) as output:
        build.assemble(
            home, *small_knowledge(), make_theme(home), output, lambda done, total: seen.append((done, total))
        )
    (steps,) = {total for _, total in seen}
    assert steps > 15
    assert [done for done, _ in seen] == list(range(1, steps + 1))


def test_the_name_of_a_knowledge_base_is_text(tmp_path: Path) -> None:
    home = make_home(tmp_path, "A <script>x</script> & b")
    theme = make_theme(home)
    assert "<script>x</script>" not in (theme.folder / "index.html").read_text("utf-8")
    assert "A &lt;script&gt;x&lt;/script&gt; &amp; b" in (theme.folder / "index.html").read_text("utf-8")


def test_pages_of_a_knowledge_base_go_over_the_shipped_ones(tmp_path: Path) -> None:
    home = make_home(tmp_path)
    own = tmp_path / "site" / "docs"
    own.mkdir(parents=True)
    (own / "index.md").write_text('# Ours\n\n<div id="kb-home"></div>\n', "utf-8")
    (own / "more.md").write_text("# More\n", "utf-8")
    (tmp_path / "site" / "mkdocs.yml").write_text(
        f"INHERIT: {SHIPPED_CONFIG}\nnav:\n  - Home: index.md\n  - More: more.md\n", "utf-8"
    )
    with replacing(home.public) as output:
        build.assemble(home, *small_knowledge(), make_theme(home), output)
    html = (home.public / "index.html").read_text("utf-8")
    assert "Ours" in html
    assert "Most frequent" in html
    assert (home.public / "more" / "index.html").is_file()
    assert (home.public / "s" / KIMI.id / "index.html").is_file()


def test_a_page_that_mkdocs_cannot_render_is_an_error_that_says_so(tmp_path: Path) -> None:
    home = make_home(tmp_path)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "mkdocs.yml").write_text("site_name: x\ntheme: no-such-theme\n", "utf-8")
    with pytest.raises(SiteError, match="no-such-theme"):
        make_theme(home)
    (tmp_path / "site" / "mkdocs.yml").write_text("site_name: x\ntheme: material\n", "utf-8")
    with pytest.raises(SiteError, match="plugin `kb`"):
        make_theme(home)


def test_the_rendered_theme_is_kept_until_its_sources_change(tmp_path: Path) -> None:
    home = make_home(tmp_path)
    first = make_theme(home)
    stamp = (first.folder / "index.html").stat().st_mtime_ns
    assert make_theme(home).key == first.key
    assert (first.folder / "index.html").stat().st_mtime_ns == stamp
    (tmp_path / "site" / "docs").mkdir(parents=True)
    (tmp_path / "site" / "docs" / "new.md").write_text("# New\n")
    assert make_theme(home).key != first.key
    assert not first.folder.exists()


def test_a_knowledge_base_becomes_a_site(tmp_path: Path, sample: Path) -> None:
    home = make_home(tmp_path)
    record = next(sample.glob("*.md"))
    (home.sessions / record.name).write_bytes(record.read_bytes())
    built = build_site(home, home.public, strict=True)
    assert built.pages > 5
    assert (home.public / "sessions" / record.stem / "index.html").is_file()
    assert not built.problems


def test_a_strict_build_refuses_a_record_with_problems(tmp_path: Path) -> None:
    home = make_home(tmp_path)
    (home.sessions / "2026-01-01-broken.md").write_text("no front matter\n", "utf-8")
    with pytest.raises(SiteError, match="2026-01-01-broken"):
        build_site(home, home.public, strict=True)
    assert not home.public.exists()
    assert build_site(home, home.public).problems


def test_the_address_of_the_site_makes_a_sitemap(tmp_path: Path) -> None:
    root = make_home(tmp_path).root
    (root / "kb.toml").write_text('site_url = "https://kb.example/a/"\n', "utf-8")
    from kb.home import read_home

    home = read_home(root)
    with replacing(home.public) as output:
        build.assemble(home, *small_knowledge(), make_theme(home), output)
    said = (home.public / "sitemap.xml").read_text("utf-8")
    assert f"<loc>https://kb.example/a/s/{KIMI.id}/</loc>" in said
    assert "<loc>https://kb.example/a/</loc>" in said
    page = (home.public / "s" / KIMI.id / "index.html").read_text("utf-8")
    assert f'<link rel="canonical" href="https://kb.example/a/s/{KIMI.id}/">' in page


def test_mkdocs_alone_builds_the_same_site(tmp_path: Path, sample: Path) -> None:
    home = make_home(tmp_path)
    record = next(sample.glob("*.md"))
    (home.sessions / record.name).write_bytes(record.read_bytes())
    from kb.publish.sources import gather_sources

    config = gather_sources(home, tmp_path / "source")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--config-file", str(config), "--site-dir"]
    subprocess.run([*command, str(tmp_path / "made")], check=True, capture_output=True)
    assert (tmp_path / "made" / "sessions" / record.stem / "index.html").is_file()
    assert broken_links(tmp_path / "made") == []
    assert "default-src 'none'" in (tmp_path / "made" / "index.html").read_text("utf-8")


def test_a_site_that_is_there_gets_all_that_the_pages_load_and_keeps_its_look(tmp_path: Path, sample: Path) -> None:
    home = make_home(tmp_path / "base")
    record = next(sample.glob("*.md"))
    (home.sessions / record.name).write_bytes(record.read_bytes())
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text('# Ours\n\n<div id="kb-paste"></div>\n<div id="kb-home"></div>\n')
    config = "site_name: Ours\ntheme: {name: material, font: false}\nplugins: [search, kb: {home: base}]\n"
    (tmp_path / "mkdocs.yml").write_text(config)
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", "made"]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    made = tmp_path / "made"
    assert broken_links(made) == []
    page = (made / "sessions" / record.stem / "index.html").read_text("utf-8")
    assert "assets/kb/kb.css" in page
    assert "assets/kb/frame.css" not in page
    assert "Most frequent" in (made / "index.html").read_text("utf-8")
    for name in (shipped("site") / "docs" / "assets" / "kb").glob("*.js"):
        assert (made / "assets" / "kb" / name.name).is_file(), name
        assert f"assets/kb/{name.name}" in page or name.name == "matcher-worker.js"


def test_another_theme_is_refused_with_the_way_out(tmp_path: Path, sample: Path) -> None:
    home = make_home(tmp_path)
    (home.root / "docs").mkdir()
    (home.root / "docs" / "index.md").write_text("# Ours\n")
    (home.root / "mkdocs.yml").write_text("site_name: Ours\ntheme: readthedocs\nplugins: [kb]\n")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet"]
    built = subprocess.run(command, check=False, capture_output=True, cwd=tmp_path, text=True)
    assert built.returncode != 0
    assert "kb site pages" in built.stderr + built.stdout


def test_the_shipped_site_is_complete() -> None:
    folder = shipped("site")
    config = (folder / "mkdocs.yml").read_text("utf-8")
    for name in re.findall(r"assets/kb/[a-z.-]+", config):
        assert (folder / "docs" / name).is_file(), name
