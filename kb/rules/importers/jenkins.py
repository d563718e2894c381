"""Jenkins Build Failure Analyzer's causes."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

from kb.errors import InputError, Location
from kb.rules.drafts import Imported, Left
from kb.rules.importers.interface import Found, Lines, imported

NAME = "jenkins"
ABOUT = "Jenkins Build Failure Analyzer causes (XML)"

_CAUSE = "com.sonyericsson.jenkins.plugins.bfa.model.FailureCause"
_LINE = "com.sonyericsson.jenkins.plugins.bfa.model.indication.BuildLogIndication"


def knows(path: str, text: str) -> bool:
    """The plugin's own file."""
    return "com.sonyericsson.jenkins.plugins.bfa" in text


def read(path: str, text: str) -> Imported:
    """Its causes, a draft for each indication of one line. A document type is refused: it could expand without end."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise InputError("has a document type, which this file needs none of", location=Location(path))
    try:
        root = ElementTree.fromstring(text)  # noqa: S314 - without a document type there is nothing to expand
    except ElementTree.ParseError as error:
        raise InputError(f"is not XML: {error}", location=Location(path, error.position[0])) from error
    return imported(NAME, path, _found(root, text))


def _found(root: ElementTree.Element, text: str) -> Iterator[Found | Left]:
    lines = Lines(text)
    for cause in root.iter(_CAUSE):
        name = cause.findtext("name") or cause.findtext("id") or ""
        line = lines.of(name)
        description = " ".join((cause.findtext("description") or "").split())
        for indication in cause.iterfind("indications/*"):
            pattern = indication.findtext("pattern") or ""
            if indication.tag == _LINE and pattern:
                yield Found(name, pattern, line, whole=True, note=description)
            else:
                yield Left(name, line, "an indication of several lines, and a rule reads one")
