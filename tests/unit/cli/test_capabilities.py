"""What the machine can do is tried, not assumed."""

import fcntl
import os
from pathlib import Path

import pytest

from harness.cli.capabilities import Capability, capabilities

NAME = "places that the kernel keeps"


@pytest.fixture(autouse=True)
def _root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARNESS_STATE_DIR", str(tmp_path))


def places() -> Capability:
    [found] = [fact for fact in capabilities() if fact.name == NAME]
    return found


def test_places_are_tried_and_nothing_is_left_of_the_trial(tmp_path: Path) -> None:
    assert (places().available, places().detail) == (
        True,
        "a named pipe can be locked and waited for",
    )
    assert list(tmp_path.glob(".doctor-*")) == []


def test_a_file_system_without_named_pipes_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str, mode: int) -> None:
        raise PermissionError(1, "Operation not permitted", path)

    monkeypatch.setattr(os, "mkfifo", refuse)
    assert places().available is False
    assert "Operation not permitted" in places().detail


def test_a_lock_that_excludes_nobody_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fcntl, "flock", lambda descriptor, how: None)
    assert (places().available, places().detail) == (
        False,
        "a named pipe is locked by two at once",
    )
