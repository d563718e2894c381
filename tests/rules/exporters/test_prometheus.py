"""Prometheus and Alertmanager load the alerts: each fires with its own id, texts and link, and is routed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rule_tools import RULES, program, ran, write

SOME = RULES[::5]


def test_promtool_takes_every_rule(tmp_path: Path) -> None:
    folder = write("prometheus", tmp_path)
    done = ran(program("promtool"), "check", "rules", folder / "kb-alerts.yml")
    assert done.returncode == 0, done.stderr
    assert f"{len(RULES)} rules found" in done.stdout


def test_each_alert_fires_with_its_own_texts(tmp_path: Path) -> None:
    folder = write("prometheus", tmp_path, SOME)
    done = ran(program("promtool"), "test", "rules", "kb-alerts.test.yml", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "{{" in SOME[0].remedy.sentence  # braces must not be taken for a template


def test_an_alert_that_fires_for_another_signature_is_reported(tmp_path: Path) -> None:
    folder = write("prometheus", tmp_path, SOME[:2])
    path = folder / "kb-alerts.yml"
    path.write_text(path.read_text().replace(f'kb_id=\\"{SOME[0].id}\\"', f'kb_id=\\"{SOME[1].id}\\"'))
    done = ran(program("promtool"), "test", "rules", "kb-alerts.test.yml", cwd=folder)
    assert done.returncode == 1
    assert "FAILED" in done.stdout + done.stderr


def test_a_broken_rule_is_reported(tmp_path: Path) -> None:
    path = write("prometheus", tmp_path, SOME[:1]) / "kb-alerts.yml"
    path.write_text(path.read_text().replace("[10m]", "[10"))
    assert ran(program("promtool"), "check", "rules", path).returncode != 0


def test_alertmanager_routes_the_alerts(tmp_path: Path) -> None:
    path = write("prometheus", tmp_path) / "kb-route.yml"
    amtool = program("amtool")
    assert ran(amtool, "check-config", path).returncode == 0
    route = (amtool, "config", "routes", "test", f"--config.file={path}")
    assert ran(*route, f"kb_id={RULES[0].id}").stdout.strip() == "kb"
    assert ran(*route, "kb_id=other").stdout.strip() == "default"


def test_without_a_site_the_alert_says_which_command_shows_more(tmp_path: Path) -> None:
    text = (write("prometheus", tmp_path, [replace(RULES[0], url="")]) / "kb-alerts.yml").read_text()
    assert "runbook_url" not in text
    assert f"kb show {RULES[0].id}" in text
