"""A crash in native code, with faulthandler."""

import ctypes
import faulthandler

faulthandler.enable()


def read_block() -> bytes:
    return ctypes.string_at(0)


read_block()
