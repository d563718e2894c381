"""Where the files that ship with kb lie: templates and the site's own pages, styles and scripts.

In a wheel they are inside the package (`kb/_shipped`); in a checkout they stand at the top level.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def shipped(name: str) -> Path:
    """The folder `name` ("templates" or "site") as shipped with this installation of kb."""
    packed = _PACKAGE / "_shipped" / name
    return packed if packed.is_dir() else _PACKAGE.parent / name
