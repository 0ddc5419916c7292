"""The owner's side of a warden: start a family, hear of it, end it, verify its end."""

import atexit
import contextlib
import os
import secrets
import select
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Self

from harness.errors import OwnershipError, StartError
from harness.process import procfs, scratch, verifier, wire
from harness.process.output import BoundedOutput
from harness.process.report import (
    EndedProcess,
    ExitReport,
    ProcessIdentity,
    describe_status,
    ended_processes,
    from_message,
)

_PACKAGE_PARENT = Path(__file__).resolve().parents[2]
_ENTRY = (
    "import sys; sys.path.insert(0, sys.argv[4]); from harness.process.warden import main; main()"
)
START_SECONDS = 20.0
# From the request until the report: the warden's own bounds end well before it.
END_SECONDS = 15.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilySpec:
    """What a warden is to start and own.

    `command` empty means a guard, which owns by `sweep_token` and adoption. `listen` is a
    descriptor that the leader finds at number 3; `side_pipe` gives it 3 (reads) and 4
    (writes) instead. `grace_seconds` bounds the polite end, `orphan_grace_seconds` the same
    when the owner is gone. A family with `leader_ends_family` ends when its leader does.
    `scratch` is an identifier from `scratch_path`, None for no scratch.
    """

    label: str
    command: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    directory: str = "/"
    scratch: str | None = None
    side_pipe: bool = False
    listen: int = -1
    grace_seconds: float = 0.0
    orphan_grace_seconds: float = 0.0
    leader_ends_family: bool = True
    sweep_token: str = ""


def new_scratch() -> tuple[str, Path]:
    """Return an unused scratch identifier and the path that its warden will make for it."""
    identifier = secrets.token_hex(4)
    return identifier, Path(scratch.root()) / identifier


class Family:
    """One owned process family. Its owner is the process that started it and no fork of it.

    Use as a context manager, or call `end`; at the owner's exit, however it comes, the warden
    ends the family all the same.
    """

    def __init__(self, spec: FamilySpec) -> None:
        self.spec = spec
        self.output = BoundedOutput()
        self.scratch: Path | None = None
        self.leader: ProcessIdentity | None = None
        self.leader_status: int | None = None
        self.report: ExitReport | None = None
        self.late: tuple[EndedProcess, ...] = ()
        self.swept: wire.Message | None = None
        self.adopted: set[int] = set()
        self.side_data = bytearray()
        self.side_closed = False
        self.released = False
        self.cleaned: list[wire.Message] = []
        self._owner_pid = os.getpid()
        self._decoder = wire.Decoder()
        self._lock = threading.RLock()
        self._refusal: wire.Message | None = None
        self._started = False
        self._closed = False
        self.identifier = spec.scratch or secrets.token_hex(4)
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `_close`
        self._control, self._process = _start_warden(self._log, spec.listen)
        _live.add(self)
        try:
            self._send({"do": "start", **_start_message(spec, self.identifier)})
            self._await_start()
        except BaseException:
            self._abandon()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    # -- facts --------------------------------------------------------------------------

    @property
    def inert(self) -> bool:
        """True in a forked child: the family belongs to the parent, nothing here touches it."""
        return os.getpid() != self._owner_pid

    @property
    def warden_pid(self) -> int:
        """The warden's process id, the root of the family's descent."""
        return self._process.pid

    @property
    def pid(self) -> int:
        """The leader's process id, which is also its process group and session."""
        if self.leader is None:
            raise ValueError(f"{self.spec.label} has no leader")
        return self.leader.pid

    def poll(self) -> None:
        """Take in what the warden has said since; never blocks."""
        self.wait_for(lambda: True, 0.0)

    def ended_as(self) -> str | None:
        """Say how the leader ended, None while it runs."""
        self.poll()
        if self.leader_status is not None:
            return describe_status(self.leader_status)
        if self._closed and self.report is None:
            return "lost its warden"
        return None

    # -- talk ---------------------------------------------------------------------------

    def wait_for(self, happened: Callable[[], bool], seconds: float) -> bool:
        """Take in events until `happened()`; False when `seconds` pass or the warden is gone."""
        if self.inert:
            return happened()
        until = time.monotonic() + seconds
        with self._lock:
            poller = select.poll()
            if not self._closed:
                poller.register(self._control, select.POLLIN)
            while not (self._closed or (seconds and happened())):
                left = until - time.monotonic()
                if not poller.poll(max(0.0, left) * 1000):
                    break
                self._receive()
            return happened()

    def send_side(self, data: bytes) -> None:
        """Write to the leader's side pipe; lost when the leader has closed it."""
        self._send({"do": "side", "data": data})

    def adopt(self, identity: ProcessIdentity) -> None:
        """Make a guard own one more process; returns when the guard has confirmed it."""
        self._send({"do": "adopt", "pid": identity.pid, "start_ticks": identity.start_ticks})
        if not self.wait_for(lambda: identity.pid in self.adopted, 5.0):
            raise OwnershipError(f"the guard did not take over pid {identity.pid}")

    def release(self, identity: ProcessIdentity) -> None:
        """Make a guard forget a process whose end the caller has confirmed."""
        self.adopted.discard(identity.pid)
        self._send({"do": "release", "pid": identity.pid})

    def sweep(self, deadline_seconds: float = 5.0) -> tuple[EndedProcess, ...]:
        """Make a guard end every process that carries its token; return what it ended.

        Raises OwnershipError when one is still alive at the deadline or the guard is lost.
        """
        if self.inert:
            return ()
        self.swept = None
        self._send({"do": "sweep", "deadline_seconds": deadline_seconds})
        if not self.wait_for(lambda: self.swept is not None, deadline_seconds + 5.0):
            raise OwnershipError(f"the guard of this process gave no answer{self._words()}")
        assert self.swept is not None
        if self.swept["alive"]:
            alive = "; ".join(map(str, ended_processes(self.swept["alive"])))
            raise OwnershipError(f"processes of this run cannot be ended: {alive}")
        return ended_processes(self.swept["ended"])

    def release_lifeline(self) -> None:
        """Let go at once, for a signal handler: the warden ends the family by itself."""
        if not self.inert:
            self.released = True
            with contextlib.suppress(OSError):
                self._control.shutdown(socket.SHUT_RDWR)

    # -- end ----------------------------------------------------------------------------

    def end(self, grace_seconds: float | None = None) -> ExitReport | None:
        """End the family and verify it by a look of our own; return the warden's report.

        `grace_seconds` bounds the polite end (default: the spec's). Returns the same report
        again when called twice; None in a forked child, and for a family that was let go
        after a signal, whose report has no reader. Raises OwnershipError when the report is
        missing or incomplete, or when the verifier finds anything left; ownership and scratch
        are kept in that case and another `end` tries again.
        """
        if self.inert:
            return None
        with self._lock:
            if self.released:
                self._verify_released()
                return None
            if self.report is None:
                grace = self.spec.grace_seconds if grace_seconds is None else grace_seconds
                self._send({"do": "end", "grace_seconds": grace})
                self.wait_for(lambda: self.report is not None, END_SECONDS + grace)
            if self.report is None:
                self._end_without_report()
            self._close()
            assert self.report is not None
            if self.report.problems:
                raise OwnershipError(f"{self.spec.label}: " + "; ".join(self.report.problems))
            verifier.verify_gone(
                label=self.spec.label,
                leader=self.report.leader,
                others=self.report.ended,
                family=self.identifier,
                scratch=self.report.scratch,
            )
            _live.discard(self)
            return self.report

    def _verify_released(self) -> None:
        """Wait for the warden, which is ending the family by itself, and look what is left."""
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            raise OwnershipError(
                f"warden {self.warden_pid} of {self.spec.label} has not ended the family within "
                f"{END_SECONDS:.0f} s of being let go"
            ) from None
        self._close()
        _live.discard(self)
        verifier.verify_gone(
            label=self.spec.label,
            leader=self.leader,
            family=self.identifier,
            scratch=self.scratch,
        )

    def _end_without_report(self) -> None:
        if not self._closed:
            alive = "; ".join(map(str, self.late)) or "nothing that the warden could name"
            raise OwnershipError(
                f"{self.spec.label} has not ended within {END_SECONDS:.0f} s, still owned by "
                f"warden {self.warden_pid}: {alive}"
            )
        words = self._words()
        self._close()
        _live.discard(self)
        left = verifier.end_orphans(self.leader, self.identifier)
        raise OwnershipError(
            f"the warden of {self.spec.label} (pid {self.warden_pid}) ended without an exit "
            f"report{words}; {left}; its scratch goes with the next start"
        )

    def _abandon(self) -> None:
        """Give up a start: the lifeline goes, the warden ends what it began, we wait for it."""
        self.release_lifeline()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(END_SECONDS)
        self._close()
        _live.discard(self)

    def _close(self) -> None:
        self._closed = True
        with contextlib.suppress(OSError):
            self._control.close()
        if not self._log.closed:
            self._log.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(END_SECONDS)

    def forget(self) -> None:
        """In a forked child: drop the inherited descriptors, so that nothing is held open."""
        with contextlib.suppress(OSError):
            os.close(self._control.detach())
        # Not a child of this process: its Popen must neither wait nor warn.
        self._process.returncode = 0

    # -- events -------------------------------------------------------------------------

    def _await_start(self) -> None:
        done = self.wait_for(lambda: self._started or self._refusal is not None, START_SECONDS)
        if self._refusal is not None:
            error = self._refusal["error"]
            raise StartError(f"{self.spec.label} cannot be started: {error}")
        if not done:
            raise StartError(f"the warden of {self.spec.label} did not start{self._words()}")

    def _receive(self) -> None:
        try:
            data = self._control.recv(65536)
        except OSError:
            data = b""
        if not data:
            self._closed = True
            return
        for message in self._decoder.feed(data):
            self._take(message)

    def _take(self, message: wire.Message) -> None:
        match message["event"]:
            case "started":
                self._started = True
                if message["pid"] is not None:
                    self.leader = ProcessIdentity(
                        pid=message["pid"], start_ticks=message["start_ticks"]
                    )
                self.scratch = Path(message["scratch"]) if message["scratch"] else None
            case "not_started":
                self._refusal = message
            case "output":
                self.output.add(message["data"], message["dropped_bytes"])
            case "side":
                self.side_data += message["data"]
            case "side_closed":
                self.side_closed = True
            case "leader_ended":
                self.leader_status = message["status"]
            case "late":
                self.late = ended_processes(message["alive"])
            case "adopted":
                self.adopted.add(message["pid"])
            case "swept":
                self.swept = message
            case "cleaned":
                self.cleaned.append(message)
            case "report":
                self.report = from_message(message)
            case unknown:
                raise ValueError(f"a warden said {unknown!r}, which no owner knows")

    def _send(self, message: wire.Message) -> None:
        if self.inert or self._closed:
            return
        # A dead warden shows as the end of its stream, where `wait_for` meets it.
        with contextlib.suppress(OSError):
            self._control.sendall(wire.pack(message))

    def _words(self) -> str:
        with contextlib.suppress(OSError, ValueError):
            self._log.seek(0)
            words = self._log.read()[-2000:].decode("utf-8", "backslashreplace").strip()
            if words:
                return f", saying: {words}"
        return ""


def _start_message(spec: FamilySpec, identifier: str) -> wire.Message:
    return {
        "label": spec.label,
        "owner": os.getpid(),
        "command": list(spec.command),
        "environment": {**spec.environment, procfs.FAMILY_VARIABLE: identifier},
        "directory": spec.directory,
        "scratch": spec.scratch,
        "root": scratch.root(),
        "side_pipe": spec.side_pipe,
        "listen": spec.listen,
        "umask": _umask(),
        "grace_seconds": spec.grace_seconds,
        "orphan_grace_seconds": spec.orphan_grace_seconds,
        "leader_ends_family": spec.leader_ends_family,
        "sweep_token": spec.sweep_token,
        "janitor": _first_of_this_process(),
    }


def _umask() -> int:
    # Reading the umask means setting it; /proc tells without a moment's change.
    with contextlib.suppress(OSError), open("/proc/self/status", encoding="ascii") as file:
        for line in file:
            if line.startswith("Umask:"):
                return int(line.split()[1], 8)
    return 0o022


def _start_warden(log: IO[bytes], listen: int) -> tuple[socket.socket, "subprocess.Popen[bytes]"]:
    ours, theirs = socket.socketpair()
    handle = -1
    try:
        with contextlib.suppress(AttributeError, OSError):
            handle = os.pidfd_open(os.getpid())
        passed = [number for number in (theirs.fileno(), handle, listen) if number >= 0]
        arguments = [str(theirs.fileno()), str(handle), str(_PACKAGE_PARENT)]
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _ENTRY, procfs.WARDEN_MARK, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            cwd="/",
            env={"PATH": os.defpath},
            pass_fds=passed,
            start_new_session=True,
        )
    except BaseException:
        ours.close()
        raise
    finally:
        theirs.close()
        if handle >= 0:
            os.close(handle)
    return ours, process


_live: set[Family] = set()
_cleaned_by: set[int] = set()


def _first_of_this_process() -> bool:
    first = os.getpid() not in _cleaned_by
    _cleaned_by.add(os.getpid())
    return first


def live_families() -> tuple[Family, ...]:
    """Return the families that this process owns now."""
    # Copied in one step: other threads start and end families meanwhile.
    return tuple(family for family in tuple(_live) if not family.inert)


def release_leaders() -> None:
    """Let every family with a leader go at once, for a signal handler; does not wait.

    Guards stay: what they watch over is still needed for an orderly end of this process.
    """
    for family in live_families():
        if family.leader is not None:
            family.release_lifeline()


def _end_all_at_exit() -> None:
    families = live_families()
    for family in families:
        family.release_lifeline()
    for family in families:
        with contextlib.suppress(subprocess.TimeoutExpired):
            family._process.wait(END_SECONDS)


def _forget_all_in_child() -> None:
    for family in _live:
        family.forget()
    _live.clear()


atexit.register(_end_all_at_exit)
os.register_at_fork(after_in_child=_forget_all_in_child)
