"""SARIF: Microsoft's validator accepts the catalogue, and says what is wrong with a broken one."""

from __future__ import annotations

import json
from pathlib import Path

from rule_tools import RULES, node_program, ran, write


def validated(path: Path) -> list[str]:
    """The errors that the validator prints; its exit status does not tell."""
    done = ran(
        node_program("sarif-multitool"),
        "validate",
        path,
        env={"DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1", "PATH": "/usr/bin:/bin"},
    )
    return [line for line in (done.stdout + done.stderr).splitlines() if ": error " in line]


def test_the_catalogue_is_valid_and_whole(tmp_path: Path) -> None:
    path = write("sarif", tmp_path) / "kb.sarif"
    assert validated(path) == []
    rules = json.loads(path.read_text())["runs"][0]["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [rule.id for rule in RULES]
    assert all(rule["helpUri"].startswith("https://") and rule["properties"]["kb"]["pattern"] for rule in rules)


def test_a_broken_catalogue_is_reported(tmp_path: Path) -> None:
    path = write("sarif", tmp_path) / "kb.sarif"
    log = json.loads(path.read_text())
    log["runs"][0]["results"] = [{"ruleIndex": 9999, "message": {"text": "x"}}]
    log["runs"][0]["tool"]["driver"]["surplus"] = 1
    path.write_text(json.dumps(log))
    found = "\n".join(validated(path))
    assert "SARIF1009" in found
    assert "JSON1005" in found
