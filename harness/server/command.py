"""A server in a process family of its own, under a warden."""

import os
import re
import secrets
import socket
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Self

from harness.errors import OwnershipError, StartError
from harness.process.client import Family
from harness.process.report import ExitReport, clause
from harness.process.sampling import ProcessSample, sample_descendants
from harness.process.spec import FamilySpec, new_scratch
from harness.server import environment, ports, readiness
from harness.server.start_line import DEFAULT, StartLine

LISTEN_DESCRIPTOR = 3
PLACEHOLDER = re.compile(r"(?<!\$)\{(fd|port)\}")
_ORPHAN_GRACE_SECONDS = 0.2
# No event says that the child which a daemon left behind has ended.
_DAEMON_LOOK_SECONDS = 0.1
_ZOMBIE = "zombie"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandOptions:
    """How a command is started and when it is ready.

    With `inherit_socket` it finds its listening socket at LISTEN_DESCRIPTOR; otherwise it
    binds itself and `start_line` finds its port. With `must_answer_nonce` an answer without a
    nonce is a stranger's. `grace_seconds` bounds the polite end. `shown` is what messages call
    the command; empty when the label says it all.
    """

    label: str
    arguments: tuple[str, ...]
    shown: str
    directory: str
    ready: str
    start_seconds: float
    bound_key: str
    grace_seconds: float
    inherit: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    start_line: re.Pattern[str] = DEFAULT
    inherit_socket: bool = False
    must_answer_nonce: bool = False
    private_home: bool = False


class FamilyServer:
    """A server command that this process owns through a warden."""

    def __init__(self, options: CommandOptions, nonce: str, listener: socket.socket | None) -> None:
        self._options = options
        self._nonce = nonce
        self._lock = threading.RLock()
        self._closed = False
        self._began = time.monotonic()
        self.port = listener.getsockname()[1] if listener is not None else 0
        arguments = options.arguments
        if listener is not None:
            arguments = filled(arguments, descriptor=LISTEN_DESCRIPTOR, port=self.port)
        identifier, scratch = new_scratch()
        self._family = Family(
            FamilySpec(
                label=options.label,
                command=arguments,
                environment=environment.build(
                    os.environ,
                    scratch=scratch,
                    port=self.port,
                    nonce=nonce,
                    listen_descriptor=None if listener is None else LISTEN_DESCRIPTOR,
                    inherit=options.inherit,
                    environment=options.environment,
                    private_home=options.private_home,
                ),
                directory=options.directory,
                scratch=identifier,
                listen=-1 if listener is None else listener.fileno(),
                grace_seconds=options.grace_seconds,
                orphan_grace_seconds=_ORPHAN_GRACE_SECONDS,
                # A server that becomes a daemon is still owned, by descent.
                leader_ends_family=False,
            )
        )

    @classmethod
    def start(cls, options: CommandOptions) -> tuple[Self, str]:
        """Start it; return it once it is ready, and its nonce.

        Raises StartError with its own last words when it is not ready within its bound, when
        it ends before that, or when somebody else answers; nothing is left behind.
        """
        nonce = secrets.token_hex(16)
        listener = ports.bind_loopback() if options.inherit_socket else None
        try:
            server = cls(options, nonce, listener)
        finally:
            # From here on only the family holds it: when the family is gone, so is the port.
            if listener is not None:
                listener.close()
        try:
            server._await_ready()
        except StartError as error:
            failure = server._failure(str(error))
            server.close()
            raise StartError(failure) from None
        except BaseException:
            server.close()
            raise
        return server, nonce

    # -- start --------------------------------------------------------------------------

    def _await_ready(self) -> None:
        until = self._began + self._options.start_seconds
        if not self.port:
            self.port = self._announced_port(until)
        readiness.await_answer(
            port=self.port,
            path=self._options.ready,
            until=until,
            alive=self._check_alive,
            pause=self._pause,
            judge=self._judge,
        )

    def _announced_port(self, until: float) -> int:
        line = StartLine(self._options.start_line, self._family.output)
        while not line.heard():
            self._check_alive()
            left = until - time.monotonic()
            if left <= 0:
                raise StartError("it printed no start line that names its port")
            if self._family.leader_status is None:
                self._family.wait_for(
                    lambda: line.heard() or self._family.leader_status is not None, left
                )
            else:
                self._family.wait_for(line.heard, min(left, _DAEMON_LOOK_SECONDS))
        assert line.port is not None
        return line.port

    def _check_alive(self) -> None:
        how = self.died()
        if how is not None:
            raise StartError(f"it {clause(how)} before it was ready")

    def _pause(self, seconds: float) -> None:
        running = self._family.leader_status is None
        self._family.wait_for(lambda: running and self._family.leader_status is not None, seconds)

    def _judge(self, answer: readiness.Answer) -> None:
        if answer.nonces:
            if self._nonce not in answer.nonces:
                raise readiness.Stranger(
                    f"another server answers on port {self.port}: its X-Harness-Nonce is "
                    f"{answer.nonces[0]!r}, not the one that was given in HARNESS_NONCE"
                )
        elif self._options.must_answer_nonce:
            raise readiness.Stranger(
                f"another server answers on port {self.port}: it sends no X-Harness-Nonce"
            )
        elif not self._options.inherit_socket:
            self._check_holder()

    def _check_holder(self) -> None:
        """Prove by the kernel's table that the socket which answered is the family's own."""
        mine = ports.held_by(self._members())
        if ports.HAS_PROC:
            there = ports.reached(ports.all_listeners(), self.port)
            if not there:
                raise readiness.NoAnswer(f"port {self.port} was closed after it had answered")
        else:
            there = [each for each in mine.listeners if each.port == self.port]
        if there and all(each in mine.listeners for each in there):
            return
        hidden = f"; descriptors of {mine.unreadable} cannot be read" if mine.unreadable else ""
        raise readiness.Stranger(
            f"port {self.port} belongs to somebody else: no process of this server holds the "
            f"socket that answers there{hidden}"
        )

    def _failure(self, problem: str) -> str:
        seconds = time.monotonic() - self._began
        self._family.poll()
        words = self._family.output.last_lines()
        hint = self._hint()
        shown = self._options.shown
        return "\n".join(
            [
                f"{self._options.label} was not ready after {seconds:.1f} s "
                f"(its bound is {self._options.start_seconds:g} s: {self._options.bound_key}): "
                f"{problem}",
                *([hint] if hint else []),
                *([f"Command: {shown}"] if shown and shown != self._options.label else []),
                f"Directory: {self._options.directory}",
                f"Its last words:\n{words}" if words else "It printed nothing.",
            ]
        )

    def _hint(self) -> str:
        """Say where it listens, when that is not where it was looked for."""
        if self._options.must_answer_nonce:
            return ""
        if self._options.inherit_socket:
            return (
                f"It was given a listening socket as descriptor {LISTEN_DESCRIPTOR} "
                f"({environment.LISTEN_FD_VARIABLE}, {{fd}}, port {self.port})."
            )
        found = ports.held_by(self._members()).listeners
        if not found or ports.reached(found, self.port):
            return ""
        where = ", ".join(sorted({str(each) for each in found}))
        if not self.port:
            return f"It does listen on {where}: print http://127.0.0.1:PORT, or give start_line=."
        return f"It does listen on {where}: let it bind 127.0.0.1 and print that port."

    # -- how it is ----------------------------------------------------------------------

    @property
    def pid(self) -> int:
        """The leader of the family."""
        return self._family.pid

    def processes(self) -> list[ProcessSample]:
        """Return the family's live processes."""
        if self._closed or self._family.inert:
            return []
        return sample_descendants(self._family.warden_pid)

    def output(self) -> str:
        """Return what the family has printed, bounded."""
        self._family.poll()
        return self._family.output.text()

    def died(self) -> str | None:
        """Say how it ended by itself; a leader that left a live child behind has not."""
        if self._closed or self._family.inert:
            return None
        how = self._family.ended_as()
        if how is not None and self._family.leader_status == 0 and self._members():
            return None
        return how

    def _members(self) -> list[int]:
        return [each.pid for each in self.processes() if each.status != _ZOMBIE]

    # -- end ----------------------------------------------------------------------------

    def close(self) -> ExitReport | None:
        """End the family and prove that its processes and its listening sockets are gone."""
        if self._family.inert:
            return None
        with self._lock:
            if self._closed:
                return self._family.report
            held = ports.held_by(self._members()).listeners
            report = self._family.end()
            self._closed = True
            if left := ports.still_listening(held):
                raise OwnershipError(
                    f"{self._options.label} is gone, but its socket still listens on "
                    f"{', '.join(map(str, left))}: it was passed to a process outside its family"
                )
            return report


def filled(arguments: Iterable[str], *, descriptor: int, port: int) -> tuple[str, ...]:
    """Return a command's arguments with `{fd}` and `{port}` filled in; `${port}` is a shell's."""
    values = {"fd": str(descriptor), "port": str(port)}
    return tuple(PLACEHOLDER.sub(lambda found: values[found[1]], each) for each in arguments)
