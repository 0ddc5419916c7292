"""Receivers of the polite signals: for a program that must unwind, and for a loop.

For the first: wardens first, then unwind.

A signal handler that only raised would leave browsers alive while a blocked call unwinds, and
a second signal could then leave them alive for good. So every family is let go first, which
takes no waiting; the wardens do the rest whatever this process does next. Only the first
Ctrl-C is different: a person at a terminal gets an orderly teardown, with a browser that can
still be photographed, and presses again when that takes too long.
"""

import contextlib
import os
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from harness.process.names import signal_name
from harness.process.ownership import release_leaders

_Handler = Callable[[int, FrameType | None], Any] | int | None
RECEIVED = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class SignalReceiver:
    """Receives SIGTERM, SIGHUP and SIGINT between `install` and `restore`.

    A signal that the process ignores on purpose (nohup, a background job) stays ignored. A
    handler that somebody had installed is called after ours, Python's own for SIGINT among
    them. Otherwise the first signal calls `unwind`, in the main thread, which may raise, and
    the next one takes its default course.
    """

    def __init__(self, unwind: Callable[[int], None]) -> None:
        self._unwind = unwind
        self._before: dict[int, _Handler] = {}
        self._owner_pid = os.getpid()
        self.received: int | None = None
        self.received_again = False

    def install(self) -> None:
        """Install; does nothing outside the main thread, where Python receives no signal."""
        if threading.current_thread() is not threading.main_thread():
            return
        for number in RECEIVED:
            before = signal.getsignal(number)
            if before is not signal.SIG_IGN and before is not None:
                self._before[number] = before
                signal.signal(number, self._receive)

    def restore(self) -> None:
        """Put back what was there, where it is still ours."""
        for number, before in self._before.items():
            if signal.getsignal(number) == self._receive:
                signal.signal(number, before)
        self._before.clear()

    def _die_as_a_forked_child(self, number: int) -> None:
        """What was there before us is a forked child's own, as if we had never been."""
        before = self._before.get(number, signal.SIG_DFL)
        signal.signal(number, before)
        signal.raise_signal(number)

    def _receive(self, number: int, frame: FrameType | None) -> None:
        if os.getpid() != self._owner_pid:
            self._die_as_a_forked_child(number)
            return
        again = self.received is not None
        self.received = number
        self.received_again = again
        if again or number != signal.SIGINT:
            release_leaders()
        before = self._before.get(number)
        if callable(before):
            before(number, frame)
        elif again:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        else:
            self._unwind(number)


class SignalPipe:
    """Turns signals into bytes of a pipe, for a loop that waits on descriptors.

    Use as a context manager in the main thread. Between its ends SIGTERM, SIGHUP, SIGINT and
    SIGUSR1 (`glance`) are received, also where they were ignored before, as in a background job
    that is to end in good order; afterwards what was there is back.
    """

    glance = int(signal.SIGUSR1)

    def __init__(self) -> None:
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)
        os.set_blocking(self._write, False)
        self._before: dict[int, _Handler] = {}

    def __enter__(self) -> "SignalPipe":
        for number in (*RECEIVED, signal.SIGUSR1):
            self._before[number] = signal.getsignal(number)
            signal.signal(number, self._receive)
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, signal.SIG_DFL if before is None else before)
        os.close(self._read)
        os.close(self._write)

    def fileno(self) -> int:
        """Return the descriptor that is readable when a signal has come."""
        return self._read

    def received(self) -> list[int]:
        """Return what has come since, in order."""
        try:
            return list(os.read(self._read, 64))
        except BlockingIOError:
            return []

    @staticmethod
    def name(number: int) -> str:
        """Return `SIGINT` and the like."""
        return signal_name(number)

    def _receive(self, number: int, _: FrameType | None) -> None:
        with contextlib.suppress(OSError):
            os.write(self._write, bytes([number]))
