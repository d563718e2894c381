"""The files that ship with kb: templates and the site's own pages, styles and scripts, and the code itself.

In a wheel they are inside the package (`kb/_shipped`); in a checkout they stand at the top level.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from kb import __version__

_PACKAGE = Path(__file__).resolve().parent


def shipped(name: str) -> Path:
    """The folder `name` ("templates" or "site") as shipped with this installation of kb."""
    packed = _PACKAGE / "_shipped" / name
    return packed if packed.is_dir() else _PACKAGE.parent / name


@cache
def code_of(*folders: str) -> str:
    """A hash of this release and of the code and the tables in these folders of the package, as they were when this
    process began to use them."""
    import hashlib  # loads OpenSSL; start-up counts

    digest = hashlib.sha256(__version__.encode())
    for folder in folders:
        for path in sorted((_PACKAGE / folder).rglob("*")):
            if path.suffix in (".py", ".txt", ".toml"):
                digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
