"""What a warden does before it kills: asks politely, or waits for what ends by itself."""

from __future__ import annotations

import os
import time

from harness.process import procfs, reaper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Wait = Callable[[float], None]

# An inner warden ends its own family, and with it a scratch: worth waiting for.
_INNER_WARDEN_SECONDS = 5.0
_RESCAN_SECONDS = 0.02


def ask(
    leader: int,
    leader_reaped: Callable[[], bool],
    number: int,
    seconds: Callable[[], float],
    wait: Wait,
) -> None:
    """Ask a family to end with signal `number`; return when it has ended or after `seconds()`.

    The bound is read again after everything that happens, so that a second order can shorten it.

    The signal goes to the leader's group and to whatever left it, and all are waited for. With 0
    the leader has been asked in its own way, and is waited for alone. A stopped leader can be
    asked for nothing.
    """
    began = time.monotonic()
    if seconds() <= 0 or _is_stopped(leader):
        return
    if number and _children():
        _signal(leader, number, leader_reaped())
    while (left := began + seconds() - time.monotonic()) > 0 and (
        _children() if number else _runs(leader)
    ):
        wait(left)


def settle(seconds: float, wait: Wait) -> list[reaper.Ended]:
    """Wait until nothing but the leader's remains is left; return what outlives `seconds`.

    Inner wardens are none of it: they have longer, and what they own is theirs to end. Nor are
    helpers of Python that end with the process that needs them.
    """
    began = time.monotonic()
    while (strays := _strays()) or _wardens():
        bound = seconds if strays else _INNER_WARDEN_SECONDS
        left = began + bound - time.monotonic()
        if left <= 0:
            break
        # A grandchild's end is no news to this process, so it looks again by itself.
        wait(min(left, _RESCAN_SECONDS))
    return [reaper.describe(pid, "outlived its leader") for pid in strays]


def _signal(leader: int, number: int, leader_is_reaped: bool) -> None:
    if not leader_is_reaped:
        reaper.kill(-leader, number)
    for entry in _children():
        if entry.group != leader and not procfs.is_warden(entry.pid):
            reaper.kill(entry.pid, number)


def _is_stopped(pid: int) -> bool:
    entry = procfs.stat(pid)
    return entry is not None and entry.state == "T"


def _runs(pid: int) -> bool:
    entry = procfs.stat(pid)
    return entry is not None and entry.state != "Z"


def _children(of: int = 0) -> list[procfs.Stat]:
    """Return the live children of a process, or of this one: a leader, and what was orphaned."""
    stats = map(procfs.stat, procfs.children(of or os.getpid()))
    return [entry for entry in stats if entry is not None and entry.state != "Z"]


def _wardens() -> list[procfs.Stat]:
    return [entry for entry in _children() if procfs.is_warden(entry.pid)]


def _strays(of: int = 0) -> list[int]:
    # Below a warden nothing is a stray: it ends what it owns.
    found = []
    for entry in _children(of):
        if not reaper.ends_by_itself(entry.pid):
            found += [entry.pid, *_strays(entry.pid)]
    return found
