"""Rules in the manner of thefuck: a Python function that looks for texts in a command's output. It is read, not run."""

from __future__ import annotations

import ast
from pathlib import PurePath

from kb.errors import InputError, Location
from kb.rules.drafts import Imported, Left
from kb.rules.importers.interface import Found, imported

NAME = "thefuck"
ABOUT = "rules in the manner of thefuck (Python with a function `match`), read as data"

_SEARCHES = frozenset({"search", "match", "findall"})


def knows(path: str, text: str) -> bool:
    """A Python file whose function `match` looks at an output."""
    return path.endswith(".py") and "def match(command" in text and ".output" in text


def read(path: str, text: str) -> Imported:
    """The texts and expressions, each enough alone, that `match` looks for in the output."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InputError(f"is no Python that can be read: {error}", location=Location(path)) from error
    name = PurePath(path).stem
    function = next((node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "match"), None)
    if function is None:
        return Imported((), (Left(name, 0, "it has no function `match`"),))
    reason = _together(function)
    found = [test for node in ast.walk(function) if (test := _test(node, name)) is not None]
    if reason or not found:
        return Imported((), (Left(name, function.lineno, reason or "it looks for no constant text"),))
    return imported(NAME, path, found)


def _together(function: ast.FunctionDef) -> str:
    """Why no single text decides: several are wanted at once, or one must be missing."""
    for node in ast.walk(function):
        if _test(node, "") is not None and "lower" in _methods(node):
            return "it ignores case, which not every engine can"
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.NotIn) and _output(node.comparators[0]):
            return "it wants a text to be missing, which a rule for one line cannot"
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            tests = sum(any(_test(inner, "") for inner in ast.walk(value)) for value in node.values)
            if tests > 1:
                return f"it wants {tests} texts at once, in any order"
    return ""


def _test(node: ast.AST, name: str) -> Found | None:
    """The test of the output that `node` is, if it is one for a constant text or expression."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.In):
        text = _text(node.left)
        if text is not None and _output(node.comparators[0]):
            return Found(name, text, node.lineno, plain=True)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _SEARCHES:
        text = _text(node.args[0]) if len(node.args) >= 2 else None
        if text is not None and _output(node.args[1]):
            return Found(name, text, node.lineno)
    return None


def _methods(node: ast.AST) -> set[str]:
    return {
        inner.func.attr
        for inner in ast.walk(node)
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute)
    }


def _text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _output(node: ast.expr) -> bool:
    """Whether `node` is the output of the command, in lower case or not."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
        node = node.func.value
    return isinstance(node, ast.Attribute) and node.attr in ("output", "stderr", "stdout")
