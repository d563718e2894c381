"""Showing a page again in the browser once the site was built again: each page that is served tells of it.

The page listens only while it is looked at: browsers open few connections to one server, and a tab keeps its own.
"""

from __future__ import annotations

import threading
import time
from typing import Protocol

#: Addresses of the server itself; no page of a site has such a name.
SCRIPT, CHANGES = "/-/reload.js", "/-/changes"
#: Seconds after which a listener is sent a comment, by which one that is gone is noticed.
PULSE = 15.0

SCRIPT_TEXT = """\
"use strict";
(() => {
  const shown = new URL(document.currentScript.src).searchParams.get("of");
  let changes = null;
  const listen = () => {
    changes?.close();
    changes = document.hidden ? null : new EventSource("/-/changes");
    if (changes) changes.onmessage = ({ data }) => { if (data !== shown) location.reload(); };
  };
  addEventListener("visibilitychange", listen);
  addEventListener("pagehide", () => changes?.close());
  addEventListener("pageshow", ({ persisted }) => { if (persisted) listen(); });
  listen();
})();
"""


class Stream(Protocol):
    """What can be written to at once."""

    def write(self, data: bytes, /) -> object:
        """Send `data`."""

    def flush(self) -> object:
        """Keep nothing back."""


class Builds:
    """The builds of a site that is served: a name of the one that is shown now, and those who wait for the next."""

    def __init__(self) -> None:
        self._began = time.time_ns()  # pages of a server that ran before are of no build of this one
        self._number = 0
        self._built = threading.Condition()

    @property
    def name(self) -> str:
        """The name of the build that is shown."""
        return f"{self._began}-{self._number}"

    def built(self) -> None:
        """Say that the site was built again."""
        with self._built:
            self._number += 1
            self._built.notify_all()

    def tell(self, stream: Stream, pulse: float = PULSE) -> None:
        """Send the name of the build that is shown, and of each that follows, as server-sent events, until nobody
        listens any more."""
        told = ""
        try:
            while True:
                name = self.name
                stream.write(b": still here\n\n" if name == told else f"data: {name}\n\n".encode())
                stream.flush()
                told = name
                with self._built:
                    self._built.wait_for(lambda before=name: self.name != before, pulse)  # type: ignore[misc]
        except OSError:
            return

    def listening(self, page: bytes) -> bytes:
        """The HTML of a page with the script that listens."""
        tag = f'<script src="{SCRIPT}?of={self.name}"></script>'.encode()
        before, end, after = page.rpartition(b"</body>")
        return before + tag + end + after if end else page
