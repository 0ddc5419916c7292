"""Every family that this process owns, and what happens to all of them at once."""

import atexit
import os
from typing import Protocol

from harness.process import lifeline
from harness.process.report import ExitReport, ProcessIdentity
from harness.process.spec import FamilySpec

END_SECONDS = 15.0


class Owned(Protocol):
    """What all families are asked for at once; `client.Family` is the one that there is."""

    spec: FamilySpec
    leader: ProcessIdentity | None

    @property
    def inert(self) -> bool: ...

    @property
    def pid(self) -> int: ...

    def release_lifeline(self) -> None: ...

    def wait_for_warden(self, seconds: float) -> bool: ...

    def forget(self) -> None: ...

    def end(self) -> ExitReport | None: ...


_live: set[Owned] = set()


def register(family: Owned) -> None:
    """Own a family from now on."""
    _live.add(family)


def unregister(family: Owned) -> None:
    """Own it no longer: its end is confirmed, or its warden is."""
    _live.discard(family)


def live_families() -> tuple[Owned, ...]:
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
    lifeline.discard_spare(END_SECONDS)
    for family in families:
        family.wait_for_warden(END_SECONDS)


def _forget_all_in_child() -> None:
    lifeline.forget_spare()
    for family in _live:
        family.forget()
    _live.clear()


atexit.register(_end_all_at_exit)
os.register_at_fork(after_in_child=_forget_all_in_child)
