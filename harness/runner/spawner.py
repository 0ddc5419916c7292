"""How a file gets a process: a port, so that a faster way can replace the first.

`PytestSpawner` starts a fresh interpreter for every file, under a warden of its own.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from harness.errors import HarnessError
from harness.model.identifiers import TestFile
from harness.process import lifeline
from harness.process.captured import unseen_output
from harness.process.client import Family
from harness.process.names import STACKS_SIGNAL
from harness.process.ownership import END_SECONDS
from harness.process.spec import FamilySpec
from harness.records import assignment as assignments
from harness.records.assignment import Assignment
from harness.records.tier_record import Leaked
from harness.runner.run_folder import FileFolder

# A process that ends by itself a moment later is no leak.
SETTLE_SECONDS = 2.0
_WORKER = "PYTEST_XDIST_WORKER"
_NOT_INHERITED = {"PYTEST_CURRENT_TEST", "PYTEST_XDIST_WORKER_COUNT", "PYTEST_XDIST_TESTRUNUID"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessEnd:
    """How a file's process ended. `problem` is what kept its end from being confirmed."""

    exit_code: int | None = None
    signal: int | None = None
    outlived: tuple[Leaked, ...] = ()
    problem: str | None = None


class FileProcess(Protocol):
    """A file run that has been started."""

    @property
    def pid(self) -> int:
        """The process whose events count."""

    def fileno(self) -> int:
        """Return the descriptor that is readable when `poll` has something to find out."""

    def poll(self) -> bool:
        """Find out what is new; True when everything of this file run has ended."""

    def show(self) -> None:
        """Make it write the stack of every thread, and keep its unseen output."""

    def ask_end(self, grace_seconds: float) -> None:
        """Make it end; does not wait."""

    def close(self) -> ProcessEnd:
        """Confirm the end, after `poll` has said so or when it is given up. Never raises."""


class Spawner(Protocol):
    """Starts file runs."""

    def start(self, file: TestFile, slot: int, folder: FileFolder) -> FileProcess:
        """Start one file run; raises HarnessError when it cannot be started."""

    def close(self) -> None:
        """Give up what was made ready for files that do not come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PytestSpawner:
    """One pytest process for each file, in `root`, with this process's environment."""

    root: Path
    notify: str
    interpreter: str = sys.executable
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    def start(self, file: TestFile, slot: int, folder: FileFolder) -> FileProcess:
        """Start pytest on one file."""
        assignment = Assignment(
            file=str(self.root / file),
            artefacts=str(folder.artefacts),
            events=str(folder.events),
            notify=self.notify,
            stacks=str(folder.stacks),
            stacks_signal=STACKS_SIGNAL,
        )
        environment = {
            **{
                name: value
                for name, value in self.environment.items()
                if name not in _NOT_INHERITED
            },
            assignments.VARIABLE: assignments.encode(assignment),
            # Suites derive ports from the worker's name, so two slots must not share one.
            _WORKER: f"gw{slot}",
        }
        family = Family(
            FamilySpec(
                label=file,
                command=[self.interpreter, "-m", "pytest", f"--rootdir={self.root}",
                         *_arguments(file)],
                environment=environment,
                directory=str(self.root),
                output=str(folder.output),
                settle_seconds=SETTLE_SECONDS,
            )
        )  # fmt: skip
        # The next file's warden starts beside this file's run.
        lifeline.prepare()
        return PytestProcess(family, folder)

    def close(self) -> None:
        """End the warden that waits for a file which does not come."""
        lifeline.discard_spare(END_SECONDS)


def _arguments(file: str) -> list[str]:
    """Return what makes pytest collect a file. In a path it reads `[` and `::` as its own.

    For such a name its folder is passed, and the plugin ignores everything else in it.
    """
    if "[" in file or "::" in file:
        return [os.path.dirname(file) or "."]
    return [file if not file.startswith("-") else f"./{file}"]


class PytestProcess:
    """The family of one pytest process."""

    def __init__(self, family: Family, folder: FileFolder) -> None:
        self._family = family
        self._folder = folder

    @property
    def pid(self) -> int:
        """The pytest process."""
        return self._family.pid

    def fileno(self) -> int:
        """Return the line to the warden."""
        return self._family.fileno()

    def poll(self) -> bool:
        """Hear the warden; True when it has reported or is gone."""
        self._family.poll()
        return self._family.report is not None or self._family.lost

    def show(self) -> None:
        """Ask faulthandler for the stacks, and save what pytest has captured and not shown."""
        known = self._folder.output.stat().st_ino if self._folder.output.exists() else None
        data = unseen_output(self.pid, known)
        if data:
            self._folder.captured.write_bytes(data)
        self._family.send_signal(STACKS_SIGNAL)

    def ask_end(self, grace_seconds: float) -> None:
        """Let the warden end the family."""
        self._family.ask_end(grace_seconds)

    def close(self) -> ProcessEnd:
        """Take the warden's report and look for ourselves."""
        problem = None
        try:
            self._family.end(grace_seconds=0.0)
        except HarnessError as error:
            problem = str(error)
        report = self._family.report
        status = self._family.leader_status
        return ProcessEnd(
            exit_code=os.waitstatus_to_exitcode(status) if status is not None and status & 0x7F == 0
            else None,
            signal=status & 0x7F or None if status is not None else None,
            outlived=tuple(
                Leaked(pid=one.pid, command=one.command, how=one.how)
                for one in (report.outlived if report else ())
            ),
            problem=problem,
        )  # fmt: skip
