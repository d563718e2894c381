"""How the templates are compiled: as Jinja2 does, but for what costs most in a site of many thousand pages.

A page is some hundred small texts. Jinja2 makes a safe string of each before it joins them, and looks at each function
in a template for what it may want to be given; here a text is escaped once, and functions that want nothing are called.
"""

from __future__ import annotations

from functools import lru_cache, partial
from types import FunctionType, MethodType
from typing import Any

import markupsafe
from jinja2 import Environment, Template
from jinja2.compiler import CodeGenerator, Frame
from jinja2.nodes import Expr
from jinja2.runtime import Context, Macro
from markupsafe import Markup, escape

#: The part of `escape` that works on a text, where this version of MarkupSafe has one.
_INNER: Any = getattr(markupsafe, "_escape_inner", None)
#: What is called at once.
_CALLED = frozenset({Macro, FunctionType, MethodType, partial, type(lru_cache(escape))})
#: The name by which the compiled templates know `escaped`.
_NAME = "kb_escaped"


def escaped(value: object) -> str:
    """`value` as it stands in a page: as `escape` makes it, but a plain text where the template only writes it."""
    kind = type(value)
    if kind is Markup:
        return value  # type: ignore[return-value]
    return _INNER(value) if kind is str and _INNER is not None else escape(value)


class _Context(Context):
    """Calls macros and functions without asking what else they could be."""

    def call(self, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """What calling an object in a template gives."""
        kind = type(obj)
        if kind not in _CALLED or getattr(obj, "jinja_pass_arg", None) is not None:
            return super().call(obj, *args, **kwargs)
        kwargs.pop("_block_vars", None)
        kwargs.pop("_loop_vars", None)
        return obj(self.eval_ctx, *args, **kwargs) if kind is Macro else obj(*args, **kwargs)


class _Generator(CodeGenerator):
    """Writes `escaped` around what is written where autoescape is on for good."""

    def _output_child_pre(self, node: Expr, frame: Frame, finalize: Any) -> None:
        if frame.eval_ctx.volatile or not frame.eval_ctx.autoescape:
            super()._output_child_pre(node, frame, finalize)
            return
        self.write(f"environment.{_NAME}(")
        if finalize.src is not None:
            self.write(finalize.src)


class FastEnvironment(Environment):
    """An environment whose templates render to the same bytes in less time; they are not looked for again."""

    code_generator_class = _Generator
    context_class = _Context
    kb_escaped = staticmethod(escaped)

    def __init__(self, **options: Any) -> None:
        self._found: dict[Any, Template] = {}
        super().__init__(**options)

    def get_template(self, name: Any, parent: str | None = None, globals: Any = None) -> Template:  # noqa: A002 - as in the base
        """The template of this name; a page asks for one for each part of it."""
        found = self._found.get(name) if globals is None else None
        if found is None:
            found = super().get_template(name, parent, globals)
            if globals is None:
                self._found[name] = found
        return found
