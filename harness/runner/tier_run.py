"""One tier: a plan run to its end, and the record of it.

The record stands on disk before the first file starts, and says that it is not complete, so
that a runner that is killed leaves no claim. At the end it is made from the run's event log as
it stands on disk, compared with the plan, and not from what the scheduler remembers.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from harness.config.schema import Config
from harness.errors import HarnessError, PreconditionError
from harness.model import run_events as told
from harness.model.identifiers import Lane, TestFile
from harness.model.status import Phase, Selection
from harness.model.test_result import TestResult
from harness.plan.coverage import assert_exact_coverage
from harness.plan.queue import Plan, PlannedFile
from harness.process.load import read_load
from harness.process.signals import SignalPipe
from harness.records import json_file
from harness.records.tier_record import (
    FileRecord,
    Host,
    HostLoad,
    LeftOutFile,
    ShardOf,
    TierRecord,
)
from harness.repository.tree import TreeState
from harness.runner.dispatcher import Bounds, Dispatcher
from harness.runner.doorbell import Doorbell
from harness.runner.file_records import Attempt, omitted, record_of, results_of
from harness.runner.run_folder import RunFolder
from harness.runner.run_loop import LoopSettings, Observe, RunLoop
from harness.runner.spawner import PytestSpawner, Spawner


class LogChanged(HarnessError):
    """Something else wrote into the run's own folder, so that nothing can be claimed."""


UNFINISHED = "the run has not ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class TierOptions:
    """How a tier is run. `phase` None runs both; `deadline_at` is monotonic seconds.

    `attempts` counts the attempts of each file before this run.
    """

    root: Path
    slots: int
    phase: Phase | None
    record_path: Path
    command: tuple[str, ...]
    tree: TreeState
    attempts: Mapping[TestFile, int] = field(default_factory=dict)
    glance_seconds: float = 30.0
    deadline_at: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TierResult:
    """The record, and the finished tests of each file.

    `signal` ended the run; `problem` is why the record is not on the disk. Both None if all went
    well. `faults` are errors of the harness inside file runs, each with its file; they have changed
    no status.
    """

    record: TierRecord
    results: Mapping[str, Sequence[TestResult]]
    signal: int | None
    problem: str | None
    faults: Sequence[str]


class Tier:
    """Runs one plan."""

    def __init__(
        self,
        plan: Plan,
        config: Config,
        options: TierOptions,
        folder: RunFolder,
        observe: Observe,
        spawner: Callable[[str], Spawner] | None = None,
    ) -> None:
        self._plan = plan
        self._config = config
        self._options = options
        self._folder = folder
        self._observe = observe
        self._spawner = spawner or (lambda bell: PytestSpawner(root=options.root, notify=bell))
        self._files = {
            planned.file: (planned, phase)
            for phase, queue in ((Phase.PARALLEL, plan.parallel), (Phase.ISOLATED, plan.isolated))
            for planned in queue
            if options.phase in (None, phase)
        }
        self._faults: list[str] = []
        self._results: dict[str, list[TestResult]] = {}
        self._started_at = datetime.now(UTC).isoformat(timespec="milliseconds")

    def run(self) -> TierResult:
        """Run every selected file, then write the record and tell observers of the end.

        Raises CoverageError when the log on disk does not hold every file of the plan once, and
        PreconditionError when the record cannot be written before anything has started.
        """
        began = time.monotonic()
        before = read_load().loadavg_1m
        dispatched = [one for one, _ in self._files.values() if _is_selected(one)]
        self._write_unfinished(before)
        announcement = self._announcement(dispatched)
        self._observe(announcement)
        loop = self._loop(dispatched)
        seconds = time.monotonic() - began
        record = self._record(
            self._records_on_disk(), seconds, before, loop.max_loadavg, complete=True
        )
        problem = None
        try:
            self._write(record)
        except OSError as error:
            problem = f"the record {self._options.record_path} cannot be written: {error}"
        self._observe(
            told.RunEnded(
                record=record,
                path=str(self._options.record_path),
                problem=problem,
                predicted_seconds=announcement.predicted_seconds,
                actual_seconds=seconds,
                unknown=loop.stopped_by or problem,
            )
        )
        return TierResult(
            record=record,
            results=self._results,
            signal=loop.signal,
            problem=problem,
            faults=self._faults,
        )

    def _write_unfinished(self, before: float | None) -> None:
        records = [self._unfinished(one) for one in self._files]
        try:
            self._write(self._record(records, 0.0, before, None))
        except OSError as error:
            raise PreconditionError(
                f"the record {self._options.record_path} cannot be written: {error.filename}: "
                f"{error.strerror}. Nothing was started; make it writable, or name another place "
                "with --record"
            ) from error

    def _announcement(self, dispatched: Sequence[PlannedFile]) -> told.RunStarted:
        isolated = sum(1 for one in dispatched if one.isolated_reason is not None)
        return told.RunStarted(
            lane=self._plan.lane,
            slots=self._options.slots,
            files=len(dispatched),
            isolated_files=isolated,
            shard=str(self._plan.shard) if self._plan.shard else None,
            predicted_seconds=predicted_seconds(dispatched, self._options.slots),
            estimates={one.file: one.estimate_seconds for one in dispatched},
        )

    def _loop(self, dispatched: Sequence[PlannedFile]) -> RunLoop:
        phases = {
            phase: tuple(one for one in dispatched if self._files[one.file][1] is phase)
            for phase in Phase
        }
        for planned, phase in self._files.values():
            if not _is_selected(planned):
                self._append(omitted(planned, phase, "not named by this run"))
        bell = Doorbell()
        spawner = self._spawner(bell.address)
        try:
            with SignalPipe() as signals:
                loop = RunLoop(
                    dispatcher=Dispatcher(
                        phases[Phase.PARALLEL],
                        phases[Phase.ISOLATED],
                        self._options.slots,
                        Bounds(exit_grace=self._config.exit_grace_seconds),
                    ),
                    files={one.file: self._files[one.file] for one in dispatched},
                    spawner=spawner,
                    folder=self._folder,
                    bell=bell,
                    signals=signals,
                    observe=self._observe,
                    finish=self._finish,
                    settings=LoopSettings(
                        glance_seconds=self._options.glance_seconds,
                        deadline_at=self._options.deadline_at,
                    ),
                )
                loop.run()
                return loop
        finally:
            spawner.close()
            bell.close()

    def _finish(self, attempt: Attempt) -> FileRecord:
        file, sentinel = attempt.planned.file, attempt.log.sentinel
        self._results[file] = results_of(attempt.log)
        self._faults += [f"{file}: {text}" for text in (sentinel.problems if sentinel else ())]
        before = self._options.attempts.get(file, 0)
        return self._append(record_of(attempt, self._config, self._options.root, before))

    def _append(self, record: FileRecord) -> FileRecord:
        self._folder.append(msgspec.json.encode(record))
        return record

    def _unfinished(self, file: TestFile) -> FileRecord:
        planned, phase = self._files[file]
        return omitted(planned, phase, UNFINISHED)

    def _records_on_disk(self) -> list[FileRecord]:
        """Read the log back and hold it against the plan: every file, each once."""
        self._folder.sync()
        try:
            records = [msgspec.json.decode(line, type=FileRecord) for line in self._folder.lines()]
        except (msgspec.MsgspecError, OSError) as error:
            raise LogChanged(
                f"the log of this run below {self._folder.path} was changed or removed while it "
                f"ran ({error}); its record stays incomplete. Which test writes there?"
            ) from error
        assert_exact_coverage(list(self._files), [TestFile(one.file) for one in records])
        return records

    def _write(self, record: TierRecord) -> None:
        json_file.write(self._options.record_path, record)

    def _record(
        self,
        records: Sequence[FileRecord],
        seconds: float,
        before: float | None,
        highest: float | None,
        *,
        complete: bool = False,
    ) -> TierRecord:
        after = read_load()
        readings = [one for one in (before, highest, after.loadavg_1m) if one is not None]
        shard = self._plan.shard
        return TierRecord(
            lane=Lane(self._plan.lane),
            phase=self._options.phase,
            shard=ShardOf(index=shard.index, total=shard.total) if shard else None,
            plan_digest=self._plan.plan_digest,
            roster_hash=self._plan.roster_hash,
            tree=self._options.tree.tree,
            tree_dirty=self._options.tree.dirty,
            command=self._options.command,
            started_at=self._started_at,
            seconds=seconds,
            host=Host(
                cpus=os.cpu_count() or 1,
                available_parallelism=after.processors,
                loadavg_1m=HostLoad(
                    before=before,
                    max=max(readings, default=None),
                    after=after.loadavg_1m if complete else None,
                ),
            ),
            complete=complete,
            files=tuple(sorted(records, key=lambda one: one.file)),
            left_out=tuple(
                LeftOutFile(file=one.file, reason=one.reason) for one in self._plan.left_out
            ),
        )


def _is_selected(planned: PlannedFile) -> bool:
    return planned.selection is not Selection.NOT_SELECTED


def predicted_seconds(files: Sequence[PlannedFile], slots: int) -> float | None:
    """Return the makespan that estimates promise, None when one of them is missing.

    Longest first on `slots`, then the isolated ones in a row.
    """
    if any(one.estimate_seconds is None for one in files) or not files:
        return None
    ends = [0.0] * slots
    alone = 0.0
    for one in files:
        assert one.estimate_seconds is not None
        if one.isolated_reason is not None:
            alone += one.estimate_seconds
        else:
            ends[ends.index(min(ends))] += one.estimate_seconds
    return max(ends) + alone
