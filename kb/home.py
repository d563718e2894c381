"""Where a knowledge base lies on disk: the folder with `kb.toml`, its sessions, its index and its site."""

import os
from pathlib import Path
from typing import NamedTuple

from kb.errors import InputError, Location, UsageError
from kb.expressions import late

CONFIG = "kb.toml"
#: They end up as links, in pages, rules and annotations: nothing that is a script, or that ends the link early.
_ADDRESSES = ("site_url", "repository", "edit_url")
_ADDRESS = late(r"https?://[^\s\"'<>\\^`{|}\x00-\x1f\x7f-\x9f]+")


# A prompt asks for the session one is in before each command: dataclasses would cost it more than all the rest.
class Home(NamedTuple):
    """A knowledge base: its folder and what `kb.toml` says of it."""

    root: Path
    name: str = "kb runbook"
    site_url: str = ""
    repository: str = ""
    #: Where a record is edited, with `{path}` for its file; "" takes it from `repository`.
    edit_url: str = ""
    #: What is taken out before anything is stored: kb/capture/redaction/policy.py reads the two.
    redaction: str = ""
    redaction_off: str = ""

    @property
    def sessions(self) -> Path:
        """The folder of session records."""
        return self.root / "sessions"

    @property
    def decisions(self) -> Path:
        """The folder of what people decided about signatures; it need not exist."""
        return self.root / "decisions"

    @property
    def index(self) -> Path:  # type: ignore[override]  # what a tuple means by it is of no use here
        """The derived index; deleting it loses nothing."""
        return self.root / ".kb" / "index.sqlite"

    @property
    def public(self) -> Path:
        """The folder that `kb site build` writes."""
        return self.root / "public"


#: Said of a file or folder of a knowledge base that `leads_out`.
LEADS_OUT = "is or lies behind a link that leads out of the knowledge base, and is not read"


def leads_out(home: Home, path: Path) -> bool:
    """Whether a file or folder named as one of `home` lies elsewhere, by way of a link.

    A knowledge base may be anybody's: a link in it must not bring files of the reader's machine into the index, the
    site or a record.
    """
    if _without_links(os.fspath(home.root), os.fspath(path)):
        return False
    root = os.path.realpath(home.root)
    real = os.path.realpath(path)
    return real != root and not real.startswith(root.rstrip(os.sep) + os.sep)


def _without_links(root: str, path: str) -> bool:
    """Whether nothing on the way from `root` down to `path` is a link: to see that is a fraction of resolving both.
    Where there are links of more kinds than one (Windows), that is not seen."""
    root = f"{root.rstrip(os.sep)}{os.sep}"
    if os.name != "posix" or not path.startswith(root):
        return False
    at = root.rstrip(os.sep)
    for name in path.removeprefix(root).split(os.sep):
        at = f"{at}{os.sep}{name}"
        if name in ("", os.pardir) or os.path.islink(at):
            return False
    return True


def here() -> Path | None:
    """The working directory; None when it was removed."""
    try:
        return Path.cwd()
    except OSError:
        return None


def find_home(start: Path | None = None, *, settings: bool = True) -> Home | None:
    """The knowledge base that `start` (default: `$KB_HOME`, else the working directory) lies in, or None.

    Raises UsageError when there is no such folder; a working directory that is gone lies in none.

    Without `settings`, `kb.toml` is found but not read: commands that only look things up start faster.
    """
    named_by = ""
    if start is None:
        start, named_by = Path(os.environ.get("KB_HOME") or "."), " that KB_HOME names"
    if not os.path.isabs(start) and here() is None:
        return None
    if not start.is_dir():
        raise UsageError(f"the folder {start}{named_by} does not exist", hint="name one that holds a knowledge base")
    start = start.resolve()
    for folder in (start, *start.parents):
        if (folder / CONFIG).is_file():
            return read_home(folder) if settings else Home(folder)
    return None


def need_home(start: Path | None = None, *, settings: bool = True) -> Home:
    """Like `find_home`, but a missing knowledge base is an error that says what to do."""
    home = find_home(start, settings=settings)
    if home is None and here() is None:
        raise UsageError("the working directory is gone", hint="change to one that exists")
    if home is None:
        named = os.environ.get("KB_HOME")
        where = start if start is not None else f"the folder {named} that KB_HOME names," if named else "."
        raise UsageError(
            f"no {CONFIG} in {where} or above it",
            hint="run `kb init` to make a knowledge base here, or name one with `--kb DIR`",
        )
    return home


def read_home(root: Path) -> Home:
    """The knowledge base in `root`, whose `kb.toml` must be there and well-formed."""
    import tomllib  # not needed to look things up, and start-up counts

    path = root / CONFIG
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {CONFIG}: {error.strerror}", location=Location(str(path))) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{CONFIG} is not valid TOML: {error}", location=Location(str(path))) from error
    known = {"name", "site_url", "repository", "edit_url", "redaction", "redaction_off"}
    values: dict[str, str] = {}
    for key, value in table.items():
        if key not in known:
            raise InputError(
                f"unknown key {key!r} in {CONFIG}",
                location=Location(str(path)),
                hint="known: " + ", ".join(sorted(known)),
            )
        if not isinstance(value, str):
            raise InputError(f"{key} in {CONFIG} must be a string", location=Location(str(path)))
        if key in _ADDRESSES and value and not _ADDRESS.fullmatch(value.replace("{path}", "path")):
            hint = "an address of the web, such as https://kb.example/runbook/"
            raise InputError(f"{key} in {CONFIG} is no address", location=Location(str(path)), hint=hint)
        values[key] = value
    return Home(root=root, **values)
