"""Endless recursion: the repeated frames are told in one line."""


def descend(depth: int) -> int:
    return descend(depth + 1)


descend(0)
