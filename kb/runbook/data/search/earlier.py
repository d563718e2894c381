"""The files of the build before, so that only those which changed are made again."""

from __future__ import annotations

from typing import Protocol


class Earlier(Protocol):
    """What was written before, by file name."""

    def there(self, name: str) -> bool:
        """Whether the file was written before, and is still there."""

    def same(self, name: str, text: str) -> bool:
        """Whether the file is there and has this text."""

    def text(self, name: str) -> str | None:
        """The text of the file; None when it is not there, or not as it was written."""


class Nothing:
    """No build before."""

    def there(self, name: str) -> bool:
        """Nothing is there."""
        return False

    def same(self, name: str, text: str) -> bool:
        """Nothing is there."""
        return False

    def text(self, name: str) -> str | None:
        """Nothing is there."""
        return None
