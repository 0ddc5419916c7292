"""What `[tool.harness.allowed_skips]` has allowed in a record, and what it has not."""

from harness.model.status import Status
from harness.records.tier_record import FileRecord, Skip


def undeclared_skips(record: FileRecord) -> tuple[Skip, ...]:
    """Return the skips of a file that nothing declares."""
    return tuple(skip for skip in record.skips if not skip.declared)


def is_declared_empty(record: FileRecord) -> bool:
    """Tell whether a file is `empty` for no other reason than declared skips.

    A file that holds no test, or whose tests were deselected, is never declared empty: an option
    that was mistyped must not look like a skip that somebody has thought about.
    """
    return (
        record.status is Status.EMPTY
        and bool(record.skips)
        and not undeclared_skips(record)
        and not record.counts.deselected
    )
