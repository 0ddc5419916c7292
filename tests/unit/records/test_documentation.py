"""docs/running.md and the stored types say the same."""

import re
from pathlib import Path

import pytest

from harness.model.status import Status
from harness.records.tier_record import FileRecord, Record, TierRecord

DOCUMENT = (Path(__file__).parents[3] / "docs" / "running.md").read_text(encoding="utf-8")


def first_cells(head: str) -> list[str]:
    """Return the code words in the first column of the table with this head."""
    table = DOCUMENT.split(f"| {head} |", 1)[1].split("\n\n", 1)[0]
    rows = re.findall(r"^\| (`.+?) \|", table, re.MULTILINE)
    return [word for row in rows for word in re.findall(r"`(\w+)`", row)]


@pytest.mark.parametrize(
    ("head", "kind"), [("field of the record", TierRecord), ("field of a file", FileRecord)]
)
def test_every_field_is_documented_and_no_other(head: str, kind: type[Record]) -> None:
    assert sorted(first_cells(head)) == sorted(kind.__struct_fields__)


def test_every_status_is_documented_and_no_other() -> None:
    assert sorted(first_cells("status")) == sorted(status.value for status in Status)
