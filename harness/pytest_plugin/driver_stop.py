"""Bounds the wait for Playwright's driver to end, when a forked child holds its input.

Playwright stops its driver by closing the driver's standard input, and waits for its end without
a bound. A child that was forked meanwhile holds the other end too, so the driver is never told.
"""

import os
import select
import threading
from collections.abc import Callable
from typing import Any

# From a closed input to the warden's note of it: milliseconds, or never.
_NEWS_SECONDS = 1.0


class DriverStops:
    """Calls `not_told` with a pid when a driver's process has not ended soon after its stop.

    On a thread of its own. Between `install` and `restore`; does nothing where this Playwright
    keeps its transport elsewhere, or where the platform has no pidfd.
    """

    def __init__(self, not_told: Callable[[int], None]) -> None:
        self._not_told = not_told
        self._restore: Callable[[], None] = lambda: None

    def install(self) -> None:
        """Hear of every stop in this process, of the sync and of the async API."""
        try:
            from playwright._impl.transport import PipeTransport

            request_stop = PipeTransport.request_stop
        except (ImportError, AttributeError):
            return

        def stop(transport: PipeTransport) -> None:
            request_stop(transport)
            self._watch(transport)

        def restore() -> None:
            if PipeTransport.request_stop is stop:
                PipeTransport.request_stop = request_stop  # type: ignore[method-assign]

        PipeTransport.request_stop = stop  # type: ignore[assignment, method-assign]
        self._restore = restore

    def restore(self) -> None:
        """Put back what was there, where it is still ours."""
        self._restore()

    def _watch(self, transport: Any) -> None:
        try:
            pid = transport._proc.pid
            handle = os.pidfd_open(pid)
        except (AttributeError, OSError):
            return
        threading.Thread(
            target=self._wait, args=(pid, handle), name="lanewright-driver-stop", daemon=True
        ).start()

    def _wait(self, pid: int, handle: int) -> None:
        try:
            poller = select.poll()
            poller.register(handle, select.POLLIN)
            ended = poller.poll(_NEWS_SECONDS * 1000)
        finally:
            os.close(handle)
        if not ended:
            self._not_told(pid)
