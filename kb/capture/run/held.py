"""What was read from a program but is not in the log yet, in memory that outlives the process that read it.

The pump may be killed at any moment. It reads straight into memory that it shares with the watchdog, so that the next
pump finds every byte: there are two slots, a step is prepared in the spare one, and a single byte says which one holds.
Bytes behind the stated length that are not zero were read by a pump that was killed before it could say so.
"""

from __future__ import annotations

import mmap
import struct

#: A step: how many bytes are held, how many of them were shown, how many logged, the length of the state, its number.
_HEAD = struct.Struct("=QQQQQ")
_STATE = 4096
_SLOT_HEAD = _HEAD.size + _STATE
_ZEROS = bytes(1 << 16)


class Held:
    """Bytes of one stream that wait for their line to end, and the state of the log that goes with them."""

    def __init__(self, capacity: int) -> None:
        """Room for `capacity` bytes, shared with every process that is forked later."""
        self.capacity = capacity
        self._slot = _SLOT_HEAD + capacity
        self._map = mmap.mmap(-1, 1 + 2 * self._slot)
        self._view = memoryview(self._map)
        self._dirty = [0, 0]
        self._load()

    def _load(self) -> None:
        self._at = 1 + self._map[0] * self._slot
        self.used, self.shown, self.logged, self._state_length, self.number = _HEAD.unpack_from(self._map, self._at)

    @property
    def data(self) -> bytes:
        """All bytes that are held."""
        start = self._at + _SLOT_HEAD
        return self._map[start : start + self.used]

    @property
    def state(self) -> bytes:
        """The state that was stored with the last step."""
        start = self._at + _HEAD.size
        return self._map[start : start + self._state_length]

    @property
    def free(self) -> int:
        """How many bytes more can be held."""
        return self.capacity - int(self.used)

    def room(self, most: int) -> memoryview:
        """Where the next bytes are to be read to, at most `most` of them; `grew` must follow."""
        start = self._at + _SLOT_HEAD + self.used
        return self._view[start : start + min(most, self.free)]

    def grew(self, count: int) -> None:
        """Say that `count` bytes were read into `room`."""
        self.used += count
        struct.pack_into("=Q", self._map, self._at, self.used)

    def showed(self, shown: int) -> None:
        """Say that the first `shown` bytes have been shown."""
        self.shown = shown
        struct.pack_into("=Q", self._map, self._at + 8, shown)

    def commit(self, rest: bytes, *, shown: int, logged: int, state: bytes, number: int) -> None:
        """Replace what is held by `rest`, of which so many bytes were shown and logged, and the state, in one step."""
        if len(state) > _STATE or len(rest) > self.capacity:
            raise ValueError("more than a slot can hold")
        current: int = self._map[0]
        spare = 1 - current
        self._dirty[current] = max(self._dirty[current], self.used)
        at = 1 + spare * self._slot
        start = at + _SLOT_HEAD
        for offset in range(len(rest), self._dirty[spare], len(_ZEROS)):
            end = min(offset + len(_ZEROS), self._dirty[spare])
            self._map[start + offset : start + end] = _ZEROS[: end - offset]
        self._dirty[spare] = len(rest)
        self._map[start : start + len(rest)] = rest
        self._map[at + _HEAD.size : at + _HEAD.size + len(state)] = state
        _HEAD.pack_into(self._map, at, len(rest), shown, logged, len(state), number)
        self._map[0] = spare
        self._load()

    def recover(self) -> None:
        """Take over from a process that was killed: count what it read but did not count, and trust no empty room."""
        self._load()
        start = self._at + _SLOT_HEAD
        beyond = self._map[start + self.used : start + self.capacity].rstrip(b"\0")
        if beyond:
            self.grew(len(beyond))
        self._dirty = [self.capacity, self.capacity]
