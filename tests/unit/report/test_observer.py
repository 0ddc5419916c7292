"""An observer's fault is told once and stays its own."""

import pytest

from harness.model.run_events import StopAsked
from harness.report.observer import Fanout, RunEvent

EVENT = StopAsked(reason="SIGTERM")


class Recorder:
    def __init__(self) -> None:
        self.events: list[RunEvent] = []

    def on(self, event: RunEvent) -> None:
        self.events.append(event)


class Broken:
    def __init__(self, error: BaseException) -> None:
        self.error = error
        self.told = 0

    def on(self, event: RunEvent) -> None:
        self.told += 1
        raise self.error


def test_every_observer_hears_every_event_in_order() -> None:
    first, second = Recorder(), Recorder()
    fanout = Fanout([first, second], lambda name, error: None)
    other = StopAsked(reason="deadline")

    fanout.on(EVENT)
    fanout.on(other)

    assert first.events == second.events == [EVENT, other]


def test_an_observer_that_raises_is_named_once_and_disturbs_nobody() -> None:
    failures: list[tuple[str, str]] = []
    broken, after = Broken(OSError("disk full")), Recorder()
    fanout = Fanout([broken, after], lambda name, error: failures.append((name, str(error))))

    fanout.on(EVENT)
    fanout.on(EVENT)

    assert failures == [("Broken", "disk full")]
    assert after.events == [EVENT, EVENT]
    assert broken.told == 2


def test_two_observers_of_one_kind_are_told_about_apart() -> None:
    failures: list[str] = []
    fanout = Fanout(
        [Broken(OSError("a")), Broken(OSError("b"))],
        lambda name, error: failures.append(str(error)),
    )

    fanout.on(EVENT)

    assert failures == ["a", "b"]


def test_whoever_is_told_of_a_failure_may_fail_as_well() -> None:
    def on_failure(name: str, error: Exception) -> None:
        raise OSError("no standard error either")

    after = Recorder()
    Fanout([Broken(ValueError()), after], on_failure).on(EVENT)

    assert after.events == [EVENT]


def test_an_interrupt_passes_through() -> None:
    fanout = Fanout([Broken(KeyboardInterrupt())], lambda name, error: None)

    with pytest.raises(KeyboardInterrupt):
        fanout.on(EVENT)
