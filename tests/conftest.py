"""Hypothesis for every test: the same examples at every run, and no time limit on one of them; and
one process that calls of the command line are forked from."""

from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.forking import Forking

settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def forking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forking]:
    """One process a session; systems without fork have none."""
    process = Forking(tmp_path_factory.mktemp("calls"))
    yield process
    process.close()
