"""Owner: plain pytest. However it ends, nothing of it is left a second later."""

from pathlib import Path

import pytest

from tests.lib import run_row, triggers
from tests.lib.matrix import OwnerKind, Row
from tests.lib.neighbour import Neighbour

pytestmark = [pytest.mark.browser, pytest.mark.matrix]


@pytest.mark.parametrize("row", run_row.parameters(OwnerKind.PLAIN))
def test_an_end_leaves_nothing(tmp_path: Path, neighbour: Neighbour, row: Row) -> None:
    with run_row.owner_of(row, tmp_path, neighbour) as owner:
        triggers.pull(owner, row.trigger)
        assert run_row.problems(owner, row) == []
