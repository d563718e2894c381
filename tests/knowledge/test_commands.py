"""What a shell line runs, whatever it is wrapped in."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.knowledge.commands import Named, changed, parse, split_console


@pytest.mark.parametrize(
    ("line", "runs"),
    [
        ("make -j8 all", ["make -j8 all"]),
        ("cd /srv && FOO=1 make", ["make"]),
        ("python3.12 -m pytest tests | tee log", ["python -m pytest tests"]),
        ("cat in.txt | python load.py", ["python load.py"]),
        ("make clean; make", ["make clean", "make"]),
        ("sudo -u root systemctl restart x", ["systemctl restart x"]),
        ("timeout -s INT -k 5 60 ./run.sh", ["run.sh"]),
        ("env -u A B=1 nohup ./serve &", ["serve"]),
        ("ssh -o A=b user@host -- ls /srv", ["ls /srv"]),
        ("ssh host 'cd /x; sudo ./serve --port 1'", ["serve --port 1"]),
        ("bash -lc 'python a.py'", ["python a.py"]),
        ("bash run.sh -c 3", ["bash run.sh -c 3"]),
        ("./a > out.log 2>&1 < in", ["a"]),
        ("for i in 1 2 3; do python a.py; done", ["python a.py"]),
        ("export A=1", []),
        ("# a remark", []),
        ("", []),
        ("echo 'unclosed", ["echo 'unclosed"]),
    ],
)
def test_a_line_is_reduced_to_what_it_runs(line: str, runs: list[str]) -> None:
    assert [" ".join([one.program, *one.arguments]) for one in parse(line)] == runs


def test_the_output_keeps_its_line_numbers() -> None:
    commands, output = split_console("$ a \\\n  --b\nout\n$ c\nmore\n")
    assert output == "\n\nout\n\nmore\n"
    assert [(one.program, one.arguments, one.line) for one in commands] == [("a", ("--b",), 0), ("c", (), 3)]


@pytest.mark.parametrize(
    ("before", "after", "difference"),
    [
        ("a --x 1 --y", "a --y --x 1", ()),
        ("a --x 1", "a --x=1", ()),
        ("a --x 1", "a --x 2", ("--x 1", "--x 2")),
        ("a b", "a b c", ("c",)),
        ("a", "b", None),
        ("a -n -1", "a -n -2", ("-n -1", "-n -2")),
    ],
)
def test_the_difference_of_two_runs_is_in_whole_options(before: str, after: str, difference: object) -> None:
    assert changed(parse(before)[0], parse(after)[0]) == difference


@pytest.mark.parametrize(
    ("text", "unit", "named"),
    [
        ("set `--max-len 4096`", "--max-len 8192", True),
        ("lower max_len", "--max-len 1", True),
        ("no expert parallel", "--enable-expert-parallel", True),
        ("use 4096", "--max-len 4096", True),
        ("use 14096", "--max-len 4096", False),
        ("it was the port", "--max-len 1", False),
        ("run b.py instead", "b.py", True),
        ("", "-x", False),
    ],
)
def test_a_fix_names_what_it_changes(text: str, unit: str, named: bool) -> None:
    assert (unit in Named(text)) is named


@given(st.text(max_size=200))
@settings(max_examples=300, deadline=None)
def test_any_text_can_be_split(body: str) -> None:
    _, output = split_console(body)
    assert output.count("\n") == body.count("\n")


def test_deep_nesting_and_long_lines_are_bounded() -> None:
    parse("ssh a " * 2000)
    parse("bash -c '" * 2000)
    parse("a" * 100_000 + " |" * 50_000)
