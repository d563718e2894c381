"""Problem matchers: JavaScript's engine and a loader of such files read them."""

from __future__ import annotations

import json
from pathlib import Path

from rule_tools import CASES, broken, node_module, program, ran, write

_LOADER = """
const { parseProblemMatchersJson } = require(process.argv[1]);
const given = JSON.parse(require("fs").readFileSync(0, "utf8"));
const matchers = parseProblemMatchersJson(given.matchers.map(m => ({ ...m, name: m.owner })));
console.log(JSON.stringify(given.lines.map(line => {
  for (const matcher of matchers) { const hit = matcher.exec(line + "\\n"); if (hit) return [matcher.name, hit.message]; }
  return null;
})));
"""


def load(folder: Path) -> list[dict[str, object]]:
    matchers: list[dict[str, object]] = json.loads((folder / "kb-problem-matcher.json").read_text())["problemMatcher"]
    return matchers


def test_the_file_keeps_the_rules_of_the_runner(tmp_path: Path) -> None:
    matchers = load(write("github", tmp_path))
    owners = [str(one["owner"]).lower() for one in matchers]
    assert len(set(owners)) == len(owners) == len(CASES)
    for one in matchers:
        assert one["severity"] in ("error", "warning", "notice")
        (pattern,) = one["pattern"]  # type: ignore[misc]
        assert set(pattern) == {"regexp", "message"}
        assert pattern["message"] == 1


def test_a_loader_names_the_right_owner_and_no_near_miss(tmp_path: Path) -> None:
    node, module = program("node"), node_module("@rushstack/problem-matcher")
    given = {
        "matchers": load(write("github", tmp_path)),
        "lines": [case.hit for case in CASES] + [case.miss for case in CASES],
    }
    done = ran(node, "-e", _LOADER, module, input=json.dumps(given))
    told = json.loads(done.stdout)
    assert [one and one[0] for one in told[: len(CASES)]] == [case.rule.id for case in CASES]
    assert all(one[1] in case.hit for one, case in zip(told, CASES, strict=False))
    assert told[len(CASES) :] == [None] * len(CASES)


def test_a_broken_rule_is_reported(tmp_path: Path) -> None:
    node, module = program("node"), node_module("@rushstack/problem-matcher")
    given = {"matchers": load(write("github", tmp_path, [broken()])), "lines": []}
    done = ran(node, "-e", _LOADER, module, input=json.dumps(given))
    assert done.returncode != 0
    assert "Unterminated group" in done.stderr
