"""Logs made to harm: numbers without end, boxes without end, one record with thousands of failures, odd escapes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from operations import Counted

from kb.failures import large, many
from kb.failures.find import find_failures
from kb.failures.json_lines import unfold
from kb.failures.large import find_in
from kb.failures.lines import clean
from kb.failures.readers import rich_box
from kb.failures.streams import split_streams
from kb.signature.sign import sign

NUMBER = "9" * 5000
TOP = "╭─────── Traceback (most recent call last) ───────╮"
TRACEBACK = 'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    x()\nValueError: boom {}\n'


@pytest.mark.parametrize(
    "log",
    [
        f"│ Error: bad\n│\n│   on a.tf line {NUMBER}, in resource:\n╵",
        f"Error: bad\n\n  on a.tf line {NUMBER}:\n",
    ],
)
def test_a_number_of_thousands_of_digits_is_read_over(log: str) -> None:
    find_failures(log)


@pytest.mark.parametrize("path", sorted(Path("kb/failures/readers").glob("*.py")), ids=lambda p: p.stem)
def test_numbers_that_are_counted_with_have_a_bound(path: Path) -> None:
    text = path.read_text("utf-8")
    read_as_numbers = set(re.findall(r'int\(\w+\["(\w+)"\]', text))
    boundless = set(re.findall(r"\(\?P<(\w+)>\\d[+*]", text))
    assert not read_as_numbers & boundless


def test_a_box_of_many_thousand_lines_has_lost_its_end() -> None:
    stream = split_streams([TOP, *["│ x"] * 5000, "╰──────╯", "ValueError: boom"])[0]
    assert not list(rich_box.read(stream))


def test_a_wide_line_of_a_box_is_read_to_its_bound() -> None:
    wide = "│ a.py:1 in f" + " " * 3000 + "x"
    (found,) = rich_box.read(split_streams([TOP, wide, "╰──────╯", "ValueError: boom"])[0])
    assert [f.function for f in found.frames] == ["f"]


@pytest.mark.parametrize("lines", [[TOP], [TOP, "│ a.py:1 in f │"], [TOP, *["│ x"] * 50]])
def test_each_line_of_boxes_that_do_not_end_is_looked_at_once(lines: list[str]) -> None:
    (stream,) = split_streams(lines * 200)
    counted = Counted(stream)
    assert not list(rich_box.read(counted))
    assert counted.visits <= 3 * len(stream)


def test_the_box_after_one_that_lost_its_end_is_read() -> None:
    log = "\n".join([TOP, "│ x", TOP, "│ /srv/etl.py:9 in coerce  │", "╰──────╯", "ValueError: boom"])
    (found,) = rich_box.read(split_streams(log.split("\n"))[0])
    assert (found.first, found.type) == (3, "ValueError")
    assert [(f.file, f.function, f.line) for f in found.frames] == [("/srv/etl.py", "coerce", 9)]


def test_a_record_with_many_failures_is_not_repeated_by_each() -> None:
    sizes = []
    for count in (200, 400):
        record = json.dumps({"level": "error", "message": "\n".join(map(TRACEBACK.format, range(count)))})
        found = find_failures(record)
        assert len(found.failures) == count
        assert all(f.text == f"{f.type}: {f.message}" for f in found.failures)
        sizes.append(sum(len(f.text) for f in found.failures))
    assert sizes[1] < 2.2 * sizes[0]


def test_the_text_of_a_long_line_holds_what_failed() -> None:
    (failure,) = find_failures(TRACEBACK.format("x" * 20_000)).failures
    assert len(failure.text) <= 4000
    assert "ValueError: boom" in failure.text


@pytest.mark.parametrize("key", ["message", "exc_info", "container_name", "log"])
def test_half_of_a_surrogate_pair_is_replaced(key: str) -> None:
    line = '{"level":"error","' + key + '":"Value\\ud800Error: boom","event":"ValueError: \\udfff \\ud83d\\ude00"}'
    record = unfold(line)
    assert record is not None
    repr(record).encode()
    "".join([*record.text, *record.trace, record.process, record.key]).encode()
    assert "😀" in record.text[0] or key in ("message", "log")
    for failure in find_failures(line).failures:
        (sign(failure).title + failure.message + (failure.process or "")).encode()


@pytest.mark.parametrize("end", ["\r\x1b[0m", "\r\x1b[K\r", "\x1b[0m\r", "\r\x1b[0m\r\x1b[m"])
def test_a_colour_code_behind_a_carriage_return_hides_nothing(end: str) -> None:
    assert clean("boom at noon" + end) == "boom at noon"


def test_lines_that_each_go_on_the_one_before_belong_to_a_tangle_up_to_a_bound() -> None:
    frames = "".join(f'  File "{name}.py", line 1, in f\n    g()\n' for name in "ab")
    head = f"{'Traceback (most recent call last):' + chr(10)}" * 2 + frames + "ValueError: NCCL error in: a\n"
    (failure, *_) = find_failures(head + "ncclSystemError: NCCL error in: a\n" * 5_000).failures
    assert failure.message.count("\n") < 500


def test_a_title_without_end_does_not_reach_over_a_carriage_return() -> None:
    assert clean("\x1b]0;title\rValueError: boom\x07").endswith("ValueError: boom")


def test_the_page_cleans_a_line_in_the_same_order() -> None:
    text = Path("site/docs/assets/kb/log-lines.js").read_text("utf-8")
    assert text.index("replace(ANSI") < text.index('split("\\r")')


def test_colours_in_a_record_do_not_change_the_signature() -> None:
    def signature(message: str) -> str:
        (failure,) = find_failures(json.dumps({"level": "error", "message": message})).failures
        return sign(failure).id

    plain = signature("Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nValueError: boom 'x'")
    red = (
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n\x1b[31mValueError\x1b[0m: boom 'x'\x1b[0m"
    )
    assert signature(red) == plain


def test_a_chain_without_end_does_not_repeat_its_frames_at_each_level() -> None:
    cause = "Caused by: a.B{n}: bad\n\tat a.B.f{n}(B.java:{n})\n\t... {n} more\n"
    failures = find_failures("".join(cause.format(n=n) for n in range(1, 1000))).failures
    assert sum(len(failure.frames) for failure in failures) < 5_000


def test_the_causes_of_a_real_chain_have_the_frames_that_they_share() -> None:
    shared = "".join(f"\tat shop.Till.call{n}(Till.java:{n})\n" for n in range(1, 5))
    log = f"shop.Late: late\n\tat shop.Till.open(Till.java:9)\n{shared}"
    for name in ("Shut", "Gone"):
        log += f"Caused by: shop.{name}: it is\n\tat shop.Door.lock(Door.java:7)\n\t... 4 more\n"
    assert [len(failure.frames) for failure in find_failures(log).failures] == [5, 5, 5]


def test_of_very_many_failures_the_first_ones_of_each_kind_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many, "ALL", 200)
    log = "ERROR: the disk is full\n" + "".join(f"ERROR: part {n} broke\n" for n in range(300)) + "ERROR: last one\n"
    found = find_failures(log)
    told = [failure.message for failure in found.failures]
    assert (told[0], told[-1], len(told)) == ("ERROR: the disk is full", "ERROR: last one", 52)
    assert found.primary == 0


def test_a_log_of_very_many_lines_is_read_by_neighbourhoods(monkeypatch: pytest.MonkeyPatch) -> None:
    log = ("ERROR: bad\n" + "\n" * 900 + TRACEBACK.format(1)).encode()
    whole = find_in(log)
    monkeypatch.setattr(large, "MANY_LINES", 500)
    read = find_in(log)
    assert read.found == whole.found
    assert isinstance(read.lines, large.Sparse)
