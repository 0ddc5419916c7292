"""One file on its way through a run: where it is, and when it is looked at again."""

from dataclasses import dataclass
from enum import Enum, auto

from harness.model.identifiers import TestFile


class Step(Enum):
    """Where a file that has a slot is."""

    STARTING = auto()
    RUNNING = auto()
    SHOWING = auto()  # its traces are being kept, it is about to be ended
    ENDING = auto()  # it was told to end


@dataclass(slots=True, kw_only=True)
class FileState:
    """A file that has a slot. `until` is when its step ends by itself, None for never."""

    file: TestFile
    slot: int
    asked_at: float
    budget_seconds: float
    locks: frozenset[str]
    is_isolated: bool
    step: Step = Step.STARTING
    started_at: float | None = None
    slow_at: float | None = None
    until: float | None = None
    told_to_stop: bool = False
    budget_spent: bool = False
    exit_grace_spent: bool = False
    session_ended: bool = False
