"""A clean-up that failed while a real failure was being handled: the first is the root."""

import socket


def connect() -> None:
    socket.create_connection(("127.0.0.1", 9), timeout=2)


try:
    connect()
except OSError:
    raise RuntimeError("could not store the crash report")
