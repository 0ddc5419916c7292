"""A run on a terminal: rows that move at the bottom, lines that stay above them.

rich is imported when a `Live` is made, not before.
"""

import atexit
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TextIO, assert_never

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
from harness.records.tier_record import FileRecord
from harness.report import glances
from harness.report.ending import end_lines
from harness.report.markers import marker
from harness.report.observer import RunEvent
from harness.report.paint import Paint
from harness.report.presentation import colour as wants_colour
from harness.report.progress import Progress
from harness.report.sink import Sink

if TYPE_CHECKING:
    from rich.text import Text

REFRESH_SECONDS = 0.25
_STYLES = {
    Status.PASSED: "green",
    Status.INTERRUPTED: "yellow",
    Status.NOT_RUN: "yellow",
    Status.EMPTY: "yellow",
}


class Live:
    """Shows one row per slot and a marker above them for each terminal file.

    The cursor is never hidden, so that no way to end, SIGKILL included, leaves it so. The rows are
    erased at the end of the run, at `close` and at the exit of the interpreter. A thread of its
    own redraws them; it ends when the terminal is gone. `stdout` and `stderr` are left alone.
    """

    def __init__(
        self,
        stream: TextIO,
        environment: Mapping[str, str],
        *,
        in_ci: bool = False,
        now: Callable[[], float] = time.monotonic,
        refresh_seconds: float | None = REFRESH_SECONDS,
    ) -> None:
        from rich.console import Console
        from rich.live import Live as Display

        class VisibleCursor(Console):
            def show_cursor(self, show: bool = True) -> bool:
                return False

        colour = wants_colour(stream, environment)
        self._sink = Sink(stream)
        self._paint = Paint(colour=colour)
        self._in_ci = in_ci
        self._now = now
        self._progress = Progress()
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._refresh_seconds = refresh_seconds
        self._console = VisibleCursor(
            file=stream,
            force_terminal=True,
            force_interactive=True,
            force_jupyter=False,
            no_color=not colour,
            markup=False,
            highlight=False,
            emoji=False,
            _environ=environment,
        )
        self._display = Display(
            console=self._console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
            get_renderable=self._render,
        )

    def on(self, event: RunEvent) -> None:
        """Take one event in and draw what it changes."""
        with self._lock:
            self._progress.take(event, self._now())
        match event:
            case RunStarted():
                self._sink.lines(glances.start_line(event))
                self._open()
            case FileStarted() | TestStarted():
                pass  # the next redraw shows it
            case FileSlow():
                self._above(glances.slow_line(event), "yellow")
            case FileEnded(record=record):
                self._file_ended(record)
            case StopAsked():
                self._above(glances.stop_line(event), "yellow")
            case Glance():
                if event.asked:
                    self._above("\n".join(glances.detail(event)))
            case RunEnded():
                self.close()
                self._sink.lines(*end_lines(event, in_ci=self._in_ci, paint=self._paint))
            case _ as never:
                assert_never(never)

    def close(self) -> None:
        """Erase the rows; may be called again."""
        if self._closed.is_set():
            return
        self._closed.set()
        atexit.unregister(self.close)
        self._display.stop()

    def _open(self) -> None:
        atexit.register(self.close)
        self._display.start(refresh=True)
        if self._refresh_seconds is not None:
            threading.Thread(target=self._redraw, name="harness-live", daemon=True).start()

    def _redraw(self) -> None:
        while not self._closed.wait(self._refresh_seconds):
            try:
                self._display.refresh()
            except (OSError, ValueError):  # the terminal is gone
                return

    def _file_ended(self, record: FileRecord) -> None:
        if record.dispatch is not Dispatch.OMITTED:
            self._above(marker(record), _STYLES.get(record.status, "red"))

    def _above(self, text: str, style: str = "") -> None:
        from rich.text import Text

        # Not wrapped by rich, so that a long line is copied as one.
        self._console.print(Text(text, style=style), soft_wrap=True)

    def _render(self) -> "Text":
        from rich.text import Text

        with self._lock:
            rows = self._progress.rows(self._now(), self._console.width)
        return Text("\n".join(rows), no_wrap=True, overflow="crop")
