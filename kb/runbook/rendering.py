"""How the templates are compiled: as Jinja2 does, but for what costs most in a site of many thousand pages.

A page is some hundred small texts. Jinja2 makes a safe string of each before it joins them, and looks at each function
and each macro in a template for what it may want to be given; here a text is escaped once, and what wants nothing but
what stands in the parentheses is called with that. Where `a.b` is written, Jinja2 asks for the attribute, and then for
the item of that name; here a page is first made as though all were attributes.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from functools import cached_property, lru_cache, partial
from keyword import iskeyword
from types import FunctionType, MethodType
from typing import Any, TypeGuard

from jinja2 import Environment, Template
from jinja2.compiler import CodeGenerator, Frame, MacroRef
from jinja2.nodes import Call, Expr, Getattr
from jinja2.runtime import Context, Macro
from jinja2.utils import missing
from markupsafe import Markup, escape

from kb.runbook.visible import INNER, escape_text

#: The arguments by which Jinja2 hands on the variables of a loop and of a block.
_SCOPES = ("_loop_vars", "_block_vars")
_escape_text: Callable[[str], str] = INNER or escape_text


def escaped(value: object) -> str:
    """`value` as it stands in a page: as `escape` makes it, but a plain text where the template only writes it."""
    kind = type(value)
    if kind is str:
        return _escape_text(value)  # type: ignore[arg-type]
    return value if kind is Markup else escape(value)  # type: ignore[return-value]


class _Macro(Macro):
    """A macro that takes what it is given as it stands, unless there is more to it than that."""

    def __init__(self, like: Macro) -> None:
        self.__dict__.update(like.__dict__)
        more = like.catch_kwargs or like.catch_varargs or like.caller or not like._default_autoescape
        self._most = -1 if more else like._argument_count
        #: What stands for arguments that are not given, by the number of those that are.
        self._rest = [(missing,) * (like._argument_count - given) for given in range(like._argument_count + 1)]

    def __call__(self, *args: Any, **kwargs: Any) -> str:
        """What the macro writes."""
        if kwargs or len(args) > self._most:
            return super().__call__(*args, **kwargs)
        return Markup(self._func(*args, *self._rest[len(args)]))  # noqa: S704 - macros escape what they write

    def text(self, *args: Any) -> str:
        """What the macro writes, escaped, for a template that only writes it in its turn."""
        if len(args) > self._most:
            return escaped(super().__call__(*args))
        return self._func(*args, *self._rest[len(args)])


#: What is called at once.
_CALLED = frozenset({_Macro, FunctionType, MethodType, partial, type(lru_cache(escape))})


def called(context: Context, what: Any, *scopes: Any) -> Callable[..., Any]:
    """What is called for `what` in a template; `scopes` are the variables around, which only few functions ask for."""
    if type(what) in _CALLED and getattr(what, "jinja_pass_arg", None) is None:
        return what  # type: ignore[no-any-return]
    return partial(context.call, what, **dict(zip(_SCOPES, scopes, strict=False)))


class _Generator(CodeGenerator):
    """Writes `escaped` around what is written where autoescape is on for good, and calls what is `called`."""

    #: The variable that holds what is called, where it was looked up already.
    _known = ""

    def write_commons(self) -> None:
        super().write_commons()
        for name in ("kb_escaped", "kb_called", "kb_macro"):
            self.writeline(f"{name} = environment.{name}")

    def macro_def(self, macro_ref: MacroRef, frame: Frame) -> None:
        self.write("environment.kb_macro(")
        super().macro_def(macro_ref, frame)
        self.write(")")

    def visit_Call(self, node: Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: N802 - as in the base
        if forward_caller or not _is_simple(node, frame):
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.write("kb_called(context, ")
        known, self._known = self._known, ""
        if known:
            self.write(known)
        else:
            self.visit(node.node, frame)
        if frame.loop_frame or frame.block_frame:
            self.write(", _loop_vars" if frame.loop_frame else ", {}")
            self.write(", _block_vars" if frame.block_frame else "")
        self.write(")(")
        self._arguments(node, frame)

    def _arguments(self, node: Call, frame: Frame) -> None:
        for place, argument in enumerate(node.args):
            self.write(", " if place else "")
            self.visit(argument, frame)
        self.write(")")

    def _output_child_pre(self, node: Expr, frame: Frame, finalize: Any) -> None:
        if not _is_safe(frame):
            super()._output_child_pre(node, frame, finalize)
            return
        if _is_written(node, frame, finalize):
            known = self.temporary_identifier()
            self.write(f"({known}.text(")
            self._arguments(node, frame)
            self.write(f" if type({known} := ")
            self.visit(node.node, frame)
            self.write(") is kb_macro else ")
            self._known = known
        self.write("kb_escaped(")
        if finalize.src is not None:
            self.write(finalize.src)

    def _output_child_post(self, node: Expr, frame: Frame, finalize: Any) -> None:
        super()._output_child_post(node, frame, finalize)
        if _is_written(node, frame, finalize):
            self.write(")")


class _Direct(_Generator):
    """Takes all that is asked for by its name for an attribute: where it is none, that is an `AttributeError`."""

    def visit_Getattr(self, node: Getattr, frame: Frame) -> None:  # noqa: N802 - as in the base
        if not node.attr.isascii() or not node.attr.isidentifier() or iskeyword(node.attr):
            super().visit_Getattr(node, frame)
            return
        self.write("(")
        self.visit(node.node, frame)
        self.write(f").{node.attr}")


def _is_simple(node: Call, frame: Frame) -> bool:
    """Whether what is called is given no more than values, one after the other."""
    return not (node.kwargs or node.dyn_args or node.dyn_kwargs) and _is_safe(frame)


def _is_written(node: Expr, frame: Frame, finalize: Any) -> TypeGuard[Call]:
    """Whether a template writes what a simple call gives as it is."""
    return isinstance(node, Call) and finalize.src is None and _is_simple(node, frame)


def _is_safe(frame: Frame) -> bool:
    """Whether autoescape is on for good."""
    return frame.eval_ctx.autoescape and not frame.eval_ctx.volatile


class FastEnvironment(Environment):
    """An environment whose templates render to the same bytes in less time; they are not looked for again, and know
    what is global when they are first looked for.

    `compiled` keeps what was made of each source for environments with the same options and filters: a server builds
    its site again and again.
    """

    code_generator_class = _Generator
    kb_escaped = staticmethod(escaped)
    kb_called = staticmethod(called)
    kb_macro = _Macro

    def __init__(self, compiled: MutableMapping[object, Any] | None = None, **options: Any) -> None:
        self._found: dict[Any, Template] = {}
        self._compiled = {} if compiled is None else compiled
        #: Templates of pages in which something is asked for by its name that is no attribute.
        self._indirect: set[str] = set()
        super().__init__(**options)

    def render(self, name: str, **values: object) -> str:
        """What the template of this name makes of `values`: see `Template.render`."""
        if name not in self._indirect:
            try:
                return self._direct.get_template(name).render(values)
            except AttributeError:
                self._indirect.add(name)
        return self.get_template(name).render(values)

    @cached_property
    def _direct(self) -> FastEnvironment:
        """The same, but that all that is asked for by its name is taken for an attribute."""
        other = self.overlay()
        other._found = {}
        other.code_generator_class = _Direct
        return other

    def compile(self, source: Any, name: str | None = None, filename: str | None = None, *how: Any, **more: Any) -> Any:
        """The code of a template."""
        if how or more or not isinstance(source, str):
            return super().compile(source, name, filename, *how, **more)
        key = (self.code_generator_class, name, filename, source)
        if key not in self._compiled:
            self._compiled[key] = super().compile(source, name, filename)
        return self._compiled[key]

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """All that is global in a template: it is looked through for each part of a page, which a plain dict is made
        for."""
        return {**self.globals, **(d or {})}

    def get_template(self, name: Any, parent: str | None = None, globals: Any = None) -> Template:  # noqa: A002 - as in the base
        """The template of this name; a page asks for one for each part of it."""
        found = self._found.get(name) if globals is None else None
        if found is None:
            found = super().get_template(name, parent, globals)
            if globals is None:
                self._found[name] = found
        return found
