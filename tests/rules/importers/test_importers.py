"""Others' rules become drafts with their place; what cannot is named with the reason; nothing is run."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
import re2
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.errors import KbError
from kb.rules.drafts import Imported, as_rule, dump, load
from kb.rules.exporters.registry import exporter
from kb.rules.importers.registry import IMPORTERS, importer, importer_of

SAMPLES = Path(__file__).parent / "samples"

#: file -> (format, names of drafts, names left, a line that the first draft finds, one that it does not)
WANTED = {
    "ruleset.toml": ("testinfra", ["Python AssertionError", "out of disk"], ["looks behind"], "E   AssertionError: 3 != 4",
                     "AssertionErr: 3"),
    "matchers.json": ("github", ["gcc"], ["multi"], "src/a.c:7:3: error: 'x' undeclared", "src/a.c: error: x"),
    "monitor.json": ("npd", ["OOMKilling", "TaskHung"], [], "Killed process 77 (python) total-vm:9kB, anon-rss:1kB",
                     "Killed process x (python)"),
    "causes.xml": ("jenkins", ["Disk full"], ["Two lines"], "cp: error: No space left on device", "space left on the device"),
    "rule.yml": ("sigma", ["Worker killed by the kernel"], ["Not that"], "kernel: Out of memory: Killed process 7",
                 "Out of memory: kill process"),
    "1234567.yaml": ("elastic-recheck", ["1234567"], [], "x Timed out waiting for a reply to message ID y",
                     "Timed out waiting for message"),
    "two.yaml": ("elastic-recheck", [], ["two"], "", ""),
    "git_branch.py": ("thefuck", ["git_branch"], [], "fatal: A branch named 'x' already exists.", "a branch was named"),
    "both.py": ("thefuck", [], ["both"], "", ""),
}  # fmt: skip


def taken(name: str) -> Imported:
    text = (SAMPLES / name).read_text()
    return importer_of(name, text).read(name, text)


@pytest.mark.parametrize("name", WANTED)
def test_a_file_gives_its_drafts_and_says_what_was_left(name: str) -> None:
    format_, drafts, left, hit, miss = WANTED[name]
    found = taken(name)
    assert format_ == importer_of(name, (SAMPLES / name).read_text()).NAME
    assert list(dict.fromkeys(one.name for one in found.drafts)) == drafts
    assert [one.name for one in found.left] == left
    assert all(one.reason for one in found.left)
    if drafts:
        assert found.drafts[0].source == name
        assert found.drafts[0].line > 0
        assert re2.search(found.drafts[0].pattern, hit)
        assert not re2.search(found.drafts[0].pattern, miss)


# The only literal of gcc's matcher is too short to look for.
@pytest.mark.parametrize("name", [name for name, wanted in WANTED.items() if wanted[1] and name != "matchers.json"])
def test_what_was_imported_is_exported_as_an_equal_rule(name: str) -> None:
    _, _, _, hit, miss = WANTED[name]
    rule = as_rule(taken(name).drafts[0])
    assert rule is not None
    (file, *_) = exporter("testinfra").export([rule], "kb")
    (again,) = importer("testinfra").read("again.toml", file.text).drafts
    assert again.pattern == rule.pattern
    assert re2.search(again.pattern, hit)
    assert not re2.search(again.pattern, miss)


@pytest.mark.parametrize("target", ["testinfra", "github", "npd", "jenkins", "sigma"])
def test_what_kb_exports_it_can_take_over(target: str) -> None:
    from rule_corpus import corpus

    case = next(case for case in corpus() if case.hit.startswith("AttributeError: "))
    (file, *_) = exporter(target).export([case.rule], "kb")
    (draft,) = importer_of(file.path, file.text).read(file.path, file.text).drafts
    assert re2.search(draft.pattern, case.hit)
    assert not re2.search(draft.pattern, case.miss)


def test_drafts_survive_the_way_through_a_file(tmp_path: Path) -> None:
    drafts = tuple(one for name in WANTED for one in taken(name).drafts)
    (tmp_path / "d.jsonl").write_text(dump(drafts))
    assert load(tmp_path / "d.jsonl") == drafts
    assert len({one.id for one in drafts}) == len(drafts)


def test_a_broken_draft_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "d.jsonl").write_text(
        dump(taken("ruleset.toml").drafts) + '{"name": "x", "pattern": "(", "format": "y"}\n'
    )
    with pytest.raises(KbError, match=r"d\.jsonl:3: is no draft rule"):
        load(tmp_path / "d.jsonl")


@pytest.mark.parametrize("format_", IMPORTERS)
@settings(deadline=None, max_examples=60)
@given(
    text=st.text(max_size=120)
    | st.sampled_from(['{"rules": 3}', "[]", "null", "rule = 3", "a: [", "{" * 3000, "(" * 3000])
)
def test_any_text_is_read_or_refused(format_: str, text: str) -> None:
    with suppress(KbError):
        importer(format_).read("x", text)


def test_an_entity_bomb_is_refused() -> None:
    with pytest.raises(KbError, match="document type"):
        importer("jenkins").read("x.xml", '<!DOCTYPE a [<!ENTITY b "cc">]><a>com.sonyericsson.jenkins.plugins.bfa</a>')


BOMB = "a: &a [x, x]\nb: &b [*a, *a]\n"


@pytest.mark.parametrize(
    ("format_", "text", "told"),
    [
        ("sigma", BOMB + "title: x\ndetection: {s: *b, condition: s}", "alias on line 2"),
        ("sigma", "title: x\ndetection:\n  s: &s [*s]\n  condition: s", "alias on line 3"),
        ("elastic-recheck", BOMB + "query: *b", "alias on line 2"),
        ("testinfra", "rule = " + "[" * 100_000, "not valid TOML"),
    ],
)
def test_a_file_that_unfolds_without_end_is_refused(format_: str, text: str, told: str) -> None:
    with pytest.raises(KbError, match=told):
        importer(format_).read("x", text)


@pytest.mark.parametrize(
    ("detection", "reason"),
    [
        ("{a: {message|contains: x failed to start}, f: {message|contains: y}, condition: a and (not f)}", "excludes"),
        ("{a: {message|contains: first text of it, msg|contains: second text}, condition: a}", "2 texts at once"),
        ("{a: {message|endswith: failed to start}, condition: a}", "in ways"),
        ("none", "no detection"),
    ],
)
def test_a_sigma_rule_that_one_line_cannot_decide_is_left_with_the_reason(detection: str, reason: str) -> None:
    found = importer("sigma").read("x.yml", f"title: t\nlogsource: {{}}\ndetection: {detection}\n")
    assert not found.drafts
    assert [reason in one.reason for one in found.left] == [True]


def test_wildcards_of_sigma_stand_for_what_varies() -> None:
    text = "title: t\ndetection:\n  a:\n    message|contains: 'worker * died: code ?\\? \\*.'\n  condition: a\n"
    (draft,) = importer("sigma").read("x.yml", text).drafts
    assert re2.search(draft.pattern, "worker 7 (gpu) died: code 9? *.")
    assert not re2.search(draft.pattern, "worker 7 died: code 99 *.")
    assert "case" in draft.note


def test_a_test_that_ignores_case_is_left() -> None:
    text = "def match(command):\n    return 'permission denied' in command.output.lower()\n"
    assert "ignores case" in importer("thefuck").read("x.py", text).left[0].reason


@pytest.mark.parametrize("row", ['"name": 5', '"line": "1"', '"url": ["x"]', '"note": null'])
def test_a_draft_with_a_value_of_another_type_is_told(row: str, tmp_path: Path) -> None:
    (tmp_path / "d.jsonl").write_text(
        '{"name": "n", "pattern": "some longer text", "format": "f", "source": "s", ' + row + "}\n"
    )
    with pytest.raises(KbError, match=r"d\.jsonl:1: is no draft rule: .* must be of type"):
        load(tmp_path / "d.jsonl")


@pytest.mark.parametrize("url", ["javascript:alert(1)", 'https://x.example/"onclick="y', "https://a\nb", "https://a b"])
def test_what_is_no_plain_link_does_not_become_one(url: str) -> None:
    from kb.rules.drafts import Draft

    rule = as_rule(Draft("n", "some longer text", "sigma", "s", url=url))
    assert rule is not None
    assert rule.url == ""


def test_an_imported_rule_that_is_bound_to_both_ends_is_so_in_sigma() -> None:
    sigma = pytest.importorskip("sigma.collection", reason="pySigma is not installed")
    text = "[[rule]]\nname = 't'\npattern = '^disk of the node\\s+is full, (a#b|c)\\d+$'\n"
    rule = as_rule(importer("testinfra").read("x.toml", text).drafts[0])
    assert rule is not None
    (file, *_) = exporter("sigma").export([rule], "kb")
    (loaded,) = sigma.SigmaCollection.from_yaml(file.text).rules
    (item,) = loaded.detection.detections["regex"].detection_items
    assert str(item.value[0].regexp) == "disk of the node([ ]|.)+is full, (a.b|c)[0-9]+"
