"""What counts as declared, and what does not."""

import pytest

from harness.model.status import Status
from harness.records.declared import is_declared_empty, undeclared_skips
from harness.records.tier_record import Counts, Skip
from tests.lib.run_example import file_record

DECLARED = Skip(id="tests/test_a.py::test_x", reason="needs macOS", declared=True)
UNDECLARED = Skip(id="tests/test_a.py::test_y", reason="later")


def test_only_skips_that_nothing_declares_are_undeclared() -> None:
    assert undeclared_skips(file_record(skips=(DECLARED, UNDECLARED))) == (UNDECLARED,)


@pytest.mark.parametrize(
    ("status", "skips", "deselected", "expected"),
    [
        (Status.EMPTY, (DECLARED,), 0, True),
        (Status.EMPTY, (DECLARED, UNDECLARED), 0, False),
        (Status.EMPTY, (), 0, False),
        (Status.EMPTY, (DECLARED,), 1, False),
        (Status.PASSED, (DECLARED,), 0, False),
    ],
)
def test_a_file_is_declared_empty_by_declared_skips_and_nothing_else(
    status: Status, skips: tuple[Skip, ...], deselected: int, expected: bool
) -> None:
    record = file_record(
        status=status, skips=skips, counts=Counts(skipped=len(skips), deselected=deselected)
    )
    assert is_declared_empty(record) is expected
