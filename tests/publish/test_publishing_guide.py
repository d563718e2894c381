"""The guide to publishing: its files are well-formed, and a server that is set up by it says what it should."""

from __future__ import annotations

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
