"""Frames of native code: every tool's form gives the same function, file and line."""

from __future__ import annotations

import pytest

from kb.failures.model import Frame
from kb.failures.readers.native_frames import bare_name, numbered_frame, valgrind_frame

NAMES = [
    ("int total(const std::vector<Frame>&)", "total"),
    ("std::string name(int)", "name"),
    ("std::vector<int, std::allocator<int> >::at(unsigned long) const", "std::vector::at"),
    ("operator new(unsigned long)", "operator new"),
    ("bool ns::operator<(A const&, B)", "ns::operator<"),
    ("std::function<void (int)>::operator()(int) const", "std::function::operator()"),
    ("(anonymous namespace)::run(int)", "run"),
    ("ns::(anonymous namespace)::run()", "ns::run"),
    ("A::B<C>::D::~D()", "A::B::D::~D"),
    ("char* text(void)", "text"),
    ("read_block.part.0", "read_block"),
    ("read_block.constprop.0.isra.0", "read_block"),
    ("main (argc=2, argv=0x7fffffffe7c8)", "main"),
    (".raise ()", "raise"),
    ("read_block", "read_block"),
]


@pytest.mark.parametrize(("printed", "name"), NAMES)
def test_a_function_is_known_by_its_bare_name(printed: str, name: str) -> None:
    assert bare_name(printed) == name


FRAMES = [
    ("    #0 0x5613e236a37e in evict cpp/cache.c:9", 0, Frame("cpp/cache.c", "evict", 9)),
    ("    #1 0x55dc3b05c440 in evict /srv/cache.c:9:102", 1, Frame("/srv/cache.c", "evict", 9)),
    ("    #0 evict /srv/cache.c:9 (cache+0x122f)", 0, Frame("/srv/cache.c", "evict", 9)),
    ("    #0 0x55dc in free (/srv/cache+0xa3ea2) (BuildId: 5f3e606c)", 0, Frame("/srv/cache", "free")),
    ("    #4 0x55e0 in _start (/srv/cache+0x1170)", 4, Frame("/srv/cache", "")),
    ("#8  0x00005555555564fd in main (argc=2, argv=0x7f) at job.cpp:12", 8, Frame("job.cpp", "main", 12)),
    ("#0  evict (s=0x0) at cache.c:8", 0, Frame("cache.c", "evict", 8)),
    ("#4  0x00007ffff7c9d919 in ?? () from /lib/libstdc++.so.6", 4, Frame("/lib/libstdc++.so.6", "")),
    ("#1  0x00007f5a raise (libc.so.6 + 0x3d2a2)", 1, Frame("libc.so.6", "raise")),
    (
        "#5  0x0000803a in 0000e9e.plt_call._XGet+0 () from /usr/lib64/libX11.so.6",
        5,
        Frame("/usr/lib64/libX11.so.6", ""),
    ),
]


@pytest.mark.parametrize(("line", "depth", "frame"), FRAMES)
def test_a_numbered_frame_is_read(line: str, depth: int, frame: Frame) -> None:
    assert numbered_frame(line) == (depth, frame)


def test_a_frame_of_valgrind_is_read() -> None:
    assert valgrind_frame("==76==    by 0x109385: main (pool.c:14)") == ("by", Frame("pool.c", "main", 14))
    assert valgrind_frame("==76==    at 0x48: free (in /usr/lib/vg.so)") == ("at", Frame("/usr/lib/vg.so", "free"))


@pytest.mark.parametrize(
    "line", ["# comment", "#12 4.5 building", "no frame", "#", "  #x", "<" * 3000, "#1 " + "(" * 9000]
)
def test_what_is_no_frame_gives_none_or_an_answer(line: str) -> None:
    numbered_frame(line)
    valgrind_frame(line)
    bare_name(line)
