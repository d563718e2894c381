"""A logger prints the traceback, and the program then prints a harmless summary."""

import logging

logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s")


def tokenize(text: object) -> list[str]:
    return text.split()  # type: ignore[attr-defined]


try:
    tokenize(None)
except AttributeError:
    logging.getLogger("app.api").exception("request 17 failed")
logging.getLogger("app.api").warning("retrying in 3 s; 0 errors so far")
print("done: 0 errors, 1 request")
