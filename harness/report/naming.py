"""The test to blame in a file, and the one command that runs a file or a test again, alone."""

from harness.model.identifiers import Lane
from harness.model.status import Cause, Status
from harness.records.tier_record import FileRecord
from harness.report.safe_text import shell_quoted

_BY_ONE_TEST = (Status.TIMEOUT, Status.CRASHED)


def blamed_test(record: FileRecord) -> str | None:
    """Return the test that the evidence names, without the name of its file; None for none."""
    evidence = record.failure_evidence
    if evidence is None or not evidence.test:
        return None
    return within_file(record.file, evidence.test) or None


def within_file(file: str, test: str) -> str:
    """Return a node id without its file. Text that is no node id is returned as it is."""
    if test.startswith(f"{file}::"):
        return test[len(file) + 2 :]
    head, separator, rest = test.partition("::")
    # Ids are relative to pytest's own root, which may be above or below the project's.
    return rest if separator and head.endswith(".py") else test


def run_again(record: FileRecord) -> str:
    """Return the command, to be given at the project's root, that runs again what went wrong.

    That is the one test that failed, hung or crashed, else the file. pytest reads a `[` in a path
    as the start of parameters and `::` as its end, so such a file goes through `harness run`.
    """
    file = f"./{record.file}" if record.file.startswith("-") else record.file
    if "[" in file or "::" in file:
        return f"harness run --lane {Lane(record.lane).value} {shell_quoted(file)}"
    test = blamed_test(record)
    if test is None or not _is_alone(record):
        return f"python -m pytest {shell_quoted(file)}"
    return f"python -m pytest {shell_quoted(f'{file}::{test}')}"


def _is_alone(record: FileRecord) -> bool:
    if record.status in _BY_ONE_TEST:
        return True
    evidence = record.failure_evidence
    return (
        record.status is Status.FAILED
        and evidence is not None
        and evidence.cause is Cause.TEST
        and record.counts.failed + record.counts.errors <= 1
    )
