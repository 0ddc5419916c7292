"""Appends events to the file of a file run, whatever the test does to the process."""

import faulthandler
import os
import socket
from typing import Any

import msgspec

from harness.records.assignment import Assignment, socket_address
from harness.records.file_events import Event

_CLOEXEC_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC


class EventWriter:
    """Opens, appends and closes for every event, and tells the runner that there is one.

    What it calls is held by the object and not looked up in a module, where a test may have put
    something else (a fake file system, a frozen clock, a forbidden socket). In a forked child it
    is silent. An event that cannot be written is lost, and a lost event proves nothing: the
    runner then says `crashed`.
    """

    def __init__(self, assignment: Assignment) -> None:
        self._events = assignment.events
        self._notify = socket_address(assignment.notify)
        self._getpid = os.getpid
        self._pid = os.getpid()
        self._open, self._write, self._close = os.open, os.write, os.close
        self._encode = msgspec.json.Encoder().encode
        self._socket = socket.socket
        self._address = (socket.AF_UNIX, socket.SOCK_DGRAM)
        self._silent = False
        os.register_at_fork(after_in_child=self._be_silent)
        self._register_stacks(assignment)

    def write(self, kind: type[Event], **fields: Any) -> None:
        """Append one event of this process."""
        self.write_event(kind(pid=self._pid, **fields))

    def write_event(self, event: Event) -> None:
        """Append one event."""
        if self._silent or self._getpid() != self._pid:
            return
        line = self._encode(msgspec.structs.replace(event, pid=self._pid)) + b"\n"
        try:
            number = self._open(self._events, _CLOEXEC_APPEND, 0o644)
            try:
                while line:
                    line = line[self._write(number, line) :]
            finally:
                self._close(number)
            self._tell()
        except OSError:
            return

    def _tell(self) -> None:
        channel = self._socket(*self._address)
        try:
            channel.setblocking(False)
            channel.sendto(b"!", self._notify)
        except OSError:
            # The runner is busy, or gone: it reads the file at the end all the same.
            pass
        finally:
            channel.close()

    def _be_silent(self) -> None:
        self._silent = True

    @staticmethod
    def _register_stacks(assignment: Assignment) -> None:
        """Write the stack of every thread to a file when the runner asks for it."""
        try:
            file = open(assignment.stacks, "wb", buffering=0)  # noqa: SIM115 - until the end
            faulthandler.register(assignment.stacks_signal, file=file, all_threads=True)
        except (OSError, RuntimeError, ValueError):
            return
