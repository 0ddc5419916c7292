"""What the dispatcher of a run is told, and what it answers: events and commands.

Times are monotonic seconds of one clock.
"""

from dataclasses import dataclass

from harness.model.identifiers import TestFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Begin:
    """The run begins."""

    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A file has its process."""

    file: TestFile
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SpawnFailed:
    """A file could not be given a process."""

    file: TestFile
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEnded:
    """The last test of a file is over and torn down; its process is expected to end."""

    file: TestFile
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Exited:
    """A file's process and everything below it has ended, or is given up."""

    file: TestFile
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """Time has passed; `Dispatcher.next_deadline` says when it matters."""

    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StopRun:
    """A signal or the deadline ends the run. Asked again it hurries."""

    at: float


Event = Begin | Started | SpawnFailed | SessionEnded | Exited | Tick | StopRun


@dataclass(frozen=True, slots=True, kw_only=True)
class StartFile:
    """Start a file on a slot."""

    file: TestFile
    slot: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeSlow:
    """Say that a file has used most of its budget."""

    file: TestFile
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepTraces:
    """Keep what a file's process can still show: its stacks, its unseen output."""

    file: TestFile


@dataclass(frozen=True, slots=True, kw_only=True)
class AskEnd:
    """Make a file's process end: SIGTERM, `grace_seconds`, SIGKILL. May be given again."""

    file: TestFile
    grace_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveUp:
    """Wait no longer for the end of a file's process; its warden goes on by itself."""

    file: TestFile


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFile:
    """A file has reached its end; the flags say what the run did to it."""

    file: TestFile
    slot: int | None
    seconds: float | None
    told_to_stop: bool = False
    budget_spent: bool = False
    exit_grace_spent: bool = False


Command = StartFile | NoticeSlow | KeepTraces | AskEnd | GiveUp | RecordFile
