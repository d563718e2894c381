"""A traceback that is a text of source code, as a search, a patch or documentation shows it, did not happen."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from kb.failures.find import find_failures

TRACE = r"Traceback (most recent call last):\n  File \"stock.py\", line 3, in load\n    x[k]\nKeyError: 7\n"
PRINTED = 'Traceback (most recent call last):\n  File "stock.py", line 3, in load\n    x[k]\nKeyError: 7\n'

SOURCES = {
    "a constant": f"import os\n\nEXPECTED = '{TRACE}'\n\n\ndef load():\n    return 1\n",
    "an assertion": f"def test_load():\n    out = load()\n    assert out == '{TRACE}'\n",
    "an argument": f"def test_load():\n    parse(\n        '{TRACE}',\n        strict=True,\n    )\n",
    "a call": f"def test_load():\n    lines = list(parse('{TRACE}'))\n    parser.feed('{TRACE}')\n    run(['x'], stderr='{TRACE}')\n",
    "a list": r"""LINES = ['Traceback (most recent call last):\n', '  File "a.py", line 3, in f\n', 'KeyError: 7\n']""",
    "a test in JavaScript": f'  it("reads", () => {{\n    const out = "{TRACE}";\n  }});\n',
    "documentation": f"Use it like this:\n\n```python\nlog = '{TRACE}'\n```\n",
    "a long text": f'EXPECTED = """\\\n{PRINTED}"""\n\n\ndef load(): ...\n',
    "a long text that begins at once": f'    def test_load(self):\n        expected = """{PRINTED}"""\n',
    "an indented text": '        expected = textwrap.dedent("""\n'
    + re.sub("(?m)^", " " * 12, PRINTED).rstrip(" ")
    + '        """)\n',
    "a page that a log holds": "[app] event: 'read'('index', ['Errors::\\n\\n    Traceback (most recent call last):\\n"
    '      File "a.py", line 1, in f\\n    ValueError: x\\n\'])\n',
    "an example of documentation": ">>> load()\nTraceback (most recent call last):\n    ...\nKeyError: 7\n>>> 1 + 1\n2\n",
}

PROGRAMS = {
    "a field of a line": f"2026-11-29 10:00:00 ERROR worker 3 failed: stderr=b'{TRACE}'\n",
    "a value": f"CompletedProcess(args=['x'], returncode=1, stdout='', stderr='{TRACE}')\n",
    "a dictionary": f"{{'returncode': 1,\n 'stderr': '{TRACE}'}}\n",
    "a variable that pytest shows": f"result     = '{TRACE}'\n",
    "a line with an indented field": f"    stderr: '{TRACE}'\n",
    "a text alone": f"'{TRACE}'\n",
    "a session of Python": f">>> load()\n{PRINTED}",
    "a traceback without its frames": "Traceback (most recent call last):\n  ...\nKeyError: 7\n",
}


@pytest.mark.parametrize("log", SOURCES.values(), ids=SOURCES.keys())
def test_a_text_in_source_code_is_no_failure(log: str) -> None:
    assert find_failures(log).failures == ()


@pytest.mark.parametrize("log", SOURCES.values(), ids=SOURCES.keys())
def test_nor_is_it_one_in_a_patch(log: str) -> None:
    added = [f"+{line}" for line in log.splitlines()]
    head = f"diff --git a/t.py b/t.py\n--- a/t.py\n+++ b/t.py\n@@ -0,0 +1,{len(added)} @@\n"
    assert find_failures(head + "\n".join(added) + "\n").failures == ()


@pytest.mark.parametrize("options", [["-n"], [], ["-n", "-A", "4"], ["-n", "-B", "2"]], ids=" ".join)
def test_nor_where_a_search_found_it(tmp_path: Path, options: list[str]) -> None:
    for place, log in enumerate(SOURCES.values()):
        (tmp_path / f"test_{place}.py").write_text(log, "utf-8")
    command = ["grep", "-r", *options, "Traceback (most recent", "."]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert found.count("Traceback (most recent") > len(SOURCES)
    assert find_failures(found).failures == ()


@pytest.mark.parametrize("log", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_what_a_program_printed_is_a_failure(log: str) -> None:
    found = find_failures(log)
    assert [failure.type for failure in found.failures] == ["KeyError"]
    assert found.primary == 0
