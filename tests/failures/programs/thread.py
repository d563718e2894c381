"""An exception in a thread; the program goes on and ends well."""

import threading


def pump() -> None:
    raise BrokenPipeError(32, "Broken pipe by the test")


def produce() -> None:
    raise LookupError("no shard for rank 3")


for target in (produce,):
    thread = threading.Thread(target=target, name="producer-0")
    thread.start()
    thread.join()
