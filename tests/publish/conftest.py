"""A site of the small knowledge base, built once."""

from __future__ import annotations

from pathlib import Path

import pytest
from runbook_factory import small_knowledge
from site_factory import make_site


@pytest.fixture(scope="session")
def small_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site; tests only read it."""
    return make_site(tmp_path_factory.mktemp("small"), *small_knowledge())
