"""What `[tool.harness.allowed_skips]` has allowed in a record, and what it has not."""

from collections.abc import Iterable
from fnmatch import fnmatchcase

from harness.model.status import Status
from harness.records.tier_record import FileRecord, Skip

REASON = "reason:"


def is_declared(file: str, test: str, reason: str, allowed: Iterable[str]) -> bool:
    """Tell whether one of `allowed` names this file, this test or a pattern of this reason."""
    return any(
        fnmatchcase(reason, name.removeprefix(REASON))
        if name.startswith(REASON)
        else name in (file, test)
        for name in allowed
    )


def undeclared_skips(record: FileRecord) -> tuple[Skip, ...]:
    """Return the skips of a file that nothing declares."""
    return tuple(skip for skip in record.skips if not skip.declared)


def is_declared_empty(record: FileRecord) -> bool:
    """Tell whether it is allowed that a file executed nothing.

    Either the file itself is declared, or every one of its tests was skipped and each skip is
    declared. A file that holds no test, or whose tests were deselected, is not declared by its
    tests: an option that was mistyped must not look like a skip that somebody has thought about.
    """
    if record.status is not Status.EMPTY or not record.skips or undeclared_skips(record):
        return False
    return not record.counts.deselected or any(skip.id == record.file for skip in record.skips)
