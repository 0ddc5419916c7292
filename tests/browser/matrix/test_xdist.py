"""Owner: pytest with two xdist workers, each of which has a household of its own.

However it ends, nothing of it is left a second later; a worker that ends takes its own
household along and no other's.
"""

from pathlib import Path

import pytest

from tests.lib import run_row, triggers
from tests.lib.matrix import OwnerKind, Row
from tests.lib.neighbour import Neighbour

pytestmark = [pytest.mark.browser, pytest.mark.matrix]


@pytest.mark.parametrize("row", run_row.parameters(OwnerKind.XDIST))
def test_an_end_leaves_nothing(tmp_path: Path, neighbour: Neighbour, row: Row) -> None:
    with run_row.owner_of(row, tmp_path, neighbour) as owner:
        if row.ends_workers:
            assert run_row.problems_of_workers(owner, row) == []
        else:
            for number in range(row.pulls):
                triggers.pull(owner, row.trigger, number)
        assert run_row.problems(owner, row) == []
