"""The owner's side of a family: start it, hear of it, end it, verify its end."""

import os
import secrets
import select
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

from harness.errors import OwnershipError, StartError
from harness.process import cgroup, lifeline, ownership, verifier, wire
from harness.process.output import BoundedOutput
from harness.process.ownership import END_SECONDS
from harness.process.report import (
    EndedProcess,
    ExitReport,
    ProcessIdentity,
    describe_status,
    ended_processes,
    from_message,
)
from harness.process.spawner import start_ticks
from harness.process.spec import FamilySpec, start_message

START_SECONDS = 20.0
# poll(2) takes milliseconds in an int.
_LONGEST_WAIT_SECONDS = 1_000_000.0


class Family:
    """One owned process family. Its owner is the process that started it and no fork of it.

    Use as a context manager, or call `end`; at the owner's exit, however it comes, the warden
    ends the family all the same.
    """

    def __init__(self, spec: FamilySpec) -> None:
        self.spec = spec
        self.output = BoundedOutput()
        self.scratch: Path | None = None
        self.group: Path | None = None
        self.leader: ProcessIdentity | None = None
        self.leader_status: int | None = None
        self.report: ExitReport | None = None
        self.late: tuple[EndedProcess, ...] = ()
        self.swept: wire.Message | None = None
        self.adopted: set[int] = set()
        self.side_data = bytearray()
        self.cleaned: list[wire.Message] = []
        self._owner_pid = os.getpid()
        self._lock = threading.RLock()
        self._refusal: wire.Message | None = None
        self._started = False
        self.identifier = spec.scratch or secrets.token_hex(4)
        self._lifeline = lifeline.take(spec.listen)
        ownership.register(self)
        try:
            self._send(start_message(spec, self.identifier, self._lifeline.inode))
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
        return self._lifeline.pid

    @property
    def pid(self) -> int:
        """The leader's process id, which is also its process group and session."""
        if self.leader is None:
            raise ValueError(f"{self.spec.label} has no leader")
        return self.leader.pid

    @property
    def lost(self) -> bool:
        """True when the warden is gone and has not reported."""
        return self._lifeline.closed and self.report is None

    def poll(self) -> None:
        """Take in what the warden has said since; never blocks."""
        self.wait_for(lambda: True, 0.0)

    def ended_as(self) -> str | None:
        """Say how the leader ended, None while it runs."""
        self.poll()
        if self.leader_status is not None:
            return describe_status(self.leader_status)
        if self.lost:
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
            if not self._lifeline.closed:
                poller.register(self._lifeline, select.POLLIN)
            while not (self._lifeline.closed or (seconds and happened())):
                left = until - time.monotonic()
                if not poller.poll(min(max(0.0, left), _LONGEST_WAIT_SECONDS) * 1000):
                    break
                for message in self._lifeline.receive():
                    self._take(message)
            return happened()

    def send_side(self, data: bytes) -> None:
        """Write to the leader's side pipe; lost when the leader has closed it."""
        self._send({"do": "side", "data": data})

    def fileno(self) -> int:
        """Return the descriptor that is readable when there is something to `poll` for."""
        return self._lifeline.fileno()

    def send_signal(self, number: int) -> None:
        """Send one signal to the leader alone; nothing happens when it has ended."""
        self._send({"do": "signal", "number": number})

    def ask_end(self, grace_seconds: float) -> None:
        """Order the end without waiting for it; `report` is there when `poll` has heard of it."""
        self._send({"do": "end", "grace_seconds": grace_seconds})

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
            self._lifeline.release()

    def wait_for_warden(self, seconds: float) -> bool:
        """Wait for the warden's own end; False when it has not ended after `seconds`."""
        return self.inert or self._lifeline.wait(seconds)

    def forget(self) -> None:
        """In a forked child: drop the inherited descriptors, so that nothing is held open.

        A guard is told of the child first, which carries no token that could be read of it: its
        environment is the one that its parent was started with.
        """
        if self.spec.sweep_token:
            pid = os.getpid()
            self._lifeline.send({"do": "adopt", "pid": pid, "start_ticks": start_ticks(pid)})
        self._lifeline.forget()

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
            if self._lifeline.released:
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
                group=self.report.group,
            )
            ownership.unregister(self)
            return self.report

    def _verify_released(self) -> None:
        """Wait for the warden, which is ending the family by itself, and look what is left."""
        if not self._lifeline.wait(END_SECONDS):
            raise OwnershipError(
                f"warden {self.warden_pid} of {self.spec.label} has not ended the family within "
                f"{END_SECONDS:.0f} s of being let go"
            )
        self._close()
        ownership.unregister(self)
        verifier.verify_gone(
            label=self.spec.label,
            leader=self.leader,
            family=self.identifier,
            scratch=self.scratch,
            group=self.group,
        )

    def _end_without_report(self) -> None:
        if not self._lifeline.closed:
            alive = "; ".join(map(str, self.late)) or "nothing that the warden could name"
            raise OwnershipError(
                f"{self.spec.label} has not ended within {END_SECONDS:.0f} s, still owned by "
                f"warden {self.warden_pid}: {alive}"
            )
        words = self._words()
        self._close()
        ownership.unregister(self)
        if self.group is not None:
            cgroup.end(os.fspath(self.group))
        left = verifier.end_orphans(self.leader, self.identifier)
        raise OwnershipError(
            f"the warden of {self.spec.label} (pid {self.warden_pid}) ended without an exit "
            f"report{words}; {left}; its scratch goes with the next start"
        )

    def _abandon(self) -> None:
        """Give up a start: the lifeline goes, the warden ends what it began, we wait for it."""
        self._lifeline.release()
        self._lifeline.wait(END_SECONDS)
        self._close()
        ownership.unregister(self)

    def _close(self) -> None:
        self._lifeline.close()
        self._lifeline.wait(END_SECONDS)

    # -- events -------------------------------------------------------------------------

    def _await_start(self) -> None:
        done = self.wait_for(lambda: self._started or self._refusal is not None, START_SECONDS)
        if self._refusal is not None:
            error = self._refusal["error"]
            raise StartError(f"{self.spec.label} cannot be started: {error}")
        if not done:
            raise StartError(f"the warden of {self.spec.label} did not start{self._words()}")

    def _take(self, message: wire.Message) -> None:
        match message["event"]:
            case "started":
                self._started = True
                if message["pid"] is not None:
                    self.leader = ProcessIdentity(
                        pid=message["pid"], start_ticks=message["start_ticks"]
                    )
                self.scratch = Path(message["scratch"]) if message["scratch"] else None
                self.group = Path(message["group"]) if message["group"] else None
            case "not_started":
                self._refusal = message
            case "output":
                self.output.add(message["data"], message["dropped_bytes"])
            case "side":
                self.side_data += message["data"]
            case "side_closed":
                # The leader has closed its end; its own end is news of its own.
                pass
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
        if not self.inert:
            self._lifeline.send(message)

    def _words(self) -> str:
        words = self._lifeline.words()
        return f", saying: {words}" if words else ""
