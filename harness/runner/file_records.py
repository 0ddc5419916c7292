"""From what is known of a file run to its record."""

from dataclasses import dataclass
from pathlib import Path

from harness.config.schema import Config
from harness.model.dispatch import RecordFile
from harness.model.status import Dispatch, Phase, Status
from harness.model.test_result import Outcome, TestResult
from harness.plan.queue import PlannedFile
from harness.process.load import LoadReading
from harness.records.declared import is_declared
from harness.records.derive_status import Derived, Ending, counts_of, derive_status
from harness.records.file_events import (
    CollectionFailed,
    CollectionSkipped,
    FileLog,
    TestFinished,
)
from harness.records.tier_record import (
    Counts,
    FileRecord,
    Leaked,
    Pressure,
    Skip,
    Span,
    Witness,
)
from harness.runner.evidence import artefacts_of, evidence_of, timed_out_by_plugin
from harness.runner.run_folder import FileFolder
from harness.runner.spawner import ProcessEnd


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """Everything that a runner knows of one file run at its end. `pid` is None if none began."""

    planned: PlannedFile
    phase: Phase
    command: RecordFile
    folder: FileFolder | None
    log: FileLog
    outcome: ProcessEnd
    pid: int | None
    load_before: LoadReading | None
    load_after: LoadReading | None


def record_of(attempt: Attempt, config: Config, base: Path, before: int = 0) -> FileRecord:
    """Return the file's record; artefacts are named relative to `base`.

    `before` is how many attempts at this file earlier runs have made.
    """
    command, outcome, log = attempt.command, attempt.outcome, attempt.log
    started = attempt.pid is not None
    leaked = _leaked(attempt)
    derived = derive_status(
        Ending(
            started=started,
            told_to_stop=command.told_to_stop,
            budget_spent=command.budget_spent,
            exit_grace_spent=command.exit_grace_spent,
            timed_out_by_plugin=outcome.exit_code == 1
            and attempt.folder is not None
            and timed_out_by_plugin(attempt.folder),
            exit_code=outcome.exit_code,
            signal=outcome.signal,
            leaks=len(leaked) if config.leaks == "fail" else 0,
        ),
        log,
    )
    evidence = evidence_of(derived, log, attempt.folder)
    planned = attempt.planned
    return FileRecord(
        file=planned.file,
        lane=planned.lane,
        selection=planned.selection,
        dispatch=Dispatch.DISPATCHED,
        phase=attempt.phase,
        status=derived.status,
        slot=command.slot,
        attempt=before + 1 if started else before,
        reason=_reason(derived.reason, outcome),
        counts=counts_of(log),
        seconds=command.seconds if started else None,
        budget_seconds=planned.budget_seconds,
        exit_code=outcome.exit_code,
        signal=outcome.signal,
        loadavg_1m=_span(attempt, "loadavg_1m"),
        pressure=Pressure(
            cpu=_span(attempt, "cpu_pressure_percent"),
            memory=_span(attempt, "memory_pressure_percent"),
            io=_span(attempt, "io_pressure_percent"),
        ),
        leaked=leaked,
        failure_evidence=evidence,
        artefacts=artefacts_of(attempt.folder, base)
        if attempt.folder is not None and derived.status is not Status.PASSED
        else (),
        skips=_skips(planned.file, derived, log, config),
        witness=_witness(log),
        condition_request="pending"
        if derived.status in (Status.FAILED, Status.TIMEOUT, Status.CRASHED)
        else None,
    )


def results_of(log: FileLog) -> list[TestResult]:
    """Return the finished tests of a file run, and what could not be collected."""
    found = [
        TestResult(
            id=one.id,
            outcome=Outcome.ERROR if one.errors else Outcome(one.outcome),
            seconds=one.seconds,
            message=one.message,
            text=one.text,
            skip_reason=one.skip_reason,
        )
        for one in log.finished.values()
    ]
    for event in log.events:
        if isinstance(event, CollectionFailed):
            text = "\n".join(event.lines)
            found.append(
                TestResult(
                    id=event.id,
                    outcome=Outcome.ERROR,
                    seconds=0.0,
                    message="it cannot be collected",
                    text=text,
                )
            )
    return found


def omitted(planned: PlannedFile, phase: Phase, reason: str) -> FileRecord:
    """Return the record of a file of the lane that this run was not to run."""
    return FileRecord(
        file=planned.file,
        lane=planned.lane,
        selection=planned.selection,
        dispatch=Dispatch.OMITTED,
        phase=phase,
        status=Status.NOT_RUN,
        reason=reason,
        counts=Counts(),
        budget_seconds=planned.budget_seconds,
    )


def _reason(reason: str, outcome: ProcessEnd) -> str:
    if outcome.problem is None:
        return reason
    return f"{reason}; {outcome.problem}" if reason else outcome.problem


def _leaked(attempt: Attempt) -> tuple[Leaked, ...]:
    """Return what outlived the tests, as the plugin saw it, or the process, as its warden did."""
    sentinel = attempt.log.sentinel
    found = [*(sentinel.leaked if sentinel else ()), *attempt.outcome.outlived]
    if attempt.outcome.problem is not None and attempt.pid is not None:
        found.append(Leaked(pid=attempt.pid, command=None, how="its end is not confirmed"))
    return tuple({one.pid: one for one in found}.values())


def _span(attempt: Attempt, name: str) -> Span:
    before, after = attempt.load_before, attempt.load_after
    return Span(
        start=getattr(before, name) if before else None,
        end=getattr(after, name) if after else None,
    )


def _skips(file: str, derived: Derived, log: FileLog, config: Config) -> tuple[Skip, ...]:
    rows = [
        (one.id, one.skip_reason) for one in log.finished.values() if one.outcome == "skipped"
    ] + [(one.id, one.reason) for one in log.events if isinstance(one, CollectionSkipped)]
    if derived.status is Status.EMPTY and file in config.allowed_skips:
        # The file as a whole is declared, whatever keeps its tests from running.
        rows.append((file, derived.reason))
    return tuple(
        Skip(id=test, reason=reason, declared=is_declared(file, test, reason, config.allowed_skips))
        for test, reason in rows
    )


def _witness(log: FileLog) -> Witness | None:
    tests: list[TestFinished] = list(log.finished.values())
    found = Witness(
        navigations=sum(one.navigations for one in tests),
        requests=sum(one.requests for one in tests),
        commands=sum(one.commands for one in tests),
        idle=tuple(one.id for one in tests if one.idle),
    )
    return None if found == Witness() else found
