"""Waits until a process only waits, so that a signal finds it inside of its call."""

import time
from collections.abc import Callable, Sequence

from tests.lib import witness

QUIET_SECONDS = 0.1


def quiet(pids: Sequence[int]) -> Callable[[], bool]:
    """Return a predicate that is true once no main thread of `pids` has run for a moment.

    One that is ready to run and gets no processor is not quiet.
    """
    before: list[int] = []
    looked = time.monotonic()

    def only_waits() -> bool:
        nonlocal before, looked
        now = [witness.wake_ups(pid) for pid in pids]
        if now != before or any(witness.state(pid) != "S" for pid in pids):
            before, looked = now, time.monotonic()
        return time.monotonic() - looked >= QUIET_SECONDS

    return only_waits
