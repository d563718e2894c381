"""The MkDocs plugin: it adds one shell page to the hand-written ones, and stamps kb's pages out of it afterwards."""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config import base, config_options
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, Files, InclusionLevel

from kb.errors import KbError
from kb.home import need_home
from kb.publish.shell import SHELL_MARKDOWN, SHELL_PAGE
from kb.shipped import shipped

#: The style of what kb shows, by which a site is known to have all that its pages load.
STYLE = "assets/kb/kb.css"


class KbConfig(base.Config):  # type: ignore[no-untyped-call]
    """Options of the plugin: `home` is the knowledge base (default: the one that mkdocs.yml lies in)."""

    home = config_options.Type(str, default="")
    stamp = config_options.Type(bool, default=True)


class KbPlugin(BasePlugin[KbConfig]):  # type: ignore[no-untyped-call]
    """Hooks of MkDocs; all work is done by the modules beside this one."""

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Let a site of its own look load what kb's pages need; kb's own configuration names it."""
        self._brings = STYLE not in config.extra_css
        if self._brings:
            text = (shipped("site") / "mkdocs.yml").read_text("utf-8")
            config.extra_css.append(STYLE)
            config.extra_javascript += ["assets/kb/offline.js", *re.findall(r"assets/kb/[a-z-]+\.js", text)]
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Add the shell page, in no menu, and the files that a site lacks."""
        own = shipped("site") / "docs"
        for path in sorted((own / "assets" / "kb").iterdir()) if self._brings else ():
            name = path.relative_to(own).as_posix()
            if path.is_file() and files.get_file_from_path(name) is None:
                files.append(File.generated(config, name, abs_src_path=str(path)))
        files.append(
            File.generated(config, SHELL_PAGE, content=SHELL_MARKDOWN, inclusion=InclusionLevel.NOT_IN_NAV),
        )
        return files

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Stamp kb's pages into the finished site, unless `kb site build` does so itself."""
        if not self.config.stamp:
            return
        # Imported here: `build` runs MkDocs, which loads this module.
        from kb.publish.build import stamp_into

        site = Path(config.site_dir)
        try:
            start = Path(self.config.home) if self.config.home else Path(config.config_file_path or ".").parent
            stamp_into(need_home(start), site)
        except KbError as error:
            raise PluginError(str(error)) from error
