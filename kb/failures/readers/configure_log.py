"""The log of a configure script (`config.log`): what a trial printed is an answer, unless the script gave up on it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, claimed
from kb.failures.streams import Stream

NAME = "configure-log"
ABOUT = "config.log of configure scripts: trials that may fail"
EXAMPLE = """\
configure:3573: checking for fail in -lnosuch
configure:3596: gcc -o conftest -g -O2   conftest.c -lnosuch   >&5
/usr/bin/ld: cannot find -lnosuch: No such file or directory
collect2: error: ld returned 1 exit status
configure:3596: $? = 1
configure: failed program was:
configure:3604: result: no
configure:3611: checking for strerror
"""

_STEP = re.compile(r"configure:\d{1,7}: (?P<what>.*)")
_TRIAL = " >&5"
#: A trial says at most so much; behind that its end was lost.
_LONGEST = 2_000


def read(lines: Stream) -> Iterator[Find]:
    """One harmless find per trial: it claims its lines before every other reader does."""
    pending: list[Find] = []
    begin = -1
    for index, line in enumerate(lines):
        if (step := _STEP.match(line.text)) is None:
            continue
        what = step["what"]
        if what.endswith(_TRIAL):
            begin = index
        elif what.startswith("$? = ") and begin >= 0 and index - begin <= _LONGEST:
            why = "a configure script tried whether this works"
            pending.append(claimed(NAME, "build", "trial", what, line, lines[begin : index + 1], why))
            begin = -1
        elif what.startswith("error: "):
            pending = []  # since the last check: what it gives up on
        elif what.startswith("checking "):
            yield from pending
            pending = []
    yield from pending
