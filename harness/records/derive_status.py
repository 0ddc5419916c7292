"""How a file run ended: one function, decided by evidence and never by an exit code alone.

The rules stand in order and the first that matches wins.
"""

from dataclasses import dataclass

from harness.model.status import Cause, Status
from harness.records.file_events import (
    Collected,
    CollectionFailed,
    CollectionSkipped,
    FileLog,
    InternalError,
    TestFinished,
)
from harness.records.tier_record import Counts

_NOT_GOOD = ("failed", "error")
# pytest's exit codes for passed, failed and nothing collected.
_ENDS_OF_A_SESSION = (0, 1, 5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """What the runner itself saw of a file run.

    `started` is False when no process came to be. `exit_code` and `signal` are None when unseen;
    at most one of them is set. `leaks` counts processes that outlived the run and are to fail it.
    """

    started: bool = True
    told_to_stop: bool = False
    budget_spent: bool = False
    exit_grace_spent: bool = False
    timed_out_by_plugin: bool = False
    exit_code: int | None = None
    signal: int | None = None
    leaks: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """A terminal status, why, and the test to name. `cause` is None for `passed` and `empty`."""

    status: Status
    reason: str
    cause: Cause | None = None
    test: str | None = None


def derive_status(ending: Ending, log: FileLog) -> Derived:
    """Return the status of one file run."""
    running = log.running
    if ending.told_to_stop:
        if not ending.started:
            return Derived(status=Status.NOT_RUN, reason="the run was stopped before it began")
        return Derived(
            status=Status.INTERRUPTED,
            reason=f"stopped while {_doing(log)}",
            cause=Cause.INTERRUPTION,
            test=running,
        )
    if ending.budget_spent:
        return _timeout(f"its budget ended while {_doing(log)}", running)
    if ending.exit_grace_spent:
        return _timeout("its process did not end after its last test", None)
    if log.sentinel is None:
        if ending.timed_out_by_plugin:
            return _timeout(f"pytest-timeout ended it while {_doing(log)}", running)
        if not log.events and ending.exit_code in _ENDS_OF_A_SESSION:
            return _crash(f"{_how(ending)} without the plugin lanewright: was it disabled?", None)
        return _crash(f"{_how(ending)} while {_doing(log)}", running)
    if log.unreadable:
        return _crash(f"{log.unreadable} lines of its event log cannot be read", running)
    failures = _failures(log)
    missing = [one for one in log.collected if one not in log.finished]
    if missing and not log.of(CollectionFailed):
        return _crash(
            f"{len(missing)} of {len(log.collected)} tests have no report, the first of them "
            f"{missing[0]}",
            running or missing[0],
        )
    if failures:
        return failures
    if ending.leaks:
        count = "a process" if ending.leaks == 1 else f"{ending.leaks} processes"
        return Derived(status=Status.FAILED, reason=f"{count} outlived it", cause=Cause.LEAK)
    counts = counts_of(log)
    executed = counts.passed + counts.xfailed + counts.xpassed
    # 5 is pytest's own word for "no tests"; whether that is bad is said by `empty`.
    expected = {0} if executed or log.collected else {0, 5}
    if ending.exit_code not in expected:
        return Derived(
            status=Status.FAILED,
            reason=f"its report is clean and its process {_how(ending)}",
            cause=Cause.EXIT_CODE,
        )
    if not executed:
        return Derived(status=Status.EMPTY, reason=_why_empty(counts))
    return Derived(status=Status.PASSED, reason="")


def counts_of(log: FileLog) -> Counts:
    """Count the tests of a log by outcome; what has no report is in `collected` alone."""
    finished = list(log.finished.values())

    def count(outcome: str) -> int:
        return sum(1 for one in finished if one.outcome == outcome)

    broken = sum(1 for one in log.events if isinstance(one, CollectionFailed))
    skipped_modules = sum(1 for one in log.events if isinstance(one, CollectionSkipped))
    return Counts(
        collected=len(log.collected),
        passed=count("passed"),
        failed=count("failed"),
        errors=sum(one.errors for one in finished) + broken,
        skipped=count("skipped") + skipped_modules,
        xfailed=count("xfailed"),
        xpassed=count("xpassed"),
        deselected=sum(one.deselected for one in log.events if isinstance(one, Collected)),
    )


def failing(log: FileLog) -> list[TestFinished]:
    """Return the tests that failed or errored, in the order in which they ran."""
    return [one for one in log.finished.values() if one.errors or one.outcome in _NOT_GOOD]


def _failures(log: FileLog) -> Derived | None:
    failed = failing(log)
    if failed:
        more = "" if len(failed) == 1 else f" and {len(failed) - 1} more"
        return Derived(
            status=Status.FAILED,
            reason=f"{failed[0].id}{more} failed",
            cause=Cause.TEST,
            test=failed[0].id,
        )
    for event in log.events:
        if isinstance(event, CollectionFailed):
            return Derived(
                status=Status.FAILED,
                reason=f"{event.id} cannot be collected",
                cause=Cause.COLLECTION,
            )
        if isinstance(event, InternalError):
            return _crash("pytest itself failed", log.running)
    return None


def _timeout(reason: str, test: str | None) -> Derived:
    return Derived(status=Status.TIMEOUT, reason=reason, cause=Cause.TIMEOUT, test=test)


def _crash(reason: str, test: str | None) -> Derived:
    return Derived(status=Status.CRASHED, reason=reason, cause=Cause.CRASH, test=test)


def _doing(log: FileLog) -> str:
    if log.running:
        return f"{log.running} ran"
    if log.sentinel:
        return "it ended"
    if not log.events:
        return "it started"
    return "it was between tests" if log.finished else "it collected"


def _how(ending: Ending) -> str:
    if ending.signal is not None:
        return f"was killed by signal {ending.signal}"
    if ending.exit_code is not None:
        return f"exited with {ending.exit_code}"
    return "ended unseen"


def _why_empty(counts: Counts) -> str:
    if counts.skipped:
        return f"{_all_tests(counts.skipped)} skipped"
    if counts.deselected:
        return f"{_all_tests(counts.deselected)} deselected"
    return "it holds no test"


def _all_tests(count: int) -> str:
    return "its one test was" if count == 1 else f"all of its {count} tests were"
