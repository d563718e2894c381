"""The option `--with NAME=VERSION`: what the reader has, by which fixes are judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import click

from kb.errors import UsageError
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


def read_versions(given: Iterable[str]) -> dict[str, str]:
    """What was given as NAME=VERSION; raises UsageError for anything else."""
    versions: dict[str, str] = {}
    for text in given:
        found = _GIVEN.fullmatch(text.strip())
        if found is None:
            raise UsageError(f"{text!r} is not NAME=VERSION, such as vllm=0.15.1")
        versions[found.group(1)] = found.group(2)
    return versions


def _read(ctx: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    try:
        return read_versions(given)
    except UsageError as error:
        raise click.BadParameter(error.message, ctx, parameter) from error
