"""The shape of the code: small modules, short functions, one place that prints, names that say something."""

from __future__ import annotations

import ast
import inspect
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

from kb import api

PACKAGE = Path(__file__).resolve().parent.parent / "kb"
MODULES = sorted(PACKAGE.rglob("*.py"))

Function = ast.FunctionDef | ast.AsyncFunctionDef


def tree(module: Path) -> ast.Module:
    return ast.parse(module.read_text("utf-8"), str(module))


def functions(module: Path) -> Iterator[Function]:
    return (node for node in ast.walk(tree(module)) if isinstance(node, Function))


def code_lines(function: Function, source: list[str]) -> int:
    """The lines of a function's body that hold code: no docstring, no comment, no blank line."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    if not body:
        return 0
    lines = source[body[0].lineno - 1 : function.end_lineno]
    return sum(1 for line in lines if line.strip() and not line.strip().startswith("#"))


def relative(module: Path) -> str:
    return str(module.relative_to(PACKAGE.parent))


def test_modules_are_small() -> None:
    lengths = {relative(module): len(module.read_text("utf-8").splitlines()) for module in MODULES}
    assert {name: lines for name, lines in lengths.items() if lines > 400} == {}
    assert statistics.median(lines for lines in lengths.values() if lines) <= 130


@pytest.mark.parametrize("module", MODULES, ids=relative)
def test_functions_are_short(module: Path) -> None:
    source = module.read_text("utf-8").splitlines()
    lengths = {function.name: code_lines(function, source) for function in functions(module)}
    assert {name: lines for name, lines in lengths.items() if lines > 50} == {}


def test_no_module_is_a_drawer_for_everything() -> None:
    drawers = {"utils", "util", "helpers", "helper", "common", "misc", "base", "core", "tools"}
    assert [relative(m) for m in MODULES if m.stem in drawers or m.parent.name in drawers] == []


def test_the_files_of_packages_are_empty() -> None:
    full = [relative(m) for m in MODULES if m.name == "__init__.py" and m.parent != PACKAGE and m.read_text().strip()]
    assert full == []


def test_only_the_command_line_prints_and_exits() -> None:
    for module in MODULES:
        if module.parent.name == "cli":
            continue
        for node in ast.walk(tree(module)):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert called not in {"print", "sys.exit", "exit", "os._exit", "input"}, f"{relative(module)}: {called}"


def test_one_place_catches_everything() -> None:
    broad = [
        relative(module)
        for module in MODULES
        for node in ast.walk(tree(module))
        if isinstance(node, ast.ExceptHandler) and (node.type is None or ast.unparse(node.type) == "Exception")
    ]
    assert broad == ["kb/cli/main.py"]


@pytest.mark.parametrize("module", MODULES, ids=relative)
def test_what_is_public_is_described(module: Path) -> None:
    parsed = tree(module)
    if not parsed.body:
        return
    assert ast.get_docstring(parsed), "the module has no docstring"
    for node in parsed.body:
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node), f"{node.name} has no docstring"


def test_at_most_twenty_names_are_public_and_each_is_described() -> None:
    assert len(api.__all__) <= 20
    assert sorted(api.__all__) == list(api.__all__)
    for name in api.__all__:
        value = getattr(api, name)
        assert inspect.getdoc(value), f"{name} has no docstring"
        # A reader of the code and a reader of the documentation find the name in the same module.
        assert value.__module__ == api._DEFINED_IN[name]


def test_an_unknown_public_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        _ = api.nonsense
    assert dir(api) == sorted(api.__all__)
