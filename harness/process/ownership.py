"""Every family that this process owns, and what happens to all of them at once."""

import atexit
import os
from typing import TYPE_CHECKING

from harness.process import lifeline

if TYPE_CHECKING:
    from harness.process.client import Family

END_SECONDS = 15.0

_live: set["Family"] = set()


def register(family: "Family") -> None:
    """Own a family from now on."""
    _live.add(family)


def unregister(family: "Family") -> None:
    """Own it no longer: its end is confirmed, or its warden is."""
    _live.discard(family)


def live_families() -> tuple["Family", ...]:
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
