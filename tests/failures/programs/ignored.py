"""An exception while an object is destroyed, after the real failure."""


class Handle:
    def __del__(self) -> None:
        raise AttributeError("'Handle' object has no attribute '_fd'")


def serve() -> None:
    handle = Handle()
    raise ConnectionRefusedError(111, "Connection refused")


serve()
