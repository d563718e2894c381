"""What all tests share. With KB_REQUIRE_TOOLS=1 a test that skips for want of a tool has failed."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, settings

# No test asserts a time: on a busy machine even making the examples is slow.
settings.register_profile("kb", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("kb")

Reported = TypeVar("Reported", pytest.TestReport, pytest.CollectReport)


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The root of this repository."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def sample(checkout: Path) -> Path:
    """The folder with one session record and `new.log`, in which the failure of that session is seen again."""
    return checkout / "tests" / "sample"


@pytest.fixture(autouse=True)
def no_knowledge_base_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests name the knowledge base they work on; one in the environment of the developer must not leak in."""
    monkeypatch.delenv("KB_HOME", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.fixture(autouse=True, scope="session")
def ctrl_c_works() -> None:
    """What a shell starts in the background ignores Ctrl-C, and so would every program that a test starts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    return _skips_fail((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    return _skips_fail((yield))


def _skips_fail(report: Reported) -> Reported:
    """The report, turned into a failure when the test skipped because something is not installed."""
    if os.environ.get("KB_REQUIRE_TOOLS") != "1" or not report.skipped or hasattr(report, "wasxfail"):
        return report
    reason = str(report.longrepr)
    of_data = "lie beside the repository" in reason  # the labelled logs of others: no tool would bring them
    if "not installed" in reason or ("browser" in getattr(report, "keywords", ()) and not of_data):
        report.outcome = "failed"
        report.longrepr = f"KB_REQUIRE_TOOLS=1, but: {report.longrepr}"
    return report
