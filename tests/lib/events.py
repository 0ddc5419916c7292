"""Waits for something observable: a deadline, short pauses, no fixed sleeps."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

_PAUSE_SECONDS = 0.003


def wait_until(predicate: Callable[[], T], deadline_seconds: float, what: str) -> T:
    """Return the first true value of `predicate`; it is asked at least once.

    Raises AssertionError naming `what` and the last value when the deadline passes. What
    `predicate` raises is not caught. A predicate that blocks is not interrupted.
    """
    end = time.monotonic() + deadline_seconds
    while True:
        value = predicate()
        if value:
            return value
        if time.monotonic() >= end:
            raise AssertionError(
                f"waited {deadline_seconds} s for {what}; the last value was {value!r}"
            )
        time.sleep(_PAUSE_SECONDS)


def wait_for_file(path: Path, deadline_seconds: float, *, holding: str = "") -> str:
    """The text of `path` once it exists and contains `holding`.

    With no `holding`, existing is enough: the text may still be empty or half written.
    Raises AssertionError with what the file held when the deadline passes.
    """
    end = time.monotonic() + deadline_seconds
    while True:
        try:
            text = path.read_text(encoding="utf-8", errors="backslashreplace")
        except FileNotFoundError:
            seen = "there is no such file"
        else:
            if holding in text:
                return text
            seen = f"it holds {text[-2000:]!r}"
        if time.monotonic() >= end:
            wanted = f" to hold {holding!r}" if holding else ""
            raise AssertionError(f"waited {deadline_seconds} s for {path}{wanted}; {seen}")
        time.sleep(_PAUSE_SECONDS)
