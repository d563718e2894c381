"""The server: files of the site and nothing else, built again when a record changes."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from site_factory import make_home

from kb.errors import InputError
from kb.publish.reloading import Builds
from kb.publish.serve import open_server, serve, sources_state, watch


class Asked:
    """Asks one server."""

    def __init__(self, port: int) -> None:
        self.port = port

    def __call__(self, path: str, host: str = "", method: str = "GET") -> tuple[int, str, dict[str, str]]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request(method, path, headers={"Host": host or f"127.0.0.1:{self.port}"})
        answer = connection.getresponse()
        body = answer.read().decode("utf-8", "replace")
        connection.close()
        return answer.status, body, dict(answer.getheaders())


@pytest.fixture
def asked(small_site: Path) -> Iterator[Asked]:
    server = open_server(small_site, "127.0.0.1", 0)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield Asked(server.server_port)
    server.shutdown()
    server.server_close()


def test_pages_are_served(asked: Asked) -> None:
    status, body, headers = asked("/signatures/")
    assert status == 200
    assert "Kimi K2.5 config has no image_token_index" in body.replace("<wbr>", "")
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize(
    "path", ["/.kb-site.json", "/%2ekb-site.json", "/../../etc/passwd", "/%2e%2e/x", "/assets/", "/no"]
)
def test_nothing_else_is_served(asked: Asked, path: str) -> None:
    status, body, _ = asked(path)
    assert status == 404
    assert "root:" not in body


def test_a_page_elsewhere_cannot_read_the_site_under_a_name_of_its_own(asked: Asked) -> None:
    assert asked("/", host="evil.example")[0] == 403
    assert asked("/", host=f"localhost:{asked.port}")[0] == 200


def test_nothing_can_be_sent(asked: Asked) -> None:
    assert asked("/", method="POST")[0] == 501


def test_a_port_that_is_taken_is_an_error_that_says_what_to_do(small_site: Path, asked: Asked) -> None:
    with pytest.raises(InputError, match=f"cannot listen on 127.0.0.1:{asked.port}"):
        open_server(small_site, "127.0.0.1", asked.port)


def test_a_changed_record_is_a_new_state(tmp_path: Path) -> None:
    home = make_home(tmp_path)
    before = sources_state(home)
    assert sources_state(home) == before
    (home.sessions / "a.md").write_text("x")
    assert sources_state(home) != before


def test_the_site_is_built_again_when_a_record_comes(tmp_path: Path, sample: Path) -> None:
    home = make_home(tmp_path)
    out = home.root / ".kb" / "serve"
    record = next(sample.glob("*.md"))
    stop = threading.Event()
    lines: list[str] = []

    def say(line: str) -> None:
        lines.append(line)
        stop.set()

    state = sources_state(home)
    (home.sessions / record.name).write_bytes(record.read_bytes())
    watch(home, out, state, say, stop, interval=0.01)
    assert lines[0].startswith("built again")
    assert (out / "sessions" / record.stem / "index.html").is_file()


def test_a_record_that_is_broken_while_it_is_written_is_named_and_ends_nothing(tmp_path: Path, sample: Path) -> None:
    home = make_home(tmp_path)
    record = home.sessions / next(sample.glob("*.md")).name
    text = next(sample.glob("*.md")).read_text()
    lines: list[str] = []
    stop = threading.Event()

    def say(line: str) -> None:
        lines.append(line)
        if len(lines) == 1:
            record.write_text(text)
        else:
            stop.set()

    state = sources_state(home)
    record.write_text(text.replace("started:", "startd:"))
    watch(home, home.root / ".kb" / "serve", state, say, stop, interval=0.01)
    assert "problem" in lines[0]
    assert f"sessions/{record.name}:" in lines[0]
    assert "problem" not in lines[1]


def test_a_page_listens_for_the_next_build(small_site: Path) -> None:
    builds = Builds()
    server = open_server(small_site, "127.0.0.1", 0, builds)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    ask = Asked(server.server_port)
    try:
        page, _ = ask("/signatures/")[1], ask("/signatures/", method="HEAD")
        assert f'<script src="/-/reload.js?of={builds.name}"></script></body>' in page
        status, gone, _ = ask("/s/gone/")
        assert status == 404
        assert "/-/reload.js" in gone
        assert "EventSource" in ask("/-/reload.js?of=x")[1]
        assert ask("/-/changes", host="evil.example")[0] == 403
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
        connection.request("GET", "/-/changes")
        told = connection.getresponse()
        assert told.fp.readline() == f"data: {builds.name}\n".encode()
        assert told.fp.readline() == b"\n"
        builds.built()
        assert told.fp.readline() == f"data: {builds.name}\n".encode()
        connection.close()
        assert f"of={builds.name}" in ask("/signatures/")[1]
    finally:
        server.shutdown()
        server.server_close()


def test_a_failed_build_is_said_and_the_old_site_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = make_home(tmp_path)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "mkdocs.yml").write_text("theme: no-such-theme\nsite_name: x\n")
    stop = threading.Event()
    lines: list[str] = []

    def say(line: str) -> None:
        lines.append(line)
        stop.set()

    watch(home, home.root / ".kb" / "serve", frozenset(), say, stop, interval=0.01)
    assert "not built again" in lines[0]
    assert "no-such-theme" in lines[0]


def test_a_full_disk_does_not_end_the_watch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("kb.publish.serve.build_site", full)
    stop = threading.Event()
    lines: list[str] = []

    def say(line: str) -> None:
        lines.append(line)
        stop.set()

    watch(make_home(tmp_path), tmp_path / "out", frozenset(), say, stop, interval=0.01)
    assert "not built again: [Errno 28] No space left" in lines[0]


def test_serving_says_where_and_stops_when_told(tmp_path: Path) -> None:
    home = make_home(tmp_path)
    stop = threading.Event()
    lines: list[str] = []

    def say(line: str) -> None:
        lines.append(line)
        port = int(line.split(":")[2].split("/")[0])
        status, body, _ = Asked(port)("/")
        assert status == 200
        assert "What failed?" in body
        stop.set()

    serve(home, 0, told=say, stop=stop)
    assert lines[0].startswith("http://127.0.0.1:")
