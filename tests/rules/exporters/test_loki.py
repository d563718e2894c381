"""Loki: Grafana's grammar of LogQL reads the expressions; Go reads their strings and patterns."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from rule_tools import CASES, RULES, broken, node_module, program, ran, write

_PARSE = """
const { parser } = require(process.argv[1]);
console.log(JSON.stringify(JSON.parse(require("fs").readFileSync(0, "utf8")).map(text => {
  let wrong = false;
  parser.parse(text).iterate({ enter: node => { wrong = wrong || node.type.isError; } });
  return wrong;
})));
"""

_GO = """
package main
import ("bufio"; "fmt"; "os"; "regexp"; "strconv")
func main() {
  in := bufio.NewScanner(os.Stdin); in.Buffer(make([]byte, 1<<20), 1<<20)
  for in.Scan() {
    pattern, err := strconv.Unquote(in.Text()); in.Scan()
    text, _ := strconv.Unquote(in.Text())
    if err != nil { fmt.Println("unquote"); continue }
    expression, err := regexp.Compile(pattern)
    if err != nil { fmt.Println("refused"); continue }
    fmt.Println(expression.MatchString(text))
  }
}
"""


def expressions(folder: Path) -> list[str]:
    groups = yaml.safe_load((folder / "kb-loki.yml").read_text())["groups"]
    return [rule["expr"] for group in groups for rule in group["rules"]]


def wrong(queries: list[str]) -> list[bool]:
    node, module = program("node"), node_module("@grafana/lezer-logql")
    answers: list[bool] = json.loads(ran(node, "-e", _PARSE, module, input=json.dumps(queries)).stdout)
    return answers


def test_every_expression_is_logql(tmp_path: Path) -> None:
    queries = expressions(write("loki", tmp_path))
    assert len(queries) == len(RULES)
    assert not any(wrong(queries))


def test_a_broken_expression_is_reported(tmp_path: Path) -> None:
    query = expressions(write("loki", tmp_path, RULES[:1]))[0]
    assert wrong([query.replace("|~ ", "|~"), query.replace("`", "", 1), "{} |~"]) == [False, True, True]


@pytest.mark.skipif(shutil.which("go") is None, reason="Go is optional and absent")
def test_go_reads_the_strings_and_finds_hits_only(tmp_path: Path) -> None:
    (tmp_path / "read.go").write_text(_GO)
    strings = [re.search(r"\|~ (.*) \[10m\]", query) for query in expressions(write("loki", tmp_path))]
    by_id = {case.rule.id: case for case in CASES}
    pairs = [(found[1].removesuffix(")"), by_id[rule.id]) for found, rule in zip(strings, RULES, strict=True) if found]
    for side, answer in (("hit", "true"), ("miss", "false")):
        given = "".join(f"{text}\n{json.dumps(getattr(case, side), ensure_ascii=False)}\n" for text, case in pairs)
        assert ran("go", "run", tmp_path / "read.go", input=given).stdout.split() == [answer] * len(RULES)


def test_a_broken_pattern_is_no_rule(tmp_path: Path) -> None:
    from kb.rules.portable import NotPortableError, parse

    with pytest.raises(NotPortableError):
        parse(broken().pattern)
    assert replace(broken(), pattern="x").pattern == "x"
