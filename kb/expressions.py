"""Regular expressions that are compiled when they are first used.

Compiling is a large part of what a short run of kb costs, and of the expressions in its modules most logs need few. So
modules that `kb triage` and `kb search` always load write `late(…)` where others write `re.compile(…)`.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class _Late:
    """Stands for a compiled expression; what is asked of it once is kept, so it then costs what the other would."""

    def __init__(self, pattern: Any, flags: int) -> None:
        self._uncompiled = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(re.compile(*self._uncompiled), name)
        setattr(self, name, found)
        return found


def late(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """`pattern` for the methods and attributes of a compiled expression; one that is none is an error at first use."""
    return cast("re.Pattern[AnyStr]", _Late(pattern, flags))
