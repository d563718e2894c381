"""Keys that take several lines: from the line that begins a private key to the one that ends it."""

from __future__ import annotations

import re

KIND = "private-key"

_BEGIN = re.compile(
    rb"-----BEGIN[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)?-----"
    rb"|^(?:Private-Lines: \d+|---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----)"
)
_END = re.compile(rb"-----END[ A-Z0-9_-]{0,60}-----|---- END SSH2[ A-Z]{0,40}----")
_BODY = re.compile(rb"(?:^|[\s>\"'|+-])([A-Za-z0-9+/=]{16,})(?:\\[nr])*[\"',+;\\]*\s*$")
#: The same of a key that is not wrapped, however long: a line with nothing else.
_LONG_BODY = re.compile(rb"\s*+([A-Za-z0-9+/=]++)\s*+")
_TAIL = re.compile(rb"(?:^|[\s>\"'|+-])([A-Za-z0-9+/]{1,15}={0,2})(?:\\[nr])*[\"',+;\\]*\s*$")
_HEADER = re.compile(
    rb"(?:^|[\s>|+])(?:Proc-Type|DEK-Info|Version|Comment|Subject|Hash|Charset|MessageID|X-[A-Za-z-]+): |^\W*$"
)
#: No key is longer; what follows is no part of one.
_LONGEST = 400
_LONGEST_LINE = 1 << 13


class KeyBlock:
    """Whether the lines that come are inside a private key, and what of each is part of it."""

    def __init__(self) -> None:
        self._left = 0
        self._bodies = 0

    @property
    def open(self) -> bool:
        """Whether the next line may be a part of a key."""
        return self._left > 0

    def begin(self, plain: bytes) -> None:
        """Look at a line outside of a key: it may begin one."""
        if b"PRIVATE KEY" not in plain and b"Private-Lines" not in plain:
            return
        opened = _BEGIN.search(plain)
        if opened and not _END.search(plain, opened.end()):
            self._left, self._bodies = _LONGEST, 0

    def span(self, plain: bytes) -> tuple[int, int] | None:
        """What of a line inside a key is secret; None when nothing is, and then the key may be over."""
        self._left -= 1
        if len(plain) > _LONGEST_LINE:
            whole = _LONG_BODY.fullmatch(plain)
            self._left = self._left if whole else 0
            return whole and whole.span(1)
        end = _END.search(plain)
        if end:
            self._left = 0
            before = self._body(plain[: end.start()])
            return before.start(1) if before else end.start(), end.end()
        body = self._body(plain)
        if body:
            self._bodies += 1
            return body.span(1)
        if not _HEADER.search(plain):
            self._left = 0
        return None

    def _body(self, plain: bytes) -> re.Match[bytes] | None:
        """The part of the key at the end of a line; a short one counts only behind a longer one."""
        body = _BODY.search(plain)
        return _TAIL.search(plain) if body is None and self._bodies else body
