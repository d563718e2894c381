"""Running MkDocs, in this process, over the hand-written pages and the shell; its result is kept until they change."""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from importlib.metadata import version
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort, MkDocsException

from kb import __version__
from kb.errors import SiteError
from kb.home import Home
from kb.publish.policy import fill_policy
from kb.publish.shell import SHELL_FILE, SHELL_TOP, Shell
from kb.publish.sources import fingerprint, gather_sources
from kb.publish.squeeze import squeezed

_SHELL = "shell.html"
_SITE = "site"
_WARNINGS = "warnings.txt"


@dataclass(frozen=True, slots=True)
class Theme:
    """The hand-written site as MkDocs made it: a folder of files, the shell, and what MkDocs warned of."""

    folder: Path
    shell: Shell
    key: str
    warnings: tuple[str, ...]


def make_theme(home: Home) -> Theme:
    """The rendered hand-written site of `home`, from `.kb/site` when nothing it is made of has changed.

    Raises `SiteError` when MkDocs refuses.
    """
    versions = (__version__, version("mkdocs"), version("mkdocs-material"))
    key = hashlib.sha256("\0".join((fingerprint(home), *versions)).encode()).hexdigest()[:16]
    kept = home.root / ".kb" / "site"
    folder = kept / key
    if not (folder / _SHELL).is_file():
        kept.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".making-", dir=kept) as temporary:
            _run(home, Path(temporary))
            _keep(Path(temporary) / "made", folder)
        _forget_others(kept, key)
    return read_theme(folder, key)


def read_theme(folder: Path, key: str) -> Theme:
    """The theme kept in `folder`."""
    try:
        html = (folder / _SHELL).read_text("utf-8")
        warnings = (folder / _WARNINGS).read_text("utf-8").splitlines()
    except OSError as error:
        raise SiteError(f"cannot read the rendered theme: {error}", hint=f"delete {folder}") from error
    return Theme(folder / _SITE, Shell(html), key, tuple(warnings))


def _run(home: Home, folder: Path) -> None:
    """Render the site of `home` into `folder`/made."""
    sources, made = folder / "sources", folder / "made"
    sources.mkdir()
    config_file = gather_sources(home, sources)
    with _quiet_mkdocs() as warnings:
        try:
            config = load_config(
                str(config_file),
                site_dir=str(made / _SITE),
                site_name=escape(home.name),
                site_url=home.site_url or None,
                **({"repo_url": home.repository} if home.repository.startswith(("https://", "http://")) else {}),
            )
            plugin = config.plugins.get("kb")
            if plugin is None:
                raise SiteError("mkdocs.yml does not name the plugin `kb`", hint="add `kb` to its `plugins`")
            plugin.config["stamp"] = False
            config.plugins.on_startup(command="build", dirty=False)
            build(config)
            config.plugins.on_shutdown()
            for page in (made / _SITE).rglob("*.html"):
                page.write_text(squeezed(page.read_text("utf-8")), "utf-8")
            shell = finish(made / _SITE)
            (made / _SHELL).write_text(shell.html, "utf-8")
            (made / _WARNINGS).write_text("\n".join(" ".join(one.split()) for one in warnings), "utf-8")
        except (MkDocsException, Abort) as error:
            details = "; ".join(warnings) or str(error) or type(error).__name__
            raise SiteError(f"MkDocs cannot build the hand-written pages: {details}") from error


def finish(site: Path) -> Shell:
    """Make a folder that MkDocs wrote ready for stamping: take the shell out of it, and fill in each page's policy.

    Raises `SiteError` when there is no shell.
    """
    file = site / SHELL_FILE
    if not file.is_file():
        raise SiteError("MkDocs did not render the shell page", hint="`use_directory_urls` must be true")
    shell = Shell(file.read_text("utf-8"))
    shutil.rmtree(site / SHELL_TOP)
    for name in ("sitemap.xml", "sitemap.xml.gz"):
        (site / name).unlink(missing_ok=True)
    for page in site.rglob("*.html"):
        page.write_text(fill_policy(page.read_text("utf-8")), "utf-8")
    return shell


def _keep(made: Path, folder: Path) -> None:
    """Move the result to its place; where another process was faster, its result is as good."""
    try:
        os.replace(made, folder)
    except OSError:
        if not (folder / _SHELL).is_file():
            raise


def _forget_others(kept: Path, key: str) -> None:
    for other in kept.iterdir():
        if other.is_dir() and other.name != key and not other.name.startswith("."):
            shutil.rmtree(other, ignore_errors=True)


class _Collector(logging.Handler):
    """Keeps the warnings that MkDocs logs."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Remember one message."""
        self.messages.append(record.getMessage())


@contextmanager
def _quiet_mkdocs() -> Iterator[list[str]]:
    """Collect MkDocs's warnings instead of printing them, and turn its notice about its own future off."""
    logger = logging.getLogger("mkdocs")
    collector = _Collector()
    propagates, level = logger.propagate, logger.level
    before = os.environ.get("NO_MKDOCS_2_WARNING")
    os.environ["NO_MKDOCS_2_WARNING"] = "1"
    logger.addHandler(collector)
    logger.propagate = False
    logger.setLevel(logging.WARNING)
    try:
        yield collector.messages
    finally:
        logger.removeHandler(collector)
        logger.propagate = propagates
        logger.setLevel(level)
        if before is None:
            os.environ.pop("NO_MKDOCS_2_WARNING", None)
        else:
            os.environ["NO_MKDOCS_2_WARNING"] = before
