"""The log of a command on disk: nothing of a small one is missing, a huge one is bounded and keeps its errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.capture.run.screen import Taken
from kb.capture.run.spool import HEAD, TAIL, WINDOWS, Spool, read_spool


class Nothing:
    """Takes nothing out."""

    def text(self, text: str) -> str:
        return text

    line = text


def add(spool: Spool, text: str, step: int) -> None:
    lines = text.splitlines(keepends=True)
    for at in range(0, len(lines), step):
        spool.add(Taken(0, "".join(lines[at : at + step])))


@pytest.mark.parametrize("step", [1, 100, 100_000])
def test_a_log_that_fits_is_whole(step: int, tmp_path: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(20_000))
    add(Spool(tmp_path, Nothing()), text, step)
    kept = read_spool(tmp_path)
    assert kept.text == text
    assert (kept.lines, kept.omitted) == (20_000, 0)


@pytest.mark.parametrize("step", [100, 5_000, 50_000])
def test_of_a_huge_log_the_ends_stay_and_what_stands_round_an_error(step: int, tmp_path: Path) -> None:
    lines = [f"{number}: all is well here, nothing to see" for number in range(1, 200_001)]
    lines[99_999] = "Traceback (most recent call last):"
    lines[100_000] = '  File "a.py", line 1, in f'
    lines[100_001] = "ValueError: the one"
    add(Spool(tmp_path, Nothing()), "".join(f"{line}\n" for line in lines), step)
    kept = read_spool(tmp_path)
    assert kept.lines == 200_000
    for piece in kept.pieces:
        shown = piece.text.splitlines()
        assert shown == lines[piece.first - 1 : piece.first - 1 + len(shown)]
    for must in (lines[0], lines[99_999], "ValueError: the one", lines[-1]):
        assert f"{must}\n" in kept.text
    assert len(kept.text) < HEAD + WINDOWS + 4 * TAIL + 4096
    assert f"[... {kept.pieces[1].first - kept.pieces[0].text.count(chr(10)) - 1} lines left out ...]" in kept.text


def test_a_log_of_errors_only_is_bounded_too(tmp_path: Path) -> None:
    spool = Spool(tmp_path, Nothing())
    for _ in range(40):
        spool.add(Taken(0, "ERROR: this is wrong, and this is said again and again and again\n" * 4000))
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < HEAD + WINDOWS + 6 * TAIL
    assert read_spool(tmp_path).lines == 160_000


def test_what_a_killed_process_wrote_beyond_its_state_is_written_over(tmp_path: Path) -> None:
    spool = Spool(tmp_path, Nothing())
    spool.add(Taken(0, "one\n"))
    state = spool.state
    spool.add(Taken(0, "two, but nobody was told\n"))
    again = Spool(tmp_path, Nothing(), state)
    again.add(Taken(0, "two\n"))
    assert read_spool(tmp_path).text == "one\ntwo\n"


def test_lines_are_replaced_where_the_program_went_up(tmp_path: Path) -> None:
    spool = Spool(tmp_path, Nothing())
    spool.add(Taken(0, "keep\nfirst\nsecond\n"))
    spool.add(Taken(0, "", 2, ("FIRST", None, "third")))
    assert read_spool(tmp_path).text == "keep\nFIRST\nsecond\nthird\n"


@settings(max_examples=30)
@given(cut=st.integers(0, 400))
def test_a_cut_off_frame_is_left_out(cut: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("spool")
    (folder / "head.log").write_text("head\n")
    frames = b"".join(b"%d 10\nlast one.\n" % number for number in (5, 9, 100))
    (folder / "windows.log").write_bytes(frames[:cut])
    assert all(piece.text in ("head\n", "last one.\n") for piece in read_spool(folder).pieces)


def test_a_folder_that_is_gone_reads_as_empty(tmp_path: Path) -> None:
    assert read_spool(tmp_path / "none").text == ""
