"""What fails beside the failure that ended a run: hooks that tidy up, and errors that a program printed and survived."""

from __future__ import annotations

from kb.failures.find import Found, find_failures

_REQUEST = """\
GET /stock 200
TypeError: order has no lines
    at /srv/shop/app.js:31:11
    at Layer.handle (/srv/shop/node_modules/express/lib/router/layer.js:95:5)
{between}
/srv/shop/app.js:77
  session.touch();
          ^

TypeError: Cannot read properties of undefined (reading 'touch')
    at Timeout._onTimeout (/srv/shop/app.js:77:11)
    at listOnTimeout (node:internal/timers:581:17)

Node.js v20.20.2
"""


def _primary(found: Found) -> str:
    assert found.primary is not None
    return found.failures[found.primary].message


def test_an_error_after_which_the_program_went_on_is_not_what_ended_it() -> None:
    found = find_failures(_REQUEST.format(between="GET /stock 200"))
    assert _primary(found).startswith("Cannot read properties")
    assert "went on after it" in " ".join(found.failures[0].because)


def test_an_error_that_nothing_came_after_may_have_ended_the_program() -> None:
    assert _primary(find_failures(_REQUEST.format(between=""))) == "order has no lines"


def test_what_the_system_refused_may_be_why_a_later_error_came() -> None:
    log = _REQUEST.format(between="GET /stock 200").replace("order has no lines", "connect ECONNREFUSED 127.0.0.1:6379")
    assert _primary(find_failures(log)).startswith("connect ECONNREFUSED")


def test_an_error_at_teardown_comes_after_the_test_that_failed() -> None:
    log = """\
_____________________ ERROR at teardown of test_put ______________________
>       raise OSError("cannot drop")
E       OSError: cannot drop

tests/test_put.py:9: OSError
________________________________ test_get ________________________________
>       assert rate("EUR") == 2
E       assert 1 == 2

tests/test_get.py:4: AssertionError
"""
    found = find_failures(log)
    assert found.primary == 1
    alone = find_failures(log[: log.index("____ test_get")])
    assert _primary(alone) == "cannot drop"
    assert find_failures(log.replace("ERROR at teardown of ", "ERROR at setup of ")).primary == 0


def test_a_hook_after_the_examples_does_not_hide_their_failures() -> None:
    log = """\
An error occurred in an `after(:context)` hook.
Failure/Error: after(:all) { pool.close }

NoMethodError:
  undefined method `close' for nil:NilClass
# ./spec/pool_spec.rb:8:in `block (2 levels) in <top (required)>'

Failures:

  1) pool lends a connection
     Failure/Error: expect(pool.size).to eq 3

       expected: 3
            got: 2
     # ./spec/pool_spec.rb:4:in `block (2 levels) in <top (required)>'

Finished in 0.01 seconds (files took 0.1 seconds to load)
"""
    assert _primary(find_failures(log)).startswith("expect(pool.size).to eq 3")
    assert _primary(find_failures(log.partition("Failures:")[0])).startswith("undefined method")


_SERVER = """\
2026-11-30 12:03:24,362 ERROR shop: Exception on /order [POST]
Traceback (most recent call last):
  File "/srv/shop/app.py", line 31, in order
    return rows[sku]
KeyError: 'sku'
{between}Traceback (most recent call last):
  File "/srv/shop/app.py", line 77, in <module>
    flush("/srv/none/metrics.prom")
FileNotFoundError: [Errno 2] No such file or directory: '/srv/none/metrics.prom'
{after}"""
_ANSWERED = "2026-11-30 12:03:25,101 INFO shop: GET /stock 200\n"


def test_the_error_of_one_request_is_not_what_ended_the_server() -> None:
    found = find_failures(_SERVER.format(between=_ANSWERED, after=""))
    assert _primary(found).endswith("metrics.prom'")
    assert "a request failed" in " ".join(found.failures[0].because)


def test_it_is_the_first_failure_where_the_server_did_not_go_on_or_did_not_end() -> None:
    assert _primary(find_failures(_SERVER.format(between="", after=""))) == "'sku'"
    assert _primary(find_failures(_SERVER.format(between=_ANSWERED, after=_ANSWERED * 9))) == "'sku'"


def test_an_error_of_no_request_may_be_why_the_server_ended() -> None:
    log = _SERVER.format(between=_ANSWERED, after="").replace("Exception on /order [POST]", "cannot load the rates")
    assert _primary(find_failures(log)) == "'sku'"


def test_tests_that_passed_may_have_covered_too_little() -> None:
    log = """\
PASS ./cart.test.js
  ✓ adds (2 ms)
Jest: "global" coverage threshold for lines (90%) not met: 50%
Tests:       1 passed, 1 total
"""
    assert [failure.line for failure in find_failures(log).failures] == [3]
    assert find_failures(log.replace('Jest: "global"', "The global")).failures == ()
