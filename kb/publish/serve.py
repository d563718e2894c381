"""A small server for the built site on this machine, and a watch that builds it again when its sources change."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from kb.errors import InputError, KbError
from kb.home import CONFIG, Home
from kb.publish.build import BuiltSite, build_site
from kb.publish.reloading import CHANGES, SCRIPT, SCRIPT_TEXT, Builds
from kb.publish.sources import source_folders
from kb.runbook.templating import template_folders

#: Seconds between two looks at the sources; where a look takes long, so many times of what it takes.
INTERVAL, TIMES = 0.3, 4
#: So many problems of records are told after a build.
PROBLEMS = 3

Told = Callable[[str], None]
State = frozenset[tuple[str, int, int]]


def serve(
    home: Home,
    port: int = 8000,
    *,
    host: str = "127.0.0.1",
    told: Told | None = None,
    stop: threading.Event | None = None,
) -> None:
    """Build the site of `home` into its `.kb/serve` folder and serve it until `stop` is set or Ctrl-C is pressed.

    Pages that are open in a browser are shown again after each build. Port 0 takes any free one. `told` is given a line
    when the server is ready, when the site was built again, and when that failed; the site built before is then served
    on. Raises `InputError` when the port cannot be had, `SiteError` when the first build fails.
    """
    say = told or (lambda line: None)
    ended = stop or threading.Event()
    out = home.root / ".kb" / "serve"
    state = sources_state(home)
    built = build_site(home, out)
    builds = Builds()
    server = open_server(out, host, port, builds)
    thread = threading.Thread(target=server.serve_forever, name="kb-site", daemon=True)
    thread.start()
    say(f"http://{host}:{server.server_port}/ has {built.pages} pages; Ctrl-C stops it")
    if built.left_out:
        say(f"left out for a secret in the record: {', '.join(built.left_out)}")
    try:
        watch(home, out, state, say, ended, builds=builds)
    except KeyboardInterrupt:
        say("stopped")
    finally:
        server.shutdown()
        server.server_close()


def watch(
    home: Home,
    out: Path,
    state: State,
    say: Told,
    stop: threading.Event,
    interval: float = INTERVAL,
    builds: Builds | None = None,
) -> None:
    """Build the site again whenever its sources are not in `state` any more, until `stop` is set; `builds` are told."""
    pause = interval
    while not stop.wait(pause):
        began = time.monotonic()
        now = sources_state(home)
        pause = max(interval, TIMES * (time.monotonic() - began))
        if now == state:
            continue
        state = now
        started = time.monotonic()
        try:
            built: BuiltSite = build_site(home, out)
        except (KbError, OSError) as error:  # the disk may be full for a moment, a file be gone
            say(f"not built again: {error}")
        else:
            if builds:
                builds.built()
            say(f"built again in {time.monotonic() - started:.1f} s: {built.written} files changed{_wrong(built)}")


def _wrong(built: BuiltSite) -> str:
    """What is wrong with the records of a site that was built all the same."""
    first = [f"\n  {problem}" for problem in built.problems[:PROBLEMS]]
    said = f", {len(built.problems)} problem{'s' * (len(built.problems) != 1)} in records" if first else ""
    more = f"\n  and {len(built.problems) - PROBLEMS} more: kb check" if len(built.problems) > PROBLEMS else ""
    left = f"; left out for a secret in the record: {', '.join(built.left_out)}" if built.left_out else ""
    return said + left + "".join(first) + more


def sources_state(home: Home) -> State:
    """Every source file of the site with its time of change and its size: equal states mean an unchanged site."""
    found: set[tuple[str, int, int]] = set()
    folders = [home.sessions, home.decisions, *source_folders(home), *template_folders(home)]
    for folder in folders:
        for path in [*folder.rglob("*"), home.root / CONFIG]:
            try:
                seen = path.stat()
            except OSError:
                continue
            if not path.is_dir():
                found.add((str(path), seen.st_mtime_ns, seen.st_size))
    return frozenset(found)


def open_server(folder: Path, host: str, port: int, builds: Builds | None = None) -> ThreadingHTTPServer:
    """A server of the files in `folder`, bound and not running yet; with `builds`, its pages are shown again once they
    were built again. Raises `InputError` when it cannot be bound."""

    class Handler(_Handler):
        made = builds

        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments, directory=str(folder))

    try:
        server = ThreadingHTTPServer((host, port), Handler)
    except OSError as error:
        raise InputError(
            f"cannot listen on {host}:{port}: {error.strerror}", hint="choose another with --port, or 0 for any"
        ) from error
    server.daemon_threads = True
    return server


class _Handler(SimpleHTTPRequestHandler):
    """Serves files only: no listing of folders, no hidden files, nothing for a page of another site."""

    server_version = "kb"
    sys_version = ""
    made: Builds | None = None

    def do_GET(self) -> None:
        """A file, or, for as long as somebody listens, each build."""
        if self.made and self.path == CHANGES and self._from_here():
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.made.tell(self.wfile)
        else:
            super().do_GET()

    def send_head(self) -> Any:
        """Answer GET and HEAD, after a look at who is asking and for what."""
        if not self._from_here():
            self.send_error(HTTPStatus.FORBIDDEN, "this server answers to its own address only")
            return None
        parts = unquote(self.path.split("?", 1)[0]).split("/")
        if any(part.startswith(".") for part in parts):
            self.send_error(HTTPStatus.NOT_FOUND)
            return None
        # While a new site takes the place of the old one there is none for a moment.
        for _ in range(20):
            if Path(self.directory).is_dir():
                break
            time.sleep(0.05)
        return (self.made and self._page(self.made)) or super().send_head()

    def _page(self, made: Builds) -> io.BytesIO | None:
        """A page that listens, or the script by which it does; None for any other file."""
        path = Path(self.translate_path(self.path))
        if path.is_dir() and self.path.split("?", 1)[0].endswith("/"):
            path /= "index.html"
        if self.path.split("?", 1)[0] == SCRIPT:
            kind, body = "text/javascript", SCRIPT_TEXT.encode()
        elif path.suffix == ".html" and path.is_file():
            kind, body = "text/html", made.listening(path.read_bytes())
        else:
            return None
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        return io.BytesIO(body)

    def _from_here(self) -> bool:
        """Whether the address asked for is one of this machine, when only this machine is served: a page elsewhere
        could otherwise give its own name our address, and read the site in its visitor's browser."""
        bound: Any = self.server.server_address
        address = str(bound[0])
        if not address.startswith("127.") and address != "::1":
            return True
        name = self.headers.get("Host", "").rsplit(":", 1)[0].strip("[]")
        return name in {"localhost", "127.0.0.1", "::1", address}

    def list_directory(self, path: Any) -> None:
        """No listing: a folder without a page is not there."""
        self.send_error(HTTPStatus.NOT_FOUND)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Errors, with the site's own page where nothing was found."""
        page = Path(self.directory) / "404.html"
        if code != HTTPStatus.NOT_FOUND or not page.is_file():
            super().send_error(code, message, explain)
            return
        # Also who looks at a page that is gone, of a record that is broken for a moment, sees it come back.
        body = self.made.listening(page.read_bytes()) if self.made else page.read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def end_headers(self) -> None:
        """The headers that a page cannot set in itself."""
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Content-Security-Policy", "frame-ancestors 'none'")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the base class's
        """Requests are not logged."""
