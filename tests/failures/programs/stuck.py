"""A program that hangs, and a faulthandler that dumps its stacks after a while."""

import faulthandler
import time

faulthandler.dump_traceback_later(0.5, exit=True)


def wait_for_rank() -> None:
    time.sleep(30)


wait_for_rank()
