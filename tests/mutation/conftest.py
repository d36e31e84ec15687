"""Every test of this room runs twice: with relations held as bits, and as runs."""

from collections.abc import Iterator

import pytest

from tests.proofs.forms import FORMS, held_as


@pytest.fixture(params=FORMS, autouse=True)
def form(request: pytest.FixtureRequest) -> Iterator[str]:
    """How the checker holds relations."""
    with held_as(request.param):
        yield request.param
