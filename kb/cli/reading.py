"""Reading a log from a file or standard input."""

from __future__ import annotations

import sys

from kb.cli.terminal import note
from kb.errors import InputError, Location


def read_input(name: str) -> bytes:
    """All bytes of the file `name`, of standard input for "-"; an `InputError` when it cannot be read."""
    if name == "-":
        if sys.stdin.isatty():
            note("reading the log from the terminal; end it with Ctrl-D")
        return sys.stdin.buffer.read()
    try:
        with open(name, "rb") as stream:
            return stream.read()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", location=Location(name)) from error
