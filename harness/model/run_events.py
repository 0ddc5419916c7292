"""What a run tells its observers while it runs. Stored summaries are types of their own."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from harness.model.identifiers import Lane, TestFile
from harness.model.status import Phase

F = TypeVar("F")
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """The plan is made and covers its files exactly once. Estimates are None where unknown."""

    lane: Lane
    slots: int
    files: int
    isolated_files: int
    shard: str | None
    predicted_seconds: float | None
    estimates: Mapping[TestFile, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileStarted:
    """A file run has its process."""

    file: TestFile
    slot: int
    phase: Phase
    pid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TestStarted:
    """A test of a running file began."""

    __test__ = False
    file: TestFile
    test: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSlow:
    """A file run has used 60 % of its budget."""

    file: TestFile
    seconds: float
    budget_seconds: float
    test: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEnded(Generic[F]):
    """A file has its terminal record, whether it ran or not."""

    record: F


@dataclass(frozen=True, slots=True, kw_only=True)
class StopAsked:
    """A signal or the deadline ends the run; `reason` says which."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """One file that runs at this moment."""

    file: TestFile
    slot: int
    pid: int
    seconds: float
    test: str | None
    tail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Glance:
    """What is the case now: asked for by a clock, or by SIGUSR1 (`asked`)."""

    asked: bool
    running: tuple[Running, ...]
    waiting: int
    ended: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded(Generic[T]):
    """The record is written, or `problem` says why not. `actual_seconds` is the makespan."""

    record: T
    path: str | None
    problem: str | None
    predicted_seconds: float | None
    actual_seconds: float
    unknown: str | None
    """Why the run is incomplete, None when it is complete."""
