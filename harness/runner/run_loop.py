"""Executes what the dispatcher decides, and tells it what happened. One thread, no polling."""

import selectors
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, assert_never

from harness.errors import HarnessError
from harness.model import run_events as told
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
from harness.model.status import Phase
from harness.plan.queue import PlannedFile
from harness.process.load import LoadReading, read_load
from harness.process.signals import SignalPipe
from harness.records.file_events import FileLog, SessionFinished, TestStarted
from harness.runner.dispatcher import Dispatcher
from harness.runner.doorbell import Doorbell
from harness.runner.evidence import last_line
from harness.runner.file_records import Attempt
from harness.runner.run_folder import FileFolder, RunFolder
from harness.runner.spawner import FileProcess, ProcessEnd, Spawner

Observe = Callable[[Any], None]


@dataclass(slots=True, kw_only=True)
class _Live:
    """A file run that is going on."""

    planned: PlannedFile
    phase: Phase
    slot: int
    folder: FileFolder
    process: FileProcess
    started_at: float
    load_before: LoadReading
    log: FileLog
    read_bytes: int = 0

    def news(self) -> Iterable[object]:
        """Return what its event file has in addition."""
        try:
            with self.folder.events.open("rb") as file:
                file.seek(self.read_bytes)
                data = file.read()
        except OSError:
            return []
        self.read_bytes += len(data)
        return self.log.feed(data)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopSettings:
    """`glance_seconds` is how often observers are shown what runs; `deadline_at` is monotonic."""

    glance_seconds: float = 30.0
    deadline_at: float | None = None


@dataclass(slots=True, kw_only=True)
class RunLoop:
    """Runs the files of a dispatcher to their end.

    `finish` is called once for every file, in the order in which files end, and returns what
    observers are told of it.
    """

    dispatcher: Dispatcher
    files: dict[TestFile, tuple[PlannedFile, Phase]]
    spawner: Spawner
    folder: RunFolder
    bell: Doorbell
    signals: SignalPipe
    observe: Observe
    finish: Callable[[Attempt], object]
    settings: LoopSettings = LoopSettings()
    now: Callable[[], float] = time.monotonic
    stopped_by: str | None = None
    signal: int | None = None
    max_loadavg: float | None = None
    _live: dict[TestFile, _Live] = field(default_factory=dict)
    _pending: list[Event] = field(default_factory=list)
    _closed: dict[TestFile, tuple[_Live | None, ProcessEnd]] = field(default_factory=dict)
    _ended: int = 0
    _began_at: float = 0.0
    _selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)

    def run(self) -> None:
        """Return when every file has been finished."""
        self._began_at = self.now()
        self._selector.register(self.bell, selectors.EVENT_READ, self._on_bell)
        self._selector.register(self.signals, selectors.EVENT_READ, self._on_signal)
        next_glance = self._began_at + self.settings.glance_seconds
        try:
            self._post(Begin(at=self.now()))
            while not self.dispatcher.done:
                self._wait(next_glance)
                if self.now() >= next_glance:
                    next_glance = self.now() + self.settings.glance_seconds
                    self._glance(asked=False)
        finally:
            self._selector.close()
            for live in list(self._live.values()):
                live.process.close()

    def _wait(self, next_glance: float) -> None:
        times = [next_glance, self.dispatcher.next_deadline(), self._deadline()]
        until = min(time for time in times if time is not None)
        for key, _ in self._selector.select(max(0.0, until - self.now())):
            key.data()
        if (deadline := self._deadline()) is not None and self.now() >= deadline:
            self._stop("its --deadline has passed")
        due = self.dispatcher.next_deadline()
        if due is not None and self.now() >= due:
            self._post(Tick(at=self.now()))

    def _deadline(self) -> float | None:
        return None if self.stopped_by else self.settings.deadline_at

    # -- what happens -------------------------------------------------------------------

    def _on_bell(self) -> None:
        self.bell.answer()
        for live in list(self._live.values()):
            self._read(live)

    def _read(self, live: _Live) -> None:
        for event in live.news():
            if isinstance(event, TestStarted):
                self.observe(told.TestStarted(file=live.planned.file, test=event.id))
            elif isinstance(event, SessionFinished):
                self._post(SessionEnded(file=live.planned.file, at=self.now()))

    def _on_signal(self) -> None:
        for number in self.signals.received():
            if number == self.signals.glance:
                self._glance(asked=True)
                continue
            self.signal = self.signal or number
            self._stop(f"received {self.signals.name(number)}")

    def _stop(self, reason: str) -> None:
        if self.stopped_by is None:
            self.observe(told.StopAsked(reason=reason))
        self.stopped_by = self.stopped_by or reason
        self._post(StopRun(at=self.now()))

    def _on_process(self, live: _Live) -> None:
        if live.process.poll():
            self._close(live)

    def _close(self, live: _Live) -> None:
        self._selector.unregister(live.process)
        outcome = live.process.close()
        self._read(live)
        del self._live[live.planned.file]
        self._closed[live.planned.file] = (live, outcome)
        self._post(Exited(file=live.planned.file, at=self.now()))

    # -- what is decided ----------------------------------------------------------------

    def _post(self, event: Event) -> None:
        """Hand an event over; what follows from it may be an event again, and waits its turn."""
        self._pending.append(event)
        if len(self._pending) > 1:
            return
        while self._pending:
            for command in self.dispatcher.handle(self._pending[0]):
                self._execute(command)
            self._pending.pop(0)

    def _execute(self, command: Command) -> None:
        match command:
            case StartFile():
                self._start(command)
            case NoticeSlow():
                live = self._live[command.file]
                self.observe(
                    told.FileSlow(
                        file=command.file,
                        seconds=command.seconds,
                        budget_seconds=live.planned.budget_seconds,
                        test=live.log.running,
                    )
                )
            case KeepTraces():
                self._live[command.file].process.show()
            case AskEnd():
                self._live[command.file].process.ask_end(command.grace_seconds)
            case GiveUp():
                self._close(self._live[command.file])
            case RecordFile():
                self._record(command)
            case _ as never:
                assert_never(never)

    def _start(self, command: StartFile) -> None:
        planned, phase = self.files[command.file]
        before = self._load()
        try:
            folder = self.folder.for_file(planned.file)
            process = self.spawner.start(planned.file, command.slot, folder)
        except (HarnessError, OSError) as error:
            self._closed[planned.file] = (None, ProcessEnd(problem=str(error)))
            self._post(SpawnFailed(file=planned.file, at=self.now()))
            return
        live = _Live(
            planned=planned,
            phase=phase,
            slot=command.slot,
            folder=folder,
            process=process,
            started_at=self.now(),
            load_before=before,
            log=FileLog(process.pid),
        )
        self._live[planned.file] = live
        self._selector.register(process, selectors.EVENT_READ, lambda: self._on_process(live))
        self.observe(
            told.FileStarted(file=planned.file, slot=command.slot, phase=phase, pid=process.pid)
        )
        self._post(Started(file=planned.file, at=live.started_at))

    def _record(self, command: RecordFile) -> None:
        planned, phase = self.files[command.file]
        live, outcome = self._closed.pop(command.file, (None, ProcessEnd()))
        attempt = Attempt(
            planned=planned,
            phase=phase,
            command=command,
            folder=live.folder if live else None,
            log=live.log if live else FileLog(),
            outcome=outcome,
            pid=live.process.pid if live else None,
            load_before=live.load_before if live else None,
            load_after=self._load() if live else None,
        )
        self._ended += 1
        self.observe(told.FileEnded(record=self.finish(attempt)))

    # -- what is shown ------------------------------------------------------------------

    def _load(self) -> LoadReading:
        reading = read_load()
        if reading.loadavg_1m is not None:
            self.max_loadavg = max(self.max_loadavg or 0.0, reading.loadavg_1m)
        return reading

    def _glance(self, *, asked: bool) -> None:
        self._load()
        at = self.now()
        self.observe(
            told.Glance(
                asked=asked,
                running=tuple(
                    told.Running(
                        file=live.planned.file,
                        slot=live.slot,
                        pid=live.process.pid,
                        seconds=at - live.started_at,
                        test=live.log.running,
                        tail=last_line(live.folder.output),
                    )
                    for live in self._live.values()
                ),
                waiting=self.dispatcher.waiting,
                ended=self._ended,
                seconds=at - self._began_at,
            )
        )
