"""Tracebacks as notebooks print them, in the forms of several releases of IPython."""

from __future__ import annotations

import pytest

from kb.failures.find import find_failures

_RULE = "-" * 75 + "\n"
_OLD = """\
KeyError                                  Traceback (most recent call last)
<ipython-input-3-0b1> in <module>
      1 import helper
----> 2 helper.total({"a": 1})

~/work/helper.py in total(row)
      3 def total(row):
----> 4     return row["net"]

KeyError: 'net'
"""
_NEWER = """\
KeyError                                  Traceback (most recent call last)
Input In [2], in <cell line: 1>()
----> 1 helper.total({"a": 1})

File ~/work/helper.py:4, in total(row)
      3 def total(row):
----> 4     return row["net"]

KeyError: 'net'
"""
_NEW = _NEWER.replace("Input In [2], in <cell line: 1>()", "Cell In[2], line 1")


@pytest.mark.parametrize("printed", [_OLD, _NEWER, _NEW], ids=["5", "8", "9"])
def test_a_cell_s_traceback_is_one_failure_with_the_call_that_failed(printed: str) -> None:
    found = find_failures(_RULE + printed)
    (failure,) = found.failures
    assert (failure.type, failure.message) == ("KeyError", "'net'")
    assert [(frame.function, frame.line) for frame in failure.frames][-1] == ("total", 4)


def test_the_exception_that_quotes_a_cell_s_traceback_is_its_wrapper() -> None:
    log = (
        "Traceback (most recent call last):\n"
        '  File "/opt/venv/lib/python3.11/site-packages/nbclient/client.py", line 918, in _check_raise_for_error\n'
        "    raise CellExecutionError.from_cell_and_msg(cell, exec_reply_content)\n"
        "nbclient.exceptions.CellExecutionError: An error occurred while executing the following cell:\n"
        "------------------\n" + "x = 1\n" * 30 + "------------------\n\n" + _RULE + _NEW
    )
    found = find_failures(log)
    assert [(f.role, f.type.rsplit(".", 1)[-1]) for f in found.failures] == [
        ("wrapper", "CellExecutionError"),
        ("root", "KeyError"),
    ]
