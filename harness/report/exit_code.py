"""What a run ends with, from its record: `docs/exit-codes.md` as a function."""

from collections.abc import Iterator

from harness.errors import ExitCode, most_severe
from harness.model.status import Status
from harness.records.declared import is_declared_empty, undeclared_skips
from harness.records.tier_record import FileRecord, TierRecord
from harness.report.dispatched import dispatched

_FAILING = (
    Status.FAILED,
    Status.TIMEOUT,
    Status.CRASHED,
    Status.INTERRUPTED,
    Status.NOT_RUN,
)
_SIGNAL_BASE = 128
_ENDING_SIGNALS = {1: ExitCode.HANGUP, 2: ExitCode.INTERRUPTED, 15: ExitCode.TERMINATED}


def exit_code_of(
    record: TierRecord, *, in_ci: bool, signal: int | None = None, written: bool = True
) -> ExitCode:
    """Return the most severe of the codes that apply.

    `signal` is the number of the one that ended the run: SIGHUP, SIGINT or SIGTERM; another one
    is a ValueError. An incomplete record is a fault unless a signal explains it; one that could
    not be `written` is a fault in any case. Files that a deadline left interrupted or not run
    count as failed. A declared empty file fails nothing, but a run in which no test was executed
    at all is empty, unless it is a shard or a phase, which the plan may leave with nothing.
    """
    return most_severe(_codes(record, in_ci, signal, written))


def _codes(
    record: TierRecord, in_ci: bool, signal: int | None, written: bool
) -> Iterator[ExitCode]:
    if signal is not None:
        if signal not in _ENDING_SIGNALS:
            raise ValueError(f"signal {signal} does not end a run: exit {_SIGNAL_BASE + signal}")
        yield _ENDING_SIGNALS[signal]
    elif not record.complete:
        yield ExitCode.FAULT
    if not written:
        yield ExitCode.FAULT
    files = dispatched(record)
    for one in files:
        yield _code_of_file(one, in_ci)
    if not _is_part(record) and not any(_executed(one) for one in files):
        yield ExitCode.EMPTY


def _code_of_file(record: FileRecord, in_ci: bool) -> ExitCode:
    codes = [ExitCode.PASSED]
    if record.status in _FAILING:
        codes.append(ExitCode.FAILED)
    if record.status is Status.EMPTY and not is_declared_empty(record):
        codes.append(ExitCode.REFUSED if in_ci else ExitCode.EMPTY)
    if in_ci and undeclared_skips(record):
        codes.append(ExitCode.REFUSED)
    return most_severe(codes)


def _is_part(record: TierRecord) -> bool:
    return record.shard is not None or record.phase is not None


def _executed(record: FileRecord) -> bool:
    return record.status not in (Status.EMPTY, Status.NOT_RUN)
