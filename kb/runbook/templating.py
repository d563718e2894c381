"""The Jinja2 environment of the runbook: autoescape on, undefined names are errors, kb's filters and nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from jinja2 import FileSystemLoader, StrictUndefined, TemplateError, TemplateNotFound, select_autoescape
from markupsafe import Markup

from kb.errors import Location, SiteError
from kb.home import Home
from kb.runbook import charts, phrases
from kb.runbook.editing import edit_url
from kb.runbook.excerpts import Excerpt, code_html, excerpt_html
from kb.runbook.page import Draft, Kind, root_of
from kb.runbook.prose import prose_html
from kb.runbook.rendering import FastEnvironment
from kb.runbook.room import CODE, MOST, PROSE, ROOMS, excerpt_within, text_within
from kb.runbook.views import LinkView
from kb.runbook.visible import breakable, escape_text, peel, plain, visible
from kb.shipped import shipped

#: What was made of each template.
_COMPILED: dict[object, Any] = {}


def template_folders(home: Home | None) -> tuple[Path, ...]:
    """Where templates are looked up: the knowledge base's own `templates/` first, then those that ship with kb."""
    own = (home.root / "templates",) if home else ()
    return (*own, shipped("templates"))


class Templates:
    """Renders views to HTML bodies.

    `fingerprint` is a hash of all templates; a page needs rendering again when it changes. Errors in a template
    become `SiteError` with the template's file and line.
    """

    def __init__(self, home: Home | None, sessions: Collection[str]) -> None:
        folders = template_folders(home)
        self._sessions = sessions
        self._room = 0
        self._environment = FastEnvironment(
            _COMPILED,
            loader=FileSystemLoader([str(folder) for folder in folders]),
            # Asked anew for each part of a page.
            autoescape=cache(select_autoescape(enabled_extensions=("html",), default=True, default_for_string=True)),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self._environment.filters.update(
            {
                "breakable": breakable,
                "code": self._code,
                "count": phrases.count,
                "day": phrases.day,
                "excerpt": self._excerpt,
                "minute": phrases.minute,
                "inline": _inline,
                "plain": plain,
                "sentence": phrases.sentence,
                "span": phrases.span,
                "visible": _visible_block,
            }
        )
        self._environment.globals.update(
            {
                "success_bar": lru_cache(maxsize=1024)(charts.success_bar),
                "link_to": _link_to,
                "ROLE": phrases.ROLE,
                "OUTCOME": phrases.OUTCOME,
                "RESOLUTION": phrases.RESOLUTION,
                "fits": self._fits,
                "edit_url": partial(edit_url, home),
                "site_url": _site_url(home),
            }
        )
        self.fingerprint = template_key(home)

    def draft(self, kind: Kind, url: str, title: str, view: object, toc: tuple[tuple[str, str], ...] = ()) -> Draft:
        """The page at `url` that the template of its kind makes of `view`; where that is too large, its texts are shown
        in part."""

        def body() -> str:
            text = ""
            for room in (0, *ROOMS):
                text = self.render(f"pages/{kind}.html", root_of(url), room, page=view)
                if 4 * len(text) <= MOST or len(text.encode("utf-8", "surrogatepass")) <= MOST:
                    break
            return text

        return Draft(url=url, title=title, kind=kind, toc=toc, body=body)

    def render(self, template: str, root: str, room: int = 0, **values: object) -> str:
        """The body that `template` makes of `values` for a page that is `root` away from the site's root, about `room`
        characters of each log and more of other texts (0: all of it)."""

        def prose(text: str) -> Markup:
            return prose_html(text_within(text, PROSE * room), root, self._sessions)

        self._room = room
        try:
            return self._environment.render(template, root=root, prose=prose, **values)
        except TemplateNotFound as error:
            raise SiteError(f"no template {error.name}", location=Location(str(error.name))) from error
        except TemplateError as error:
            name = getattr(error, "filename", None) or template
            line = getattr(error, "lineno", None) or 0
            raise SiteError(f"the template cannot be rendered: {error}", location=Location(name, line)) from error

    def _code(self, body: str, language: str) -> Markup:
        return code_html(text_within(body, CODE * self._room), language)

    def _excerpt(self, excerpt: Excerpt) -> Markup:
        return excerpt_html(excerpt_within(excerpt, self._room))

    def _fits(self, text: str) -> bool:
        return not self._room or len(text) <= self._room


@lru_cache(1 << 15)
def _link_to(root: str, link: LinkView) -> Markup:
    """A link as an element, or its title alone where it leads nowhere."""
    title = breakable(link.title)
    if not link.url:
        return title
    return Markup(f'<a href="{escape_text(root + link.url)}">{title}</a>')  # noqa: S704 - both are escaped


def _visible_block(text: str) -> str:
    return visible(peel(text))


def _inline(prose: Markup) -> Markup:
    """One paragraph of prose without its element; what is more than a paragraph stays as it is."""
    text = str(prose).strip()
    inner = text.removeprefix("<p>").removesuffix("</p>")
    return Markup(inner) if text.count("<p>") == 1 and text == f"<p>{inner}</p>" else prose  # noqa: S704 - was safe


def _site_url(home: Home | None) -> str:
    """The public address of the site with a slash at its end; "" when it is not known."""
    return f"{home.site_url.rstrip('/')}/" if home and home.site_url else ""


def template_key(home: Home | None) -> str:
    """A hash of all templates, and of what `kb.toml` says that they show."""
    return _fingerprint(template_folders(home), edit_url(home, "x"), _site_url(home))


def _fingerprint(folders: Sequence[Path], *settings: str) -> str:
    digest = hashlib.sha256("\0".join(settings).encode())
    for folder in folders:
        for path in sorted(folder.rglob("*.html")) if folder.is_dir() else ():
            digest.update(f"{path.relative_to(folder)}\0".encode())
            digest.update(path.read_bytes())
            digest.update(b"\0")
    return digest.hexdigest()
