"""Who is told what happens in a run, and what an observer's own fault may do: nothing."""

import contextlib
from collections.abc import Callable, Iterable
from typing import Protocol

from harness.model.run_events import (
    FileEnded,
    FileSlow,
    FileStarted,
    Glance,
    RunEnded,
    RunStarted,
    StopAsked,
    TestStarted,
)
from harness.records.tier_record import FileRecord, TierRecord

RunEvent = (
    RunStarted
    | FileStarted
    | TestStarted
    | FileSlow
    | FileEnded[FileRecord]
    | StopAsked
    | Glance
    | RunEnded[TierRecord]
)


class Observer(Protocol):
    """Told every event of a run, in order, from one thread, and never from a signal handler."""

    def on(self, event: RunEvent) -> None:
        """Take one event in. What this raises is reported once and changes no status."""


class Fanout:
    """Passes every event to every observer, in their order.

    An observer that raises an Exception is still told the rest of the run. `on_failure` hears of
    its first one, with a name for it, and may itself raise with no effect. Anything that is no
    Exception, such as a KeyboardInterrupt, passes through.
    """

    def __init__(
        self, observers: Iterable[Observer], on_failure: Callable[[str, Exception], None]
    ) -> None:
        self._observers = tuple(observers)
        self._on_failure = on_failure
        self._failed: set[int] = set()

    @property
    def failed(self) -> tuple[Observer, ...]:
        """Those that raised, in their order."""
        return tuple(self._observers[place] for place in sorted(self._failed))

    def on(self, event: RunEvent) -> None:
        """Tell everybody; never raises an Exception."""
        for place, observer in enumerate(self._observers):
            try:
                observer.on(event)
            except Exception as error:
                if place not in self._failed:
                    self._failed.add(place)
                    with contextlib.suppress(Exception):
                        self._on_failure(type(observer).__name__, error)
