"""End every process below a warden, or every carrier of a token, and prove it.

Runs inside a warden, which is a subreaper: an orphan of its family becomes its own child, so
killing and reaping direct children until the kernel answers ECHILD reaches all of them.
"""

from __future__ import annotations

import _signal as signals  # the `signal` module costs a warden a third of its start-up
import os
import time

from harness.process import procfs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Ended = dict[str, Any]

RESCAN_SECONDS = 0.02
LATE_SECONDS = 3.0
INNER_WARDEN_SECONDS = 0.7
_PYTHON_HELPERS = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")


def describe(pid: int, how: str) -> Ended:
    """Return what an exit report says of one process; fields are None where it is gone."""
    entry = procfs.stat(pid)
    text = procfs.named(pid)
    return {
        "pid": pid,
        "start_ticks": entry.start_ticks if entry else None,
        "command": text[:300] if text else text,
        "how": how,
    }


def ends_by_itself(pid: int) -> bool:
    """Tell a warden, and Python's own helpers, which end with the process that needs them."""
    command = procfs.command(pid) or ""
    return procfs.is_warden(pid) or any(helper in command for helper in _PYTHON_HELPERS)


def kill(pid: int, number: int) -> str | None:
    """Send a signal; return None when delivered or when nobody is there, else the refusal."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return None
    except OSError as error:
        return str(error)
    return None


def kill_group(group: int) -> str | None:
    """SIGKILL a whole group whose leader is not reaped yet, so that its id is still its own."""
    try:
        os.killpg(group, signals.SIGKILL)
    except ProcessLookupError:
        return None
    except OSError as error:
        return str(error)
    return None


class Family:
    """What a warden knows of the processes it must end."""

    def __init__(self, on_status: Callable[[int, int], None], wait: Callable[[float], None]):
        self._on_status = on_status
        self._wait = wait
        self.ended: list[Ended] = []
        self.refused: list[str] = []
        self._seen: set[int] = set()

    def reap(self) -> bool:
        """Collect every child that has ended; return True when none is left at all (ECHILD)."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return True
            if pid == 0:
                return False
            self._seen.discard(pid)
            self._on_status(pid, status)

    def end(self, group: int | None, late: Callable[[list[Ended]], None]) -> None:
        """Kill the group, then every child and orphan, until the kernel says there is none.

        Calls `late` once, with what is still alive, when that takes longer than LATE_SECONDS;
        it goes on waiting all the same: ownership ends only with the confirmed exit.
        """
        began = time.monotonic()
        told = False
        if group is not None:
            self._note(kill_group(group), group)
        while not self.reap():
            waited = time.monotonic() - began
            alive = self._strike(group, patient=waited < INNER_WARDEN_SECONDS)
            if waited > LATE_SECONDS and alive and not told:
                told = True
                late([describe(pid, self._why_alive(pid)) for pid in alive])
            if not self.reap():
                self._wait(RESCAN_SECONDS)

    def _strike(self, group: int | None, *, patient: bool) -> list[int]:
        """SIGKILL the direct children; inner wardens first get their chance to end by themselves.

        Reports those that the group kill did not reach.
        """
        alive = []
        for pid in procfs.children(os.getpid()):
            try:
                entry = procfs.stat(pid)
            except PermissionError:
                # It became another user where proc(5) is mounted with `hidepid`: to be killed.
                alive.append(pid)
                self._note(kill(pid, signals.SIGKILL), pid)
                continue
            if entry is None or entry.state == "Z":
                continue
            alive.append(pid)
            if patient and procfs.is_warden(pid):
                continue
            if pid not in self._seen and entry.group != group:
                self._seen.add(pid)
                self.ended.append(describe(pid, "descent"))
            self._note(kill(pid, signals.SIGKILL), pid)
        return alive

    def _note(self, refusal: str | None, pid: int) -> None:
        # A refused kill is tried again with every scan, and told once.
        text = f"{pid}: {refusal}"
        if refusal is not None and text not in self.refused and len(self.refused) < 20:
            self.refused.append(text)

    def _why_alive(self, pid: int) -> str:
        refusals = [text for text in self.refused if text.startswith(f"{pid}: ")]
        return f"still alive, kill refused {refusals[0]}" if refusals else "still alive"


class Sweep:
    """Finds and ends processes that are not below this warden: by token, and by adoption."""

    def __init__(self, token: str, owner: int, line_inode: int):
        self._token = token
        self._owner = owner
        self._line = f"socket:[{line_inode}]"
        own = procfs.stat(os.getpid())
        self._since = own.start_ticks if own else 0
        self.adopted: dict[int, int] = {}
        self.ended: list[Ended] = []

    def members(self) -> list[tuple[int, int, str]]:
        """Return (pid, start_ticks, how) of every live member.

        The owner and wardens are none: a warden ends with its own owner. A stranger whose
        environment or entry cannot be read is no member; an adopted one is known by identity, and a
        child of the living owner that has shed the token by descent.
        """
        stats = (self._visible(pid) for pid in procfs.all_pids())
        entries = {entry.pid: entry for entry in stats if entry is not None}
        found = []
        for pid, entry in entries.items():
            if pid in (self._owner, os.getpid()) or entry.state in "ZX":
                continue
            if self.adopted.get(pid) == entry.start_ticks:
                found.append((pid, entry.start_ticks, "adopted"))
            elif entry.group in self.adopted and entry.group == entry.session:
                found.append((pid, entry.start_ticks, "group of an adopted process"))
            elif (how := self._how_ours(entry, entries)) and not ends_by_itself(pid):
                found.append((pid, entry.start_ticks, how))
        return found

    def _visible(self, pid: int) -> procfs.Stat | None:
        """Read an entry; where proc(5) is mounted with `hidepid`, strangers' cannot be."""
        try:
            return procfs.stat(pid)
        except PermissionError:
            if pid in self.adopted:
                raise
            return None

    def _how_ours(self, entry: procfs.Stat, entries: dict[int, procfs.Stat]) -> str | None:
        if self._carries_token(entry.pid):
            return "token"
        if entry.start_ticks < self._since:
            return None
        owner = entries.get(self._owner)
        if owner is None or owner.state in "ZX":
            return "a fork of the owner" if self._holds_line(entry.pid) else None
        parent = entries.get(entry.parent)
        while parent is not None and parent.pid != self._owner:
            if procfs.is_warden(parent.pid):
                return None
            parent = entries.get(parent.parent)
        return "descent" if parent is not None else None

    def _holds_line(self, pid: int) -> bool:
        """Tell whether it has the owner's end of the line to this warden.

        That end is closed in whatever the owner executes, so only a fork can have it, made behind
        the back of Python, which tells its own forks.
        """
        folder = f"/proc/{pid}/fd"
        try:
            return any(os.readlink(f"{folder}/{name}") == self._line for name in os.listdir(folder))
        except OSError:
            return False

    def _carries_token(self, pid: int) -> bool:
        try:
            value = procfs.environment_value(pid, procfs.TOKEN_VARIABLE)
        except PermissionError:
            return False
        return value is not None and self._token in value.split(":")

    def end(self, deadline_seconds: float, wait: Callable[[float], None]) -> list[Ended]:
        """SIGKILL members until two scans in a row find none; return those alive at the deadline.

        Two, since a process has no readable environment for a moment while it executes.
        """
        until = time.monotonic() + deadline_seconds
        seen: set[tuple[int, int]] = set()
        empty_scans = 0
        while empty_scans < 2:
            members = self.members()
            empty_scans = 0 if members else empty_scans + 1
            for pid, start_ticks, how in members:
                if (pid, start_ticks) not in seen:
                    seen.add((pid, start_ticks))
                    self.ended.append(describe(pid, how))
                self._kill_exactly(pid, start_ticks)
            if members and time.monotonic() > until:
                return [describe(pid, f"still alive, found by {how}") for pid, _, how in members]
            wait(RESCAN_SECONDS / 4)
        return []

    @staticmethod
    def _kill_exactly(pid: int, start_ticks: int) -> None:
        """Signal this process and no later one that was given the same number."""
        try:
            handle = os.pidfd_open(pid)
        except (OSError, AttributeError):
            return
        try:
            entry = procfs.stat(pid)
            if entry is not None and entry.start_ticks == start_ticks:
                signals.pidfd_send_signal(handle, signals.SIGKILL)
        except OSError:
            pass
        finally:
            os.close(handle)
