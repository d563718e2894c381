"""A child process dies with a traceback; the parent only reports its exit code."""

import multiprocessing


def work() -> None:
    raise MemoryError("cache of 3 GiB does not fit")


if __name__ == "__main__":
    child = multiprocessing.Process(target=work, name="Worker-1")
    child.start()
    child.join()
    raise SystemExit(child.exitcode)
