"""The option `--with NAME=VERSION`: what the reader has, by which fixes are judged."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

from kb.expressions import late

F = TypeVar("F", bound=Callable[..., object])

_GIVEN = late(r"([A-Za-z][\w.-]*?)\s*(?:==?|:)\s*[vV]?([0-9][\w.+!-]*)")


def with_option(command: F) -> F:
    """Give `command` the option; it gets `versions`, a mapping of components to versions."""
    return click.option(
        "--with",
        "versions",
        multiple=True,
        metavar="NAME=VERSION",
        callback=_read,
        help="A version that you have (vllm=0.15.1); repeatable. Fixes are judged by it.",
    )(command)


def _read(ctx: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    versions: dict[str, str] = {}
    for text in given:
        found = _GIVEN.fullmatch(text.strip())
        if found is None:
            raise click.BadParameter(f"{text!r} is not NAME=VERSION, such as vllm=0.15.1", ctx, parameter)
        versions[found.group(1)] = found.group(2)
    return versions
