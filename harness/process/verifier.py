"""The owner's own look at whether a family is gone. It trusts no report and fails closed.

Only ENOENT, ENOTDIR and ESRCH mean that a process is gone. A zombie is dead but not reaped,
and is reported. Any other error is raised with a process table, or with the reason why no
table could be had; strangers whose environment or whole entry is private (`hidepid`, proc(5))
are the one exception, since they cannot be told from ours and a machine is full of them.
"""

import contextlib
import os
import signal
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from harness.errors import OwnershipError
from harness.process import table
from harness.process.procfs import ABSENT, FAMILY_VARIABLE, Stat, parse_stat
from harness.process.report import EndedProcess, ProcessIdentity

_ORPHAN_SECONDS = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Survivor:
    """A process of a family that should have none, and by which sign it was known."""

    pid: int
    state: str
    command: str
    sign: str

    def __str__(self) -> str:
        what = "dead but not reaped" if self.state == "Z" else f"alive (state {self.state})"
        return f"pid {self.pid} is {what}, known by its {self.sign}: {self.command or '-'}"


def read_stat(pid: int) -> Stat | None:
    """Return a process's stat, None when it is gone.

    Raises OwnershipError for any error that does not say so, with the process table.
    """
    try:
        return _stat(pid)
    except OSError as error:
        raise _unreadable(pid, error) from error


def is_gone(identity: ProcessIdentity) -> bool:
    """True when no process has this pid and start time, neither alive nor as a zombie."""
    entry = read_stat(identity.pid)
    return entry is None or entry.start_ticks != identity.start_ticks


def survivors(
    *, leader: ProcessIdentity | None, others: Iterable[EndedProcess] = (), family: str | None
) -> list[Survivor]:
    """Scan `/proc` once for processes of a family, zombies included.

    They are known by identity, by the leader's group or session, by the family's name in the
    environment, or by its scratch (`/<family>/`) in the command line.
    """
    known = {(process.pid, process.start_ticks) for process in others}
    if leader is not None:
        known.add((leader.pid, leader.start_ticks))
    known_pids = {pid for pid, _ in known}
    found = []
    for pid in _pids():
        try:
            entry = _stat(pid)
        except OSError as error:
            if isinstance(error, PermissionError) and pid not in known_pids:
                continue
            raise _unreadable(pid, error) from error
        if entry is None:
            continue
        sign = _sign(entry, known, leader, family)
        if sign:
            found.append(
                Survivor(pid=pid, state=entry.state, command=_text(pid, "cmdline")[:200], sign=sign)
            )
    return found


def verify_gone(
    *,
    label: str,
    leader: ProcessIdentity | None,
    others: Iterable[EndedProcess] = (),
    family: str | None,
    scratch: Path | None,
    group: Path | None = None,
) -> None:
    """Raise OwnershipError, naming each, unless no process and no folder of a family is left.

    `group` is its control group's folder, which the kernel lets go only when it is empty.
    """
    left = survivors(leader=leader, others=others, family=family)
    if left:
        raise OwnershipError(f"{label} is not gone: {'; '.join(map(str, left))}")
    if scratch is not None and os.path.lexists(scratch):
        raise OwnershipError(f"{label} is gone, but its scratch is still there: {scratch}")
    if group is not None and os.path.lexists(group):
        raise OwnershipError(f"{label} is gone, but its control group is still there: {group}")


def end_orphans(leader: ProcessIdentity | None, family: str | None) -> str:
    """Kill what a dead warden left of its family; return what is known of it, as a sentence.

    They are not children of ours, so somebody else's reaping is waited for, bounded.
    """
    until = time.monotonic() + _ORPHAN_SECONDS
    while left := survivors(leader=leader, family=family):
        alive = [survivor for survivor in left if survivor.state != "Z"]
        for survivor in alive:
            with contextlib.suppress(ProcessLookupError):
                os.kill(survivor.pid, signal.SIGKILL)
        if time.monotonic() > until:
            return f"left behind: {'; '.join(map(str, left))}"
        time.sleep(0.005)
    return "no process of it is left"


def _stat(pid: int) -> Stat | None:
    try:
        return parse_stat(Path(f"/proc/{pid}/stat").read_bytes())
    except ABSENT:
        return None


def _unreadable(pid: int, error: OSError) -> OwnershipError:
    return OwnershipError(
        f"/proc/{pid}/stat cannot be read ({error}), so pid {pid} is not known to be gone\n"
        f"{table.describe()}"
    )


def _sign(
    entry: Stat,
    known: set[tuple[int, int | None]],
    leader: ProcessIdentity | None,
    family: str | None,
) -> str | None:
    if (entry.pid, entry.start_ticks) in known:
        return "identity"
    if leader is not None and leader.pid in (entry.group, entry.session):
        return "process group or session"
    if family:
        if f"/{family}/" in _text(entry.pid, "cmdline"):
            return "scratch path"
        if f"\0{FAMILY_VARIABLE}={family}\0" in f"\0{_text(entry.pid, 'environ', raw=True)}\0":
            return "environment"
    return None


def _pids() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError as error:
        raise OwnershipError(
            f"/proc cannot be listed ({error}), so nothing is known to be gone\n{table.describe()}"
        ) from error


def _text(pid: int, name: str, *, raw: bool = False) -> str:
    """Return a stranger-readable file's text; a private one of a stranger is empty."""
    try:
        data = Path(f"/proc/{pid}/{name}").read_bytes()
    except (*ABSENT, PermissionError):
        return ""
    except OSError as error:
        raise OwnershipError(
            f"/proc/{pid}/{name} cannot be read ({error})\n{table.describe()}"
        ) from error
    text = data.decode("utf-8", "backslashreplace")
    return text if raw else text.rstrip("\0").replace("\0", " ")
