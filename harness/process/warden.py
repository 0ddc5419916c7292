"""A warden: the small process that owns one family and outlives its owner by a moment.

Started with a bare interpreter (`-I -S`), single-threaded, in a session of its own, deaf to
the polite signals, a child subreaper. It ends the family when it is asked to, when the
leader ends, or when the owner is gone, which it learns from two witnesses: the control
socket's end and the owner's pidfd (a forked child may hold the socket open).

Without a command it is a guard: it owns what carries its token, and what was adopted.
"""

from __future__ import annotations

import _signal as signals
import os
import select
import sys
import time

from harness.process import cgroup, janitor, polite_end, reaper, scratch, spawner
from harness.process.owner_line import OwnerLine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.process import wire
    from harness.process.record_line import RecordLine

    Line = OwnerLine | RecordLine

_DEAF = ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGPIPE", "SIGUSR1", "SIGUSR2", "SIGALRM",
         "SIGTSTP", "SIGTTIN", "SIGTTOU")  # fmt: skip
_CHUNK_BYTES = 65536
_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
_ORPHAN_SWEEP_SECONDS = 5.0


class Warden:
    """Event loop over the owner's line and pidfd, SIGCHLD, output and side pipe."""

    def __init__(self, owner: Line, owner_handle: int) -> None:
        self.poll = select.poll()
        self.owner_handle = owner_handle
        self.owner = owner
        self.leader: int | None = None
        self.leader_start = 0
        self.leader_status: int | None = None
        self.leader_reaped = False
        self.output = self.side_in = self.side_out = -1
        self.scratch: str | None = None
        self.lock = -1
        self.group: cgroup.Group | None = None
        self.spec: wire.Message = {}
        self.reason = ""
        self.grace_seconds = 0.0
        self.child_read, child_write = os.pipe()
        for number in (self.child_read, child_write):
            os.set_blocking(number, False)
        signals.signal(signals.SIGCHLD, lambda *_: None)
        signals.set_wakeup_fd(child_write)
        self.family = reaper.Family(self._on_reaped, self.wait)
        self.sweep: reaper.Sweep | None = None

    # -- life ---------------------------------------------------------------------------

    def run(self) -> None:
        self.owner.attach(self.poll, self._on_owner_gone)
        if self.owner_handle >= 0:
            self.poll.register(self.owner_handle, select.POLLIN)
        self.poll.register(self.child_read, select.POLLIN)
        while not self.spec and self.owner.open:
            self._step(None)
        if not self.spec:
            return
        began = time.monotonic()
        fault = None
        try:
            self._start()
            while not self.reason:
                self._step(None)
        except Exception as error:
            fault = f"{type(error).__name__}: {error}"
            self.reason = self.reason or "fault"
        self._finish(fault, began)

    def _start(self) -> None:
        spec = self.spec
        if spec["sweep_token"]:
            self.sweep = reaper.Sweep(spec["sweep_token"], spec["owner"], spec["line_inode"])
        try:
            if spec["scratch"]:
                record = f"{os.getpid()} {spec['owner']} {spec['label']}\n".encode()
                self.scratch, self.lock = scratch.create(spec["root"], spec["scratch"], record)
            if spec["command"]:
                self.group = cgroup.Group.create(spec["identifier"])
                self._spawn()
        except OSError as error:
            self.reason = "not started"
            self.owner.tell({"event": "not_started", "errno": error.errno, "error": str(error)})
            return
        self.owner.tell(
            {
                "event": "started",
                "pid": self.leader,
                "start_ticks": self.leader_start,
                "scratch": self.scratch,
                "group": self.group.path if self.group else None,
            }
        )
        if spec["janitor"]:
            for path, problem in janitor.clean(spec["root"]):
                self.owner.tell({"event": "cleaned", "path": path, "problem": problem})

    def _spawn(self) -> None:
        if self.spec["stdio"] == "inherited":
            self._start_leader({0: 0, 1: 1, 2: 2})
            # Whoever reads the program's output is to see its end, not this warden's.
            null = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
            for number in (1, 2):
                os.dup2(null, number)
            return
        spec = self.spec
        null = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        if spec["stdio"] == "file":
            output = os.open(spec["output"], _APPEND, 0o644)
            try:
                self._start_leader({0: null, 1: output, 2: output})
            finally:
                os.close(null)
                os.close(output)
            return
        self.output, output_write = os.pipe()
        descriptors = {0: null, 1: output_write, 2: output_write}
        inner: list[int] = [null, output_write]
        if spec["side_pipe"]:
            side_read, self.side_out = os.pipe()
            self.side_in, side_write = os.pipe()
            descriptors[3], descriptors[4] = side_read, side_write
            inner += [side_read, side_write]
        elif spec["listen"] >= 0:
            descriptors[3] = spec["listen"]
            inner.append(spec["listen"])
        for number in (self.output, self.side_in, self.side_out):
            if number >= 0:
                os.set_blocking(number, False)
        self.poll.register(self.output, select.POLLIN)
        if self.side_in >= 0:
            self.poll.register(self.side_in, select.POLLIN)
        try:
            self._start_leader(descriptors)
        finally:
            for number in inner:
                os.close(number)

    def _start_leader(self, descriptors: dict[int, int]) -> None:
        self.leader = spawner.start_leader(self.spec, descriptors, self.group)
        self.leader_start = spawner.start_ticks(self.leader)

    # -- events -------------------------------------------------------------------------

    def wait(self, seconds: float) -> None:
        """Handle whatever happens, for at most `seconds`."""
        self._step(seconds)

    def _step(self, seconds: float | None) -> None:
        for number, event in self.poll.poll(None if seconds is None else seconds * 1000):
            if number == self.owner.control:
                self._on_control(event)
            elif number == self.owner_handle:
                self._on_owner_gone()
            elif number == self.child_read:
                self._on_child()
            elif number == self.output:
                self._on_output()
            elif number == self.side_in:
                self._on_side()

    def _on_control(self, event: int) -> None:
        if event & select.POLLOUT:
            self.owner.drain()
        if self.owner.open and event & (select.POLLIN | select.POLLHUP | select.POLLERR):
            for message in self.owner.orders():
                self._obey(message)

    def _on_owner_gone(self) -> None:
        self.reason = self.reason or "owner gone"
        self.grace_seconds = min(self.grace_seconds, self.spec.get("orphan_grace_seconds", 0.0))
        if self.owner_handle >= 0:
            self.poll.unregister(self.owner_handle)
            self.owner_handle = -1
        self.owner.hang_up()

    def _obey(self, message: wire.Message) -> None:
        match message["do"]:
            case "start":
                self.spec = message
            case "end":
                self.reason = self.reason or "asked"
                self.grace_seconds = message["grace_seconds"]
            case "side" if self.side_out >= 0:
                try:
                    os.write(self.side_out, message["data"])
                except OSError as error:
                    self.owner.tell({"event": "side_closed", "error": str(error)})
            case "signal" if self.leader is not None and not self.leader_reaped:
                reaper.kill(self.leader, message["number"])
            case "signal":
                pass
            case "adopt" if self.sweep:
                self.sweep.adopted[message["pid"]] = message["start_ticks"]
                self.owner.tell({"event": "adopted", "pid": message["pid"]})
            case "release" if self.sweep:
                self.sweep.adopted.pop(message["pid"], None)
            case "sweep" if self.sweep:
                self.sweep.ended = []
                alive = self.sweep.end(message["deadline_seconds"], self._pause)
                self.owner.tell({"event": "swept", "ended": self.sweep.ended, "alive": alive})
            case unknown:
                self.owner.tell({"event": "unknown_command", "name": unknown})

    def _on_child(self) -> None:
        while True:
            try:
                if not os.read(self.child_read, 512):
                    break
            except BlockingIOError:
                break
        if self.reason:
            return
        while True:
            try:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                break
            if ended is None:
                break
            if ended.si_pid == self.leader and self.spec["leader_ends_family"]:
                # Left unreaped: its group id stays its own until the group is killed.
                self._drain_output()
                self.leader_status = _wait_status(ended.si_code, ended.si_status)
                self.owner.tell({"event": "leader_ended", "status": self.leader_status})
                self.reason = "leader ended"
                break
            pid, status = os.waitpid(ended.si_pid, 0)
            self._on_reaped(pid, status)

    def _on_reaped(self, pid: int, status: int) -> None:
        if pid != self.leader:
            return
        self.leader_reaped = True
        if self.leader_status is None:
            self.leader_status = status
            self._drain_output()
            self.owner.tell({"event": "leader_ended", "status": status})

    def _on_output(self) -> bool:
        try:
            data = os.read(self.output, _CHUNK_BYTES)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            self.poll.unregister(self.output)
            os.close(self.output)
            self.output = -1
            return False
        self.owner.tell_output(data)
        return True

    def _drain_output(self) -> None:
        until = time.monotonic() + 0.2
        while self.output >= 0 and time.monotonic() < until and self._on_output():
            continue
        # What follows is news of an end; the last words belong before it.
        self.owner.tell_held()

    def _on_side(self) -> None:
        try:
            data = os.read(self.side_in, _CHUNK_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self.owner.tell({"event": "side", "data": data})
        else:
            self.poll.unregister(self.side_in)

    # -- end ----------------------------------------------------------------------------

    def _finish(self, fault: str | None, began: float) -> None:
        end_began = time.monotonic()
        outlived = self._settle()
        if self.leader is not None:
            polite_end.ask(
                self.leader,
                lambda: self.leader_reaped,
                self.spec.get("polite_signal", 0),
                lambda: self.grace_seconds,
                self.wait,
            )
        group = self.leader if self.leader is not None and not self.leader_reaped else None
        self.family.end(group, self._tell_late)
        self._drain_output()
        ended = self.family.ended
        alive: list[reaper.Ended] = []
        if self.sweep:
            # An owner that ends in good order has swept already; one that died has not.
            alive = self.sweep.end(_ORPHAN_SWEEP_SECONDS, self._pause)
            ended = ended + self.sweep.ended
            if not self.owner.open:
                cgroup.end_abandoned()
        group_problem = self.group.remove() if self.group else None
        scratch_problem = scratch.remove(self.scratch) if self.scratch else None
        if self.lock >= 0:
            os.close(self.lock)
        self.owner.tell(
            {
                "event": "report",
                "reason": self.reason,
                "leader": self.leader,
                "leader_start_ticks": self.leader_start,
                "leader_status": self.leader_status,
                "outlived": outlived,
                "ended": ended,
                "alive": alive,
                "refused": self.family.refused,
                "scratch": self.scratch,
                "scratch_problem": scratch_problem,
                "group": self.group.path if self.group else None,
                "group_problem": group_problem,
                "fault": fault,
                "lifetime_seconds": end_began - began,
                "end_seconds": time.monotonic() - end_began,
            }
        )
        while self.owner.pending:
            self._step(None)

    def _settle(self) -> list[reaper.Ended]:
        """After a leader's own end, return what goes on past the time it is given for its end."""
        seconds = self.spec.get("settle_seconds", 0.0)
        if self.reason != "leader ended" or not seconds:
            return []
        return polite_end.settle(seconds, self.wait)

    def _pause(self, seconds: float) -> None:
        select.poll().poll(seconds * 1000)
        self.family.reap()

    def _tell_late(self, alive: list[reaper.Ended]) -> None:
        self.owner.tell({"event": "late", "alive": alive})


def _wait_status(code: int, status: int) -> int:
    """Return what waitpid(2) would have said for what waitid(2) did."""
    return status << 8 if code == os.CLD_EXITED else status


def become_deaf_subreaper() -> None:
    """Ignore the polite signals and inherit orphans, as every warden does."""
    for name in _DEAF:
        signals.signal(getattr(signals, name), signals.SIG_IGN)
    if sys.platform == "linux":
        spawner.prctl(spawner.PR_SET_CHILD_SUBREAPER, 1)


def main() -> None:
    """Entry: `<control descriptor> <owner's pidfd or -1>` in the arguments."""
    control, owner_handle = int(sys.argv[2]), int(sys.argv[3])
    for number in (control, owner_handle):
        if number >= 0:
            os.set_inheritable(number, False)
    become_deaf_subreaper()
    os.set_blocking(control, False)
    Warden(OwnerLine(control), owner_handle).run()
    # Nothing here needs an interpreter's orderly end, and the owner waits for ours.
    os._exit(0)
