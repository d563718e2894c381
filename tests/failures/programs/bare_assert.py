"""An assertion without a message: its source is its only text."""


def split(heads: int, size: int) -> int:
    assert heads % size == 0
    return heads // size


split(28, 8)
