"""What an owner is told when a family has ended."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.process.names import signal_name

if TYPE_CHECKING:
    from harness.process.wire import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessIdentity:
    """A process and no later one with the same number; `start_ticks` since boot."""

    pid: int
    start_ticks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedProcess:
    """A process that had to be killed, or that is still alive, and how it was found."""

    pid: int
    start_ticks: int | None
    command: str | None
    how: str

    def __str__(self) -> str:
        return f"pid {self.pid} ({self.how}): {self.command or '<no command line>'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExitReport:
    """A warden's account of a family's end.

    `leader_status` is a wait status (waitpid(2)), None when there was no leader or when its
    end was not seen. `outlived` lists what went on after a leader that ended by itself, past the
    spec's `settle_seconds`. `ended` lists the members that outlived the group kill; `end_seconds`
    runs from the decision to end until the last process was reaped and the scratch removed.
    """

    reason: str
    leader: ProcessIdentity | None
    leader_status: int | None
    outlived: tuple[EndedProcess, ...]
    ended: tuple[EndedProcess, ...]
    alive: tuple[EndedProcess, ...]
    refused: tuple[str, ...]
    scratch: Path | None
    scratch_problem: str | None
    group: Path | None
    group_problem: str | None
    fault: str | None
    lifetime_seconds: float
    end_seconds: float

    @property
    def problems(self) -> tuple[str, ...]:
        """Everything that kept this end from being complete; empty when it was.

        A kill that was refused is no problem of a family that has ended all the same.
        """
        found = [f"still alive: {process}" for process in self.alive]
        if self.alive:
            found += [f"kill refused: {text}" for text in self.refused]
        if self.scratch_problem:
            found.append(f"scratch {self.scratch} not removed: {self.scratch_problem}")
        if self.group_problem:
            found.append(f"control group {self.group} not removed: {self.group_problem}")
        if self.fault:
            found.append(f"the warden failed: {self.fault}")
        return tuple(found)


def ended_processes(rows: list[Message]) -> tuple[EndedProcess, ...]:
    """Restate a warden's rows as values."""
    return tuple(EndedProcess(**row) for row in rows)


def from_message(message: Message) -> ExitReport:
    """Restate a warden's `report` event as a value."""
    leader = message["leader"]
    return ExitReport(
        reason=message["reason"],
        leader=None
        if leader is None
        else ProcessIdentity(pid=leader, start_ticks=message["leader_start_ticks"]),
        leader_status=message["leader_status"],
        outlived=ended_processes(message["outlived"]),
        ended=ended_processes(message["ended"]),
        alive=ended_processes(message["alive"]),
        refused=tuple(message["refused"]),
        scratch=Path(message["scratch"]) if message["scratch"] else None,
        scratch_problem=message["scratch_problem"],
        group=Path(message["group"]) if message["group"] else None,
        group_problem=message["group_problem"],
        fault=message["fault"],
        lifetime_seconds=message["lifetime_seconds"],
        end_seconds=message["end_seconds"],
    )


def clause(how: str) -> str:
    """Return how a process ended as what follows "it": `was killed by ...`, `exited with 1`."""
    return f"was {how}" if how.startswith("killed") else how


def describe_status(status: int) -> str:
    """Say how a process ended: `exited with 1`, `killed by signal 9 (SIGKILL)`."""
    number = status & 0x7F
    if number == 0:
        return f"exited with {status >> 8}"
    return f"killed by signal {number} ({signal_name(number)})"
