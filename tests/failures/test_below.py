"""What an error line goes on with: deeper lines, a list behind a colon, the diff of a style check."""

from __future__ import annotations

import pytest

from kb.failures.below import below


@pytest.mark.parametrize(
    ("log", "more"),
    [
        ("ERROR: unsatisfiable constraints:\n  libfoo (missing):\n    required by: world\nnext", 2),
        ("ERROR: these files have no licence:\n\n* rows.py\n* store.py\n\nsummary", 2),
        ("ERROR: rows.py Imports are incorrectly sorted.\n--- rows.py\n+++ rows.py\n@@ -1 +1 @@\n-b\n+a\nnext", 5),
        ("ERROR: no such volume\nstopped", 0),
        ("ERROR: these are wrong:\n$ make again\n", 0),
        ("ERROR: the last line", 0),
    ],
)
def test_what_goes_on_below_an_error_line(log: str, more: int) -> None:
    lines = log.split("\n")
    found = below(lines, 1)
    assert len(found) == more
    assert all(lines[number - 1].strip() for number in found)
