"""Templates as kb compiles them: the same bytes as Jinja2's own, whatever is written."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from jinja2 import Environment, StrictUndefined, UndefinedError, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from kb.runbook.rendering import FastEnvironment

_TEMPLATE = """
{% macro shown(one, more="") %}<b>{{ one }}{{ more }}</b>{% endmacro %}
{% macro any(one) %}{{ one }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ any("<1>", "<2>", three="<3>") }}{{ any("<4>") }}
{% macro around(one) %}<p>{{ one }}{{ caller() }}</p>{% endmacro %}
{% for one in each %}{{ one }} {{ shown(one) }} {{ shown(one, more="<&>") }} {{ loop.index }}{{ said(one) }}
{{ one ~ "<" }} {{ knows() }} {{ part("<x>") }} {{ loop.cycle("<a>", "b") }}{% endfor %}
{% set kept %}<i>{{ each[0] }}</i>{% endset %}{{ kept }}{% call around("<c>") %}<u>{{ each[1] }}</u>{% endcall %}
{% autoescape false %}{{ each[1] }}{% endautoescape %}{% filter upper %}{{ each[1] }}{% endfilter %}{{ made("<q>") }}
"""


class Shown:
    """Something with a text, and with HTML of its own."""

    def __str__(self) -> str:
        return "<text>"

    def __html__(self) -> str:
        return "<em>own</em>"


class Text(str):
    """A text of another type."""


@pass_context
def knows(context: Context) -> str:
    """What is asked of the context."""
    return f"<{len(context['each'])}>"


def rendered(kind: type[Environment]) -> str:
    environment = kind(autoescape=True, undefined=StrictUndefined)
    values: dict[str, Any] = {
        "each": [Markup("<b>safe</b>"), "<script>&'\"", Text("<sub>"), 3, 2.5, None, True, Shown(), ["<"], ""],
        "said": lambda one: f"<{one}>",
        "knows": knows,
        "part": partial(str.format, "<{}>"),
        "made": Markup,
    }
    return environment.from_string(_TEMPLATE).render(**values)


def test_what_is_written_is_escaped_as_jinja_escapes_it() -> None:
    assert rendered(FastEnvironment) == rendered(Environment)
    assert "<script>&'" in rendered(FastEnvironment)  # where the template turned it off, and only there
    assert rendered(FastEnvironment).count("<script>") == 1


@pytest.mark.parametrize("template", ["{{ no_such }}", "{{ no_such() }}", "{{ one.no_such }}"])
def test_what_is_not_there_is_an_error(template: str) -> None:
    environment = FastEnvironment(autoescape=True, undefined=StrictUndefined)
    with pytest.raises(UndefinedError, match="no_such"):
        environment.from_string(template).render(one=3)
