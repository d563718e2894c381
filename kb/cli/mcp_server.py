"""What `kb mcp` answers: tools over MCP, and the same answers over plain HTTP.

Each answer opens the index anew: it is a file that `kb index` replaces while a server runs.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING, Any

import uvicorn
from anyio import to_thread
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import Response
from starlette.routing import Route

from kb import __version__
from kb.cli.output import json_text
from kb.cli.show import resolve, shown
from kb.cli.show_json import shown_json
from kb.cli.with_option import read_versions
from kb.errors import KbError, UsageError
from kb.index.store import open_store
from kb.triage.as_json import report_json
from kb.triage.find import search
from kb.triage.find_json import answer_json
from kb.triage.report import triage

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request

    from kb.home import Home

Answer = dict[str, Any]
#: A log that is sent is held in memory: what is longer is for `kb triage`, which reads files by neighbourhoods.
MOST_BYTES = 64 << 20
_MOST_HITS = 100
_ANYWHERE = ("0.0.0.0", "::")  # noqa: S104  compared with, not bound to
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_ABOUT = (
    "A knowledge base of debugging sessions. When something failed, give its log to `triage`: it names the root cause, "
    "says whether it is known, and what fixed it. `search` finds signatures, fixes and sessions; `show` shows one."
)


def server(home: Home) -> MCPServer[Any]:
    """A server of the knowledge base `home`, which is only read."""
    made: MCPServer[Any] = MCPServer("kb", instructions=_ABOUT, version=__version__, log_level="WARNING")

    @made.tool(name="triage", annotations=_READS, structured_output=False)
    def _triage(log: str, versions: dict[str, str] | None = None) -> str:
        """Read a log: its root failure, whether it is known, what fixes it (best first), what failed, what comes next.

        `log` is the text as it was printed, whole where possible. `versions` are those of components on the machine
        where it failed, for example {"vllm": "0.15.1"}: fixes for other versions come last. The verdict is known, new,
        symptom-only (the cause is in another log: `hints` say where) or no-failure. A match whose level is similar is a
        suggestion, no more.
        """
        return _told(lambda: _triaged(home, log.encode("utf-8", "replace"), versions or {}))

    @made.tool(name="search", annotations=_READS, structured_output=False)
    def _search(query: str, limit: int = 10) -> str:
        """Search signatures, fixes and sessions: by an error line, words, an id, a part of an identifier, or filters.

        Filters stand in the query: component:vllm, component:vllm=0.15, has:fix, kind:signature, since:30d.
        """
        return _told(lambda: _found(home, query, limit))

    @made.tool(name="show", annotations=_READS, structured_output=False)
    def _show(name: str) -> str:
        """Show all that is known of a signature (its id, or the beginning of it), of a fix or of a session."""
        return _told(lambda: _shown(home, name))

    return made


def serve_http(home: Home, host: str, port: int) -> None:
    """Serve `home` over HTTP at `host` and `port`, until it is interrupted."""
    app = http_app(home, host)
    uvicorn.run(app, host=host, port=port, log_level="warning", access_log=False, server_header=False)


def http_app(home: Home, host: str) -> Starlette:
    """The application of `serve_http`: /mcp, /triage, /search and /show."""

    async def _triage(request: Request) -> Response:
        log = bytearray()
        async for part in request.stream():
            log += part
            if len(log) > MOST_BYTES:
                return _refused(413, f"a log of more than {MOST_BYTES >> 20} MiB: give it to `kb triage`")
        try:
            versions = read_versions(request.query_params.getlist("with"))
        except UsageError as error:
            return _refused(400, str(error))
        return await _answered(lambda: _triaged(home, bytes(log), versions))

    async def _search(request: Request) -> Response:
        limit = request.query_params.get("limit", "20")
        if not (limit.isascii() and limit.isdigit() and len(limit) < 10):
            return _refused(400, "limit is no number")
        return await _answered(lambda: _found(home, request.query_params.get("q", ""), int(limit)))

    async def _show(request: Request) -> Response:
        return await _answered(lambda: _shown(home, request.path_params["name"]))

    app = server(home).streamable_http_app(host=host)
    app.router.routes += [
        Route("/triage", _triage, methods=["POST"]),
        Route("/search", _search),
        Route("/show/{name}", _show),
    ]
    if host not in _ANYWHERE:
        # A page of another host, whose name was made to lead here, must not read what this one answers.
        app.add_middleware(TrustedHostMiddleware, allowed_hosts=[host, "localhost", "127.0.0.1"])
    return app


def _triaged(home: Home, log: bytes, versions: dict[str, str]) -> Answer:
    with closing(open_store(home)) as store:
        return report_json(triage(log, "<log>", store, excerpts=True, versions=versions))


def _found(home: Home, query: str, limit: int) -> Answer:
    if not query.strip():
        raise UsageError("nothing to search for")
    with closing(open_store(home)) as store:
        return answer_json(search(store, query, max(1, min(limit, _MOST_HITS))))


def _shown(home: Home, name: str) -> Answer:
    with closing(open_store(home)) as store:
        kind, key, _ = resolve(store, name)
        return shown_json(shown(store, kind, key), kind, key)


def _told(answer: Callable[[], Answer]) -> str:
    """The answer, or its error as one that the agent is told."""
    try:
        return json_text(answer(), indent=None)
    except KbError as error:
        raise ToolError(str(error)) from error


async def _answered(answer: Callable[[], Answer]) -> Response:
    """The answer, made in a thread: a long log keeps nobody else waiting."""
    try:
        return _said(200, await to_thread.run_sync(answer))
    except UsageError as error:
        return _refused(404, str(error))
    except KbError as error:
        return _refused(500, str(error))


def _refused(status: int, why: str) -> Response:
    return _said(status, {"error": why})


def _said(status: int, answer: Answer) -> Response:
    headers = {"X-Content-Type-Options": "nosniff"}
    return Response(json_text(answer, indent=None), status, headers, media_type="application/json")
