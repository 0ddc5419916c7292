"""What a run was to run, apart from what it only accounts for."""

from harness.model.status import Dispatch
from harness.records.tier_record import FileRecord, TierRecord


def dispatched(record: TierRecord) -> list[FileRecord]:
    """Return the files that the run was to run, in the order of the record."""
    return [one for one in record.files if one.dispatch is Dispatch.DISPATCHED]
