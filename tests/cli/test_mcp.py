"""`kb mcp`: agents and programs get what the commands print."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from starlette.testclient import TestClient

from cli.conftest import Kb
from kb.cli import mcp as command
from kb.cli import mcp_server
from kb.cli.mcp_server import http_app, server
from kb.home import read_home

QUERIES = ["could not convert", "component:parser", "comma", "valueerror", "pandas"]


class Told(NamedTuple):
    """What a tool told: whether it is an error, and its text."""

    error: bool
    text: str

    @property
    def json(self) -> Any:
        assert not self.error, self.text
        return json.loads(self.text)


def apart(work: Callable[[], Awaitable[Any]]) -> Any:
    """What `work` gives, run in a thread: in this one the tests of the browser may have left a loop that runs."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(anyio.run, work).result()


def ask(where: Any, *calls: tuple[str, dict[str, Any]]) -> list[Told]:
    """What the tools of a server tell, one call after the other."""

    async def asked() -> list[Told]:
        async with Client(where) as client:
            told = [await client.call_tool(name, arguments) for name, arguments in calls]
        return [Told(bool(one.is_error), one.content[0].text) for one in told]  # type: ignore[union-attr]

    return apart(asked)


@pytest.fixture
def ready(base: Path, kb: Kb) -> Path:
    assert kb("index").status == 0
    return base


@pytest.fixture
def http(ready: Path) -> Iterator[TestClient]:
    with TestClient(http_app(read_home(ready), "127.0.0.1"), base_url="http://127.0.0.1:8100") as client:
        yield client


def test_an_agent_that_starts_it_gets_what_triage_prints(ready: Path, kb: Kb) -> None:
    arguments = ["-m", "kb", "--kb", str(ready), "mcp"]
    process = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
    log = (ready / "new.log").read_text()
    (told,) = ask(process, ("triage", {"log": log}))
    assert told.json["verdict"] == "known"
    assert {**told.json, "source": "<stdin>"} == kb("triage", "--json", stdin=log.encode()).json


@pytest.mark.parametrize("query", QUERIES)
def test_command_agent_and_program_rank_alike(ready: Path, http: TestClient, kb: Kb, query: str) -> None:
    (told,) = ask(server(read_home(ready)), ("search", {"query": query, "limit": 20}))
    printed = kb("search", "--json", query).json
    assert told.json == printed
    assert http.get("/search", params={"q": query}).json() == printed


def test_what_was_found_can_be_shown(ready: Path, http: TestClient, kb: Kb) -> None:
    hits = kb("search", "--json", "could not convert").json["hits"]
    for name in {hit["id"] for hit in hits}:
        (told,) = ask(server(read_home(ready)), ("show", {"name": name}))
        assert told.json == http.get(f"/show/{name}").json() == kb("show", "--json", name).json


def test_the_agent_is_told_what_was_wrong(ready: Path) -> None:
    unknown, empty = ask(
        server(read_home(ready)), ("show", {"name": "kb1-nothing"}), ("search", {"query": " ", "limit": 3})
    )
    assert unknown.error
    assert "no signature, session or fix is named 'kb1-nothing'" in unknown.text
    assert empty.error


def test_tools_say_that_they_only_read(ready: Path) -> None:
    async def listed() -> list[Any]:
        async with Client(server(read_home(ready))) as client:
            return (await client.list_tools()).tools

    tools = apart(listed)
    assert {tool.name for tool in tools} == {"triage", "search", "show"}
    assert all(tool.annotations.read_only_hint and tool.description for tool in tools)


def test_a_log_is_read_over_http_as_its_bytes_are(http: TestClient, ready: Path, kb: Kb) -> None:
    log = b"step \xff\xfe\x00\n" + (ready / "new.log").read_bytes()
    got = http.post("/triage", params={"with": "pandas=2.0"}, content=log).json()
    assert got["verdict"] == "known"
    assert got["failures"] == kb("triage", "--json", "--with", "pandas=2.0", stdin=log).json["failures"]


def test_what_cannot_be_answered_is_refused(http: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    assert http.get("/show/kb1-nothing").status_code == 404
    assert http.get("/search", params={"q": "a", "limit": "x"}).status_code == 400
    assert http.get("/triage").status_code == 405
    assert http.post("/triage", params={"with": "pandas"}, content=b"x").status_code == 400
    monkeypatch.setattr(mcp_server, "MOST_BYTES", 100)
    assert http.post("/triage", content=b"x" * 101).status_code == 413


def test_a_page_whose_host_was_made_to_lead_here_reads_nothing(http: TestClient) -> None:
    assert http.get("/search", params={"q": "a"}, headers={"Host": "evil.example"}).status_code == 400


def test_what_is_no_text_can_be_sent(http: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    got = http.post("/triage", content=b"Traceback (most recent call last):\nKeyError: '\xed\xa0\x80<script>'\n")
    assert got.json()["verdict"] == "new"
    assert got.headers["content-type"] == "application/json"
    monkeypatch.setattr(mcp_server, "report_json", lambda report: {"message": "\ud800"})
    assert http.post("/triage", content=b"x").json() == {"message": "\ufffd"}


def test_without_its_optional_part_it_says_what_to_install(
    ready: Path, kb: Kb, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    ran = kb("mcp")
    assert ran.status == 64
    assert 'pip install "kb-runbook[mcp]"' in ran.err


@pytest.mark.parametrize("address", ["x", "0", "70000", "localhost:", "localhost:http"])
def test_an_address_that_is_none_is_wrong_usage(ready: Path, kb: Kb, address: str) -> None:
    assert kb("mcp", "--http", address).status == 64
