"""Decides what a run does next. Pure: events in, commands out, no clock and no process.

Phases follow one another: PARALLEL until its queue is empty, DRAIN until its last file has
ended, ISOLATED one file at a time, DONE. Every file of the plan is started at most once and
recorded exactly once, whatever order events come in.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from harness.model.dispatch import (
    AskEnd,
    Begin,
    Command,
    Event,
    Exited,
    GiveUp,
    KeepTraces,
    NoticeSlow,
    RecordFile,
    SessionEnded,
    SpawnFailed,
    Started,
    StartFile,
    StopRun,
    Tick,
)
from harness.model.identifiers import TestFile
from harness.plan.queue import PlannedFile
from harness.runner.file_state import FileState, Step

SLOW_SHARE = 0.6


class RunPhase(StrEnum):
    """Where a run is."""

    PARALLEL = "parallel"
    DRAIN = "drain"
    ISOLATED = "isolated"
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Seconds that the dispatcher allows.

    `show` lets a process write its stacks before it is ended, `grace` follows SIGTERM after a
    timeout, `stop_grace` after the run was told to stop; `lost` follows a grace for the kernel
    to confirm the end.
    """

    exit_grace: float = 5.0
    show: float = 0.3
    grace: float = 5.0
    stop_grace: float = 4.0
    lost: float = 15.0


class Dispatcher:
    """The state of one run."""

    def __init__(
        self,
        parallel: tuple[PlannedFile, ...],
        isolated: tuple[PlannedFile, ...],
        slots: int,
        bounds: Bounds | None = None,
    ) -> None:
        self._queue = list(parallel)
        self._isolated = list(isolated)
        self._free = list(range(slots - 1, -1, -1))
        self._bounds = bounds or Bounds()
        self._running: dict[TestFile, FileState] = {}
        self._stopping = False
        self._begun = False

    @property
    def phase(self) -> RunPhase:
        """Where the run is."""
        if self._queue:
            return RunPhase.PARALLEL
        if any(not state.is_isolated for state in self._running.values()):
            return RunPhase.DRAIN
        return RunPhase.ISOLATED if self._isolated or self._running else RunPhase.DONE

    @property
    def done(self) -> bool:
        """True when every file has been recorded."""
        return self._begun and self.phase is RunPhase.DONE

    @property
    def waiting(self) -> int:
        """How many files have not been started."""
        return len(self._queue) + len(self._isolated)

    def next_deadline(self) -> float | None:
        """Return when a Tick will be needed, None when nothing depends on the clock."""
        times = [
            time
            for state in self._running.values()
            for time in (state.slow_at, state.until)
            if time is not None
        ]
        return min(times, default=None)

    def handle(self, event: Event) -> list[Command]:
        """Take one event in and return what is to be done, in order."""
        match event:
            case Begin():
                self._begun = True
                return self._fill(event.at)
            case Started():
                return list(self._started(event))
            case SpawnFailed() | Exited():
                return list(self._ended(event))
            case SessionEnded():
                self._session_ended(event)
                return []
            case Tick():
                return [
                    command
                    for state in list(self._running.values())
                    for command in self._tick(state, event.at)
                ]
            case StopRun():
                return list(self._stop(event.at))
            case _ as never:
                assert_never(never)

    # -- starting -----------------------------------------------------------------------

    def _fill(self, at: float) -> list[Command]:
        commands: list[Command] = []
        while self._free and (planned := self._take_next()) is not None:
            slot = self._free.pop()
            self._running[planned.file] = FileState(
                file=planned.file,
                slot=slot,
                asked_at=at,
                budget_seconds=planned.budget_seconds,
                locks=frozenset(planned.locks),
                is_isolated=planned.isolated_reason is not None,
            )
            commands.append(StartFile(file=planned.file, slot=slot))
        return commands

    def _take_next(self) -> PlannedFile | None:
        """Take the first file that may run now: its locks are free, or the machine is its own."""
        held = {lock for state in self._running.values() for lock in state.locks}
        for number, planned in enumerate(self._queue):
            if held.isdisjoint(planned.locks):
                return self._queue.pop(number)
        if not self._queue and not self._running and self._isolated:
            return self._isolated.pop(0)
        return None

    def _started(self, event: Started) -> Iterator[Command]:
        state = self._running.get(event.file)
        if state is None or state.step is not Step.STARTING:
            return
        state.step = Step.RUNNING
        state.started_at = event.at
        state.slow_at = event.at + SLOW_SHARE * state.budget_seconds
        state.until = event.at + state.budget_seconds
        if state.told_to_stop:
            yield from self._end(state, event.at, self._bounds.stop_grace)

    # -- ending -------------------------------------------------------------------------

    def _session_ended(self, event: SessionEnded) -> None:
        state = self._running.get(event.file)
        if state is None or state.step is not Step.RUNNING or state.session_ended:
            return
        state.session_ended = True
        state.slow_at = None
        assert state.until is not None
        state.until = min(state.until, event.at + self._bounds.exit_grace)

    def _tick(self, state: FileState, at: float) -> Iterator[Command]:
        if state.slow_at is not None and at >= state.slow_at:
            state.slow_at = None
            assert state.started_at is not None
            yield NoticeSlow(file=state.file, seconds=at - state.started_at)
        if state.until is None or at < state.until:
            return
        match state.step:
            case Step.STARTING:
                pass
            case Step.RUNNING:
                yield from self._time_out(state, at)
            case Step.SHOWING:
                yield from self._end(state, at, self._bounds.grace)
            case Step.ENDING:
                state.until = None
                yield GiveUp(file=state.file)
            case _ as never:
                assert_never(never)

    def _time_out(self, state: FileState, at: float) -> Iterator[Command]:
        assert state.started_at is not None
        if at >= state.started_at + state.budget_seconds:
            state.budget_spent = True
        else:
            state.exit_grace_spent = True
        state.slow_at = None
        state.step = Step.SHOWING
        state.until = at + self._bounds.show
        yield KeepTraces(file=state.file)

    def _end(self, state: FileState, at: float, grace_seconds: float) -> Iterator[Command]:
        state.step = Step.ENDING
        state.slow_at = None
        state.until = at + grace_seconds + self._bounds.lost
        yield AskEnd(file=state.file, grace_seconds=grace_seconds)

    def _stop(self, at: float) -> Iterator[Command]:
        hurry = self._stopping
        self._stopping = True
        for planned in [*self._queue, *self._isolated]:
            yield RecordFile(file=planned.file, slot=None, seconds=None, told_to_stop=True)
        self._queue, self._isolated = [], []
        for state in self._running.values():
            yield from self._stop_file(state, at, hurry)

    def _stop_file(self, state: FileState, at: float, hurry: bool) -> Iterator[Command]:
        timed_out = state.budget_spent or state.exit_grace_spent
        state.told_to_stop = not timed_out
        match state.step:
            case Step.STARTING:
                pass
            case Step.RUNNING:
                yield KeepTraces(file=state.file)
                yield from self._end(state, at, 0.0 if hurry else self._bounds.stop_grace)
            case Step.SHOWING:
                yield from self._end(state, at, 0.0 if hurry else self._bounds.stop_grace)
            case Step.ENDING if hurry:
                yield from self._end(state, at, 0.0)
            case Step.ENDING:
                pass
            case _ as never:
                assert_never(never)

    def _ended(self, event: SpawnFailed | Exited) -> Iterator[Command]:
        state = self._running.pop(event.file, None)
        if state is None:
            return
        self._free.append(state.slot)
        began = state.asked_at if state.started_at is None else state.started_at
        yield RecordFile(
            file=state.file,
            slot=state.slot,
            seconds=max(0.0, event.at - began),
            told_to_stop=state.told_to_stop,
            budget_spent=state.budget_spent,
            exit_grace_spent=state.exit_grace_spent,
        )
        if not self._stopping:
            yield from self._fill(event.at)
