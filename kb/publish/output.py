"""The folder that is published: made beside the old one and exchanged with it, so that nobody sees half of a site.

Of a change that leaves most files as they are only these few are made, and moved to their places one by one: linking
and deleting all others would take longer than all else.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from kb.errors import Location, SiteError

#: The file that says a folder is a site kb built, and by what each page was made.
MANIFEST = ".kb-site.json"
#: Of so many files that stay as they are, one may be new for a site to be changed in its place.
SHARE = 4
#: The entry of the whole site in it; no file has such a name.
_WHOLE = ""
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


@dataclass(slots=True)
class Output:
    """A site in the making: `folder` is what will be published, `old` what is published now.

    Files may be hard links to those of `old`, so they are replaced, never written into.
    """

    folder: Path
    old: Path
    before: Mapping[str, str]
    keys: dict[str, str] = field(default_factory=dict)
    written: int = 0
    #: What the whole site was made by, and its number of pages.
    stamp: str = ""
    #: Files that stay as they are, and are not in `folder` yet.
    _left: set[str] = field(default_factory=set)
    #: The folders that are known to be there, below `folder`.
    _made: set[str] = field(default_factory=set)
    _there: frozenset[str] | None = None

    def reuse(self, name: str, key: str) -> bool:
        """Take file `name` over from the old site when it was made by the same `key`; say whether that was so."""
        if self.before.get(name) != key or not self._is_there(name):
            return False
        if name in self.keys and name not in self._left:
            os.unlink(self._place(name))
        self.keys[name] = key
        self._left.add(name)
        return True

    def link(self, name: str, source: Path, key: str) -> None:
        """Take file `name`, made by `key`, over from elsewhere."""
        if not self.reuse(name, key) and link_or_copy(source, self._place(name)):
            self.keys[name] = key

    def write(self, name: str, text: str | bytes, key: str) -> None:
        """Write the file `name`, made by `key`; one that says what it said before is taken over."""
        path, content = self._place(name), text if isinstance(text, bytes) else text.encode("utf-8", "replace")
        self.keys[name] = key
        self._left.discard(name)
        if name in self.before and _holds(f"{self.old}/{name}", content) and link_or_copy(f"{self.old}/{name}", path):
            return
        try:
            file = os.open(path, _NEW, 0o666)
        except FileExistsError:
            os.unlink(path)
            file = os.open(path, _NEW, 0o666)
        try:
            while content:
                content = content[os.write(file, content) :]
        finally:
            os.close(file)
        self.written += 1

    def adopt(self, name: str, key: str) -> None:
        """Note the file `name`, which another process has written into `folder`."""
        self.keys[name] = key
        self._left.discard(name)

    def write_text(self, name: str, text: str) -> None:
        """Write the file `name`, made by nothing but its text, unless it is there already."""
        key = text_key(text)
        if not self.reuse(name, key):
            self.write(name, text, key)

    def keep(self, name: str) -> None:
        """Take file `name` over from the old site, where it is."""
        if not self.reuse(name, self.before.get(name, "")):
            raise SiteError("a file of the site vanished while it was built again", location=Location(name))

    def pages(self) -> set[str]:
        """The address of each page from the site's root: a folder and a slash, "" of the home page."""
        there = (path.relative_to(self.folder).as_posix() for path in self.folder.rglob("index.html"))
        return {name.removesuffix("index.html") for name in (*there, *self.keys) if name.endswith("index.html")}

    def complete(self) -> None:
        """Bring the files that stay as they are into `folder`."""
        for name in sorted(self._left):
            if not link_or_copy(f"{self.old}/{name}", self._place(name)):
                raise SiteError("a file of the site vanished while it was built again", location=Location(name))
        self._left.clear()

    def publish(self) -> None:
        """Put what was made in the place of the old site."""
        made = self.keys.keys() - self._left
        manifest = json.dumps({**self.keys, _WHOLE: self.stamp}, separators=(",", ":"), sort_keys=True)
        if SHARE * len(made) < len(self._left):
            self._change(made, manifest)
            return
        self.complete()
        (self.folder / MANIFEST).write_text(manifest, "utf-8")
        umask = os.umask(0)
        os.umask(umask)
        self.folder.chmod(0o777 & ~umask)
        _exchange(self.folder, self.old)

    def _change(self, made: Collection[str], manifest: str) -> None:
        """Change the old site where it is. The keys of what is about to change are struck from its manifest first:
        should this be cut short, the next build makes these files again, or deletes those that are no more."""
        gone = [name for name in self.before if name not in self.keys and name != _WHOLE]
        kept = {name: key for name, key in self.before.items() if name != _WHOLE}
        self._replace_manifest(json.dumps({**kept, **dict.fromkeys(made, "")}, separators=(",", ":")))
        for name in sorted(made, key=lambda one: (one.endswith(".html"), one)):
            target = self.old / name
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(self.folder / name, target)
        for name in gone:
            target = self.old / name
            target.unlink(missing_ok=True)
            with suppress(OSError):  # the folder is not empty
                target.parent.rmdir()
        self._replace_manifest(manifest)

    def _replace_manifest(self, text: str) -> None:
        (self.folder / MANIFEST).write_text(text, "utf-8")
        os.replace(self.folder / MANIFEST, self.old / MANIFEST)

    def _is_there(self, name: str) -> bool:
        """Whether the old site has the file `name`."""
        if self._there is None:
            start = len(f"{self.old}/")
            found = (f"{folder}/{one}"[start:] for folder, _, names in os.walk(self.old) for one in names)
            self._there = frozenset(found)
        return name in self._there

    def _place(self, name: str) -> str:
        """The path of the file `name`, whose folder is there."""
        folder, _, _ = name.rpartition("/")
        if folder not in self._made:
            try:
                os.mkdir(f"{self.folder}/{folder}")
            except OSError:  # it is there, or the one above it is not
                os.makedirs(f"{self.folder}/{folder}", exist_ok=True)
            self._made.add(folder)
        return f"{self.folder}/{name}"


@dataclass(frozen=True, slots=True)
class Before:
    """The files in a folder of the site built before that were made by nothing but their text."""

    output: Output
    folder: str

    def there(self, name: str) -> bool:
        """Whether the file was written before, not struck by a build that was cut short, and is still there."""
        return bool(self.output.before.get(self.folder + name)) and (self.output.old / (self.folder + name)).is_file()

    def same(self, name: str, text: str) -> bool:
        """Whether the file is there and has this text."""
        return self.output.before.get(self.folder + name) == text_key(text) and self.there(name)

    def text(self, name: str) -> str | None:
        """The text of the file; None when it is not there, or not as it was written."""
        if not self.there(name):
            return None
        text = (self.output.old / (self.folder + name)).read_bytes().decode("utf-8", "replace")
        return text if self.same(name, text) else None


def text_key(text: str) -> str:
    """The key of a file that is made by nothing but its text."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:20]


def _holds(path: str, content: bytes) -> bool:
    """Whether the file at `path` is there and holds just `content`."""
    try:
        if os.stat(path).st_size != len(content):
            return False
        with open(path, "rb") as stream:
            return stream.read() == content
    except OSError:
        return False


def link_or_copy(source: str | Path, target: str | Path) -> bool:
    """Make `target`, whose folder is there, the same file as `source`, by a link where the file system can; False when
    there is no source."""
    try:
        os.link(source, target)
    except FileNotFoundError:
        return False
    except FileExistsError:
        # It may be a link itself, and copying would write into what it leads to.
        os.unlink(target)
        return link_or_copy(source, target)
    except OSError:
        try:
            shutil.copyfile(source, target)
        except FileNotFoundError:
            return False
    return True


@contextmanager
def replacing(out: Path) -> Iterator[Output]:
    """A new folder for what takes the place of `out` when the block ends well, and vanishes when it does not.

    Raises `SiteError` when `out` holds something that kb did not build: it will not be deleted.
    """
    before = _manifest(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix=f".{out.name}.new-", dir=out.parent))
    try:
        output = Output(new, out, before)
        yield output
        output.publish()
    finally:
        shutil.rmtree(new, ignore_errors=True)


def unchanged(out: Path, stamp: str) -> int:
    """The number of pages of the site in `out` if it was made by `stamp` and is still whole, else 0.

    Raises `SiteError` when `out` holds something that kb did not build.
    """
    kept = _manifest(out)
    made, _, pages = kept.get(_WHOLE, "").partition(" ")
    if made != stamp or not pages.isdecimal():
        return 0
    there = {f"{folder}/{name}" for folder, _, names in os.walk(out) for name in names}
    whole = all(f"{out}/{name}" in there for name in kept if name)
    return int(pages) if whole and f"{out}/index.html" in there else 0


def _manifest(out: Path) -> Mapping[str, str]:
    if not out.exists():
        return {}
    try:
        kept = json.loads((out / MANIFEST).read_text("utf-8"))
        return {str(name): str(key) for name, key in kept.items()}
    except FileNotFoundError:
        if out.is_dir() and not any(out.iterdir()):
            return {}
        raise SiteError(
            "this folder holds something other than a site that kb built",
            location=Location(str(out)),
            hint="name another folder, or empty this one yourself",
        ) from None
    except (ValueError, AttributeError, NotADirectoryError):
        return {} if out.is_dir() else _not_a_folder(out)


def _not_a_folder(out: Path) -> Mapping[str, str]:
    raise SiteError("this is a file, not a folder", location=Location(str(out)))


def _exchange(new: Path, out: Path) -> None:
    """Put `new` in the place of `out`; if the second of the two moves fails, the old one goes back."""
    if not out.exists():
        os.rename(new, out)
        return
    grave = Path(tempfile.mkdtemp(prefix=f".{out.name}.old-", dir=out.parent))
    try:
        os.rename(out, grave / "site")
        try:
            os.rename(new, out)
        except OSError:
            os.rename(grave / "site", out)
            raise
    finally:
        shutil.rmtree(grave, ignore_errors=True)
