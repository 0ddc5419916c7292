"""A run as lines: for pipes, files, CI and terminals that cannot move their cursor."""

from typing import TextIO, assert_never

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
from harness.records.tier_record import FileRecord, TierRecord
from harness.report import glances
from harness.report.ending import end_lines
from harness.report.evidence import evidence_lines
from harness.report.markers import marker
from harness.report.naming import blamed_test
from harness.report.observer import RunEvent
from harness.report.paint import Paint
from harness.report.sink import Sink


class Plain:
    """Writes each fact when it is known: no cursor movement, and no colour in a marker.

    A file that did not pass shows its evidence under its marker, a passed one what it leaked.
    Files that the run was not to run have no line here; the summary counts them.
    """

    def __init__(self, stream: TextIO, *, colour: bool = False, in_ci: bool = False) -> None:
        self._sink = Sink(stream)
        self._in_ci = in_ci
        self._paint = Paint(colour=colour)

    def on(self, event: RunEvent) -> None:
        """Write what one event tells."""
        match event:
            case RunStarted():
                self._sink.lines(glances.start_line(event))
            case FileStarted() | TestStarted():
                pass
            case FileSlow():
                self._sink.lines(glances.slow_line(event))
            case FileEnded(record=record):
                self._file_ended(record)
            case StopAsked():
                self._sink.lines(glances.stop_line(event))
            case Glance(asked=True):
                self._sink.lines(*glances.detail(event))
            case Glance():
                self._sink.lines(glances.heartbeat(event))
            case RunEnded():
                self._run_ended(event)
            case _ as never:
                assert_never(never)

    def _file_ended(self, record: FileRecord) -> None:
        if record.dispatch is Dispatch.OMITTED:
            return
        lines = [marker(record)]
        if record.status is not Status.PASSED or record.leaked:
            # Where the marker names no test, it gives the reason.
            lines += evidence_lines(record, reason=blamed_test(record) is not None)
        self._sink.lines(*lines)

    def _run_ended(self, event: RunEnded[TierRecord]) -> None:
        self._sink.lines(*end_lines(event, in_ci=self._in_ci, paint=self._paint))
