"""`kb site`: the runbook as files, and as a server on this machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

from .conftest import Kb


def test_the_site_is_written_to_the_folder_of_the_knowledge_base(kb: Kb, base: Path) -> None:
    ran = kb("site", "build")
    assert ran.status == 0, ran.err
    assert "open " in ran.out
    assert (base / "public" / "index.html").is_file()


def test_the_site_is_written_elsewhere_when_a_folder_is_named(kb: Kb, base: Path) -> None:
    assert kb("site", "build", "--output", base / "elsewhere").status == 0
    assert (base / "elsewhere" / "index.html").is_file()
    assert not (base / "public").exists()


def test_problems_of_records_are_counted_and_refused_when_strict(kb: Kb, base: Path) -> None:
    record = base / "sessions" / "2026-01-31-parser-eats-commas.md"
    record.write_text(record.read_text().replace("exit=1 ", "exti=1 "))
    ran = kb("site", "build")
    assert ran.status == 0
    assert "2 problems in session records; see `kb check`" in ran.err
    ran = kb("site", "build", "--strict", "--output", base / "strict")
    assert ran.status == 70
    assert not (base / "strict").exists()


def test_the_server_answers_until_it_is_interrupted(base: Path) -> None:
    # A process started in the background may have inherited that it ignores this signal.
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from kb.cli.start import entry; entry()"
    command = [sys.executable, "-c", code, "site", "serve", "--port", "0"]
    with subprocess.Popen(command, cwd=base, stdout=subprocess.PIPE, env={**os.environ}, text=True) as server:
        late = threading.Timer(120, server.kill)
        late.start()
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split()[0]
            with urllib.request.urlopen(address, timeout=60) as answer:
                assert answer.status == 200
            server.send_signal(signal.SIGINT)
            assert server.wait(60) == 0
        finally:
            late.cancel()
            server.kill()


def test_a_folder_that_cannot_be_written_is_said_with_status_74(kb: Kb, base: Path) -> None:
    for output in (base / "kb.toml" / "below", Path("/proc/x")):
        ran = kb("site", "build", "--output", output)
        assert ran.status == 74
        assert "the site cannot be written" in ran.err
        assert "Traceback" not in ran.err
