"""The public names of kb, for programs that import it."""

from __future__ import annotations

__all__: list[str] = []
