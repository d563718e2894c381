"""A JUnit report with what kb knows of each failed test: properties `kb.id`, `kb.verdict`, `kb.fix`, `kb.url`."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree

from kb.errors import InputError, Location
from kb.triage.annotations import Annotation

_FAILED = ("failure", "error")


def annotate(data: bytes, source: str, triaged: Callable[[str], Annotation | None]) -> tuple[bytes, int]:
    """The report `data` with properties for its failed tests, and how many were given some.

    `triaged` answers for the text of one test. Raises InputError when `data` is no such report; a document type is
    refused, since entities can make a small file huge.
    """
    if b"\0" in data:
        raise InputError("is not UTF-8 text", location=Location(source))
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise InputError("has a document type, which no JUnit report needs", location=Location(source))
    try:
        root = ElementTree.fromstring(data)  # noqa: S314 - without a document type there is nothing to expand
    except ElementTree.ParseError as error:
        raise InputError(f"is not XML: {error}", location=Location(source, error.position[0])) from error
    if root.tag not in ("testsuites", "testsuite"):
        raise InputError(f"is no JUnit report: it begins with <{root.tag}>", location=Location(source))
    count = 0
    for case in root.iter("testcase"):
        texts = [part for one in case if one.tag in _FAILED for part in (one.text or "", one.get("message", ""))]
        one = next((found for text in texts if text.strip() and (found := triaged(text)) is not None), None)
        if one is not None:
            _add(case, one)
            count += 1
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True), count


def _add(case: ElementTree.Element, one: Annotation) -> None:
    properties = case.find("properties")
    if properties is None:
        properties = ElementTree.Element("properties")
        case.insert(0, properties)
    for known in [old for old in properties if old.get("name", "").startswith("kb.")]:
        properties.remove(known)
    fix = next((line.removeprefix("Fix: ") for line in one.lines if line.startswith("Fix: ")), "")
    values = {"kb.id": one.id, "kb.verdict": one.verdict, "kb.fix": fix, "kb.url": one.url}
    for name, value in values.items():
        if value:
            ElementTree.SubElement(properties, "property", {"name": name, "value": value})
