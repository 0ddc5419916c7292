"""The per-process guard: ends what carries this process's token and has no warden of its own.

A test body may start processes without asking us. They inherit the run token through the
environment; the guard, a warden without a leader, finds them by it when this process ends,
however it ends, and on request before that.
"""

import contextlib
import os
import secrets
import select
import signal
from pathlib import Path
from typing import Self

from harness.errors import OwnershipError
from harness.model.identifiers import RunToken
from harness.process import procfs, verifier
from harness.process.client import Family
from harness.process.report import EndedProcess, ProcessIdentity
from harness.process.spec import FamilySpec, new_scratch


class Guard:
    """Owns this process's stray children from `start` until `stop`.

    While it runs, `HARNESS_RUN_TOKEN` in `os.environ` holds this run's token after those of the
    runs around it, so that an outer guard still finds what an inner run started.
    """

    def __init__(self, family: Family, token: RunToken, scratch: Path, outer: str | None) -> None:
        self.family = family
        self.token = token
        self.scratch = scratch
        self._outer = outer

    @classmethod
    def start(cls) -> Self:
        """Start the guard of this process; its scratch directory is for the run's own files."""
        token = RunToken(secrets.token_hex(8))
        outer = os.environ.get(procfs.TOKEN_VARIABLE)
        identifier, path = new_scratch()
        family = Family(
            FamilySpec(label="the guard of this run", scratch=identifier, sweep_token=token)
        )
        os.environ[procfs.TOKEN_VARIABLE] = f"{outer}:{token}" if outer else token
        return cls(family, token, path, outer)

    def own(self, pid: int) -> ProcessIdentity:
        """Own one running process and its group; ProcessLookupError when it is gone."""
        entry = procfs.stat(pid)
        if entry is None or entry.state == "Z":
            raise ProcessLookupError(f"pid {pid} has already ended, so it cannot be owned")
        identity = ProcessIdentity(pid=pid, start_ticks=entry.start_ticks)
        self.family.adopt(identity)
        return identity

    def release(self, identity: ProcessIdentity) -> None:
        """Stop owning a process whose end is confirmed."""
        self.family.release(identity)

    def sweep(self) -> tuple[EndedProcess, ...]:
        """End what tests left behind and return it. Raises OwnershipError when it cannot."""
        return self.family.sweep()

    def stop(self) -> None:
        """Take the token out of the environment and end the guard."""
        if self.family.inert:
            return
        if self._outer is None:
            os.environ.pop(procfs.TOKEN_VARIABLE, None)
        else:
            os.environ[procfs.TOKEN_VARIABLE] = self._outer
        self.family.end()


def stop_process(guard: Guard, identity: ProcessIdentity, grace_seconds: float) -> None:
    """End an adopted process and its group: SIGTERM, `grace_seconds`, SIGKILL.

    Returns when it is gone or a zombie that its parent has yet to reap; raises OwnershipError
    when it is still running at the end.
    """
    entry = verifier.read_stat(identity.pid)
    if entry is None or entry.start_ticks != identity.start_ticks:
        guard.release(identity)
        return
    handle = os.pidfd_open(identity.pid)
    try:
        for number, seconds in ((signal.SIGTERM, grace_seconds), (signal.SIGKILL, 5.0)):
            _signal_family(identity.pid, handle, number, entry.group == identity.pid)
            if _ended_within(handle, seconds):
                break
        else:
            raise OwnershipError(f"pid {identity.pid} does not end, still owned by the guard")
    finally:
        os.close(handle)
    guard.release(identity)


def _signal_family(pid: int, handle: int, number: int, leads_group: bool) -> None:
    with contextlib.suppress(ProcessLookupError):
        if leads_group:
            os.killpg(pid, number)
        else:
            signal.pidfd_send_signal(handle, number)


def _ended_within(handle: int, seconds: float) -> bool:
    poller = select.poll()
    poller.register(handle, select.POLLIN)
    return bool(poller.poll(seconds * 1000))
