"""What can still be unpacked of an archive whose end is missing, and with it the list of what is in it."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

_FILE = b"PK\x03\x04"
_HEADER = 30
_DEFLATED = 8
_PIECE = 64 << 10


def members_of_cut(data: bytes, largest: int, most: int, all_: int) -> Iterator[tuple[str, bytes, bool]]:
    """The name and the content of each file, in order, and whether the content is whole.

    At most `most` files, `largest` bytes of each and `all_` of them together. Linear in `data`: a file is looked for
    behind the one before it.
    """
    at = 0
    for _ in range(most):
        at = data.find(_FILE, at)
        if at < 0 or at + _HEADER > len(data):
            return
        header = data[at : at + _HEADER]
        named, extra = (int.from_bytes(header[i : i + 2], "little") for i in (26, 28))
        begins = at + _HEADER + named + extra
        name = data[at + _HEADER : at + _HEADER + named].decode("utf-8", "replace")
        if int.from_bytes(header[8:10], "little") != _DEFLATED or int.from_bytes(header[6:8], "little") & 1:
            at = begins
            continue
        content, at, whole = _unpacked(data, begins, min(largest, all_))
        all_ -= len(content)
        if all_ <= 0:
            return
        yield name, content, whole


def _unpacked(data: bytes, begins: int, largest: int) -> tuple[bytes, int, bool]:
    """The content of the file that begins there, where it ends in `data`, and whether all of it is there."""
    unpacking = zlib.decompressobj(-zlib.MAX_WBITS)
    parts: list[bytes] = []
    room, at = largest, begins
    try:
        while at < len(data) and room > 0 and not unpacking.eof:
            piece = data[at : at + _PIECE]
            parts.append(unpacking.decompress(piece, room))
            room -= len(parts[-1])
            at += len(piece) - len(unpacking.unconsumed_tail) - len(unpacking.unused_data)
    except zlib.error:
        pass
    return b"".join(parts), max(at, begins), unpacking.eof
