"""What every row of the matrix has next door."""

from collections.abc import Iterator

import pytest

from tests.lib.neighbour import Neighbour, neighbouring_browser


@pytest.fixture(scope="session")
def _running_neighbour() -> Iterator[Neighbour]:
    with neighbouring_browser() as neighbour:
        yield neighbour


@pytest.fixture
def neighbour(_running_neighbour: Neighbour) -> Iterator[Neighbour]:
    """A browser that another process owns, which nothing may have touched after the test."""
    yield _running_neighbour
    assert _running_neighbour.problems() == []
