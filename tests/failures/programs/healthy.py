"""Nothing fails, though much of it looks like it."""

import logging
import traceback

logging.basicConfig(format="%(levelname)s %(name)s: %(message)s", level=logging.INFO)
log = logging.getLogger("app")
log.info("0 errors, 0 warnings")
log.warning("Found an Exception in the cache, falling back: could not create a primitive descriptor")
log.info("tests/test_error_handling.py::test_error PASSED")
try:
    {}["optional"]
except KeyError as error:
    log.info("optional setting not there: %r", error)
print("error rate: 0.0 %")
print("no errors found")
