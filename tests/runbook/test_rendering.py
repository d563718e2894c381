"""Templates as kb compiles them: the same bytes as Jinja2's own, whatever is written."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from jinja2 import DictLoader, Environment, StrictUndefined, UndefinedError, pass_context
from jinja2.runtime import Context
from markupsafe import Markup
from runbook_factory import small_knowledge

from kb.runbook.library import make_library
from kb.runbook.pages import drafts
from kb.runbook.rendering import FastEnvironment
from kb.runbook.templating import Templates

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


def rendered(kind: type[Environment], *, direct: bool = False) -> str:
    environment = kind(autoescape=True, undefined=StrictUndefined, loader=DictLoader({"page": _TEMPLATE}))
    values: dict[str, Any] = {
        "each": [Markup("<b>safe</b>"), "<script>&'\"", Text("<sub>"), 3, 2.5, None, True, Shown(), ["<"], ""],
        "said": lambda one: f"<{one}>",
        "knows": knows,
        "part": partial(str.format, "<{}>"),
        "made": Markup,
    }
    if direct:
        assert isinstance(environment, FastEnvironment)
        return environment.render("page", **values)
    return environment.get_template("page").render(**values)


def test_what_is_written_is_escaped_as_jinja_escapes_it() -> None:
    assert rendered(FastEnvironment) == rendered(FastEnvironment, direct=True) == rendered(Environment)
    assert "<script>&'" in rendered(FastEnvironment)  # where the template turned it off, and only there
    assert rendered(FastEnvironment).count("<script>") == 1


@pytest.mark.parametrize("template", ["{{ no_such }}", "{{ no_such() }}", "{{ one.no_such }}"])
def test_what_is_not_there_is_an_error(template: str) -> None:
    environment = FastEnvironment(autoescape=True, undefined=StrictUndefined)
    with pytest.raises(UndefinedError, match="no_such"):
        environment.from_string(template).render(one=3)


_ASKED = """{% import "macros" as m %}{{ m.shown(one.kept) }}{{ one.count }}{{ one.items() | length }}
{{ one.other is defined }}{{ one.other | default("<none>") }}{% for each in one.many %}{{ each.if }}{% endfor %}"""
_MACROS = "{% macro shown(text) %}<b>{{ text }}</b>{% endmacro %}"


def test_what_is_an_item_and_no_attribute_is_found_too() -> None:
    one = {"kept": "<x>", "count": 3, "many": [{"if": "&"}]}
    said = []
    for kind in (Environment, FastEnvironment):
        environment = kind(autoescape=True, loader=DictLoader({"page": _ASKED, "macros": _MACROS}))
        if isinstance(environment, FastEnvironment):
            said += [environment.render("page", one=one), environment.render("page", one=one)]
        else:
            said.append(environment.get_template("page").render(one=one))
    assert len(set(said)) == 1
    assert "<b>&lt;x&gt;</b>3" in said[0]


@pytest.mark.parametrize("template", ["{{ no_such }}", "{{ one.no_such }}", "{{ one.no_such.more }}"])
def test_what_is_not_there_is_an_error_on_a_page(template: str) -> None:
    environment = FastEnvironment(undefined=StrictUndefined, loader=DictLoader({"page": template}))
    for _ in range(2):
        with pytest.raises(UndefinedError, match="no_such"):
            environment.render("page", one=3)


def test_the_shipped_pages_ask_for_attributes_only() -> None:
    """Or else each of them would be made twice."""
    knowledge, records = small_knowledge()
    templates = Templates(None, knowledge.sessions.keys())
    assert len([one.render() for one in drafts(make_library(knowledge, records), templates)]) > 10
    assert templates._environment._indirect == set()
