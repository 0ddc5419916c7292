"""What live progress shows: the state of a run as rows of a width. No terminal, no clock.

Times are monotonic seconds of one clock, the caller's.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from harness.model.identifiers import TestFile
from harness.model.run_events import (
    FileEnded,
    FileSlow,
    FileStarted,
    Glance,
    RunEnded,
    RunStarted,
    StopAsked,
    TestStarted,
)
from harness.model.status import Dispatch, Status
from harness.report.durations import spoken
from harness.report.glances import plural
from harness.report.naming import within_file
from harness.report.observer import RunEvent
from harness.report.safe_text import one_line, shortened

_TIME_CELLS = 24
_SEPARATOR = " > "


@dataclass(slots=True, kw_only=True)
class _Slot:
    file: TestFile
    began_at: float
    test: str | None = None
    slow: bool = False


class Progress:
    """Fed with the events of one run; `rows` may be asked for at any time."""

    def __init__(self) -> None:
        self._slots: dict[int, _Slot | None] = {}
        self._estimates: Mapping[TestFile, float | None] = {}
        self._predicted: float | None = None
        self._files = 0
        self._began_at: float | None = None
        self._ended: dict[str, Status] = {}
        self._done_estimate = 0.0
        self._stopping: str | None = None

    def take(self, event: RunEvent, now: float) -> None:
        """Take one event in."""
        match event:
            case RunStarted():
                self._slots = dict.fromkeys(range(event.slots))
                self._estimates = event.estimates
                self._predicted = event.predicted_seconds
                self._files = event.files
                self._began_at = now
            case FileStarted():
                self._slots[event.slot] = _Slot(file=event.file, began_at=now)
            case TestStarted():
                for slot in self._running(event.file):
                    slot.test = event.test
            case FileSlow():
                for slot in self._running(event.file):
                    slot.slow = True
            case FileEnded(record=record):
                if record.dispatch is Dispatch.DISPATCHED:
                    self._file_ended(TestFile(record.file), record.status)
            case StopAsked():
                self._stopping = event.reason
            case Glance() | RunEnded():
                pass
            case _ as never:
                assert_never(never)

    def rows(self, now: float, width: int) -> list[str]:
        """Return a line of counts, then one for each slot; none is wider than `width` cells."""
        counts = shortened(self._counts(now), width)
        return [counts, *(self._row(number, slot, now, width) for number, slot in self._in_order())]

    def _in_order(self) -> list[tuple[int, _Slot | None]]:
        return sorted(self._slots.items())

    def _running(self, file: str) -> list[_Slot]:
        return [slot for slot in self._slots.values() if slot and slot.file == file]

    def _file_ended(self, file: TestFile, status: Status) -> None:
        self._ended[file] = status
        self._done_estimate += self._estimates.get(file) or 0.0
        for number, slot in self._slots.items():
            if slot and slot.file == file:
                self._slots[number] = None

    def _counts(self, now: float) -> str:
        ended = len(self._ended)
        running = sum(1 for slot in self._slots.values() if slot)
        waiting = max(0, self._files - ended - running)
        bad = {
            status: sum(1 for one in self._ended.values() if one is status)
            for status in Status
            if status is not Status.PASSED
        }
        told = [f"{ended} of {plural(self._files, 'file')} ended"]
        told += [f"{count} {status.value}" for status, count in bad.items() if count]
        told.append(f"{waiting} wait")
        if self._began_at is not None:
            told.append(spoken(now - self._began_at))
        if self._stopping is not None:
            told.append(f"stopping: {one_line(self._stopping)}")
        elif (left := self.seconds_left(now)) is not None:
            told.append(f"about {spoken(left)} left")
        return ", ".join(told)

    def seconds_left(self, now: float) -> float | None:
        """Return the expected seconds to the end of the run; None without estimates.

        The predicted makespan shrinks by the share of estimated work that is done. What runs at
        this moment sets a lower bound; a file counts for no more than its estimate.
        """
        total = sum(estimate or 0.0 for estimate in self._estimates.values())
        if self._predicted is None or total <= 0 or self._began_at is None:
            return None
        done, longest = self._done_estimate, 0.0
        for slot in self._slots.values():
            if slot:
                estimate = self._estimates.get(slot.file) or 0.0
                elapsed = min(now - slot.began_at, estimate)
                done += elapsed
                longest = max(longest, estimate - elapsed)
        return max(longest, self._predicted * max(0.0, 1 - done / total))

    def _row(self, number: int, slot: _Slot | None, now: float, width: int) -> str:
        label = f" {number:>2}  "
        if slot is None:
            return shortened(f"{label}idle", width)
        times = self._times(slot, now)
        name = _names(slot, width - len(label) - _TIME_CELLS - 1)
        return shortened(f"{label}{_padded(name, width - len(label) - _TIME_CELLS)}{times}", width)

    def _times(self, slot: _Slot, now: float) -> str:
        estimate = self._estimates.get(slot.file)
        expected = "" if estimate is None else f" / {spoken(estimate)}"
        slow = "slow " if slot.slow else ""
        return f"{slow}{spoken(now - slot.began_at)}{expected}".rjust(_TIME_CELLS)


def _names(slot: _Slot, cells: int) -> str:
    """Return file and test in `cells`; the shorter of the two leaves its room to the longer."""
    from rich.cells import cell_len

    file = one_line(slot.file)
    if not slot.test:
        return shortened(file, cells)
    test = one_line(within_file(slot.file, slot.test))
    room = cells - len(_SEPARATOR)
    for_test = max(room - cell_len(file), min(cell_len(test), room // 2))
    test = shortened(test, for_test)
    return f"{shortened(file, room - cell_len(test))}{_SEPARATOR}{test}"


def _padded(text: str, cells: int) -> str:
    from rich.cells import cell_len

    return text + " " * (cells - cell_len(text))
