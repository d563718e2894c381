"""Where a record can be changed: the page of a Git host that edits its file."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

from kb.home import Home

_WEB = re.compile(r"https?://[^\s\"'<>]+")


def edit_url(home: Home | None, path: str) -> str:
    """The address at which `path`, as seen from the knowledge base, is edited; "" when no host is known.

    `edit_url` of `kb.toml` says it with `{path}` in it; else it is made of `repository` as the host's software has it,
    on its branch `main`.
    """
    if home is None:
        return ""
    shape = home.edit_url or _shape(home.repository)
    return shape.replace("{path}", quote(path)) if _WEB.fullmatch(shape) else ""


def _shape(repository: str) -> str:
    if not _WEB.fullmatch(repository):
        return ""
    base = repository.rstrip("/").removesuffix(".git")
    host = urlsplit(base).hostname or ""
    if "gitlab" in host:
        return f"{base}/-/edit/main/{{path}}"
    if "gitea" in host or "forgejo" in host or host == "codeberg.org":
        return f"{base}/_edit/main/{{path}}"
    if host == "bitbucket.org":
        return f"{base}/src/main/{{path}}?mode=edit"
    return f"{base}/edit/main/{{path}}"
