"""What is made when it is first asked for, and kept: in one process, and told to another."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Noted(Generic[Value]):
    """Values by name. `news` are those that came since it was asked last, here or from elsewhere."""

    def __init__(self) -> None:
        self.all: dict[str, Value] = {}
        self._told = 0

    def news(self) -> dict[str, Value]:
        """What came since this was asked last."""
        new = dict(islice(self.all.items(), self._told, None))
        self._told = len(self.all)
        return new

    def learn(self, news: Mapping[str, Value]) -> None:
        """Take over what another process made."""
        self.all.update(news)
        self._told = len(self.all)
