"""Own a program that a library starts by a path of our choice: the owner's side.

The path leads to a small file that runs the program under a warden of its own, which ends its
whole family when the library's process ends, however it ends. What was started that way is
read from the wardens' records.
"""

import contextlib
import os
import select
import shlex
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from harness.errors import OwnershipError, PreconditionError
from harness.process import cgroup, procfs, verifier, wire
from harness.process.report import ExitReport, ProcessIdentity, from_message

_PACKAGE_PARENT = Path(__file__).resolve().parents[2]
_ENTRY = (
    "import sys; sys.path.insert(0, sys.argv[2]); "
    "from harness.process.shim_warden import main; main()"
)
# A terminal's Ctrl-C is ignored until the warden has left its session: it is not for the program.
_TEMPLATE = "#!/bin/sh\ntrap '' INT\nexec {words} \"$@\"\n"


class Shim:
    """The program file at `path`; its wardens' records stand in a folder beside it."""

    def __init__(self, path: Path, records: Path) -> None:
        self.path = path
        self._records = records

    @classmethod
    def create(cls, folder: Path, name: str, program: str, *, ends_with_input: str) -> Self:
        """Write `<folder>/<name>`, which runs `program` with the arguments that it is given.

        `folder` lies directly in the scratch root. A family ends with its starter, and with the
        end of its standard input when `ends_with_input` is among the arguments. Raises
        PreconditionError where a file there cannot be executed.
        """
        records = folder / f"{name}.records"
        records.mkdir(mode=0o700)
        path = folder / name
        command = [
            sys.executable, "-I", "-S", "-c", _ENTRY, procfs.WARDEN_MARK, str(_PACKAGE_PARENT),
            str(records), ends_with_input, program,
        ]  # fmt: skip
        path.write_text(_TEMPLATE.format(words=shlex.join(command)))
        path.chmod(0o700)
        if not os.access(path, os.X_OK):
            raise PreconditionError(
                f"{path} cannot be executed: its file system is mounted without that permission"
            )
        return cls(path, records)

    def families(self) -> list["StartedFamily"]:
        """Return every family that was started through this file, in no order."""
        return [StartedFamily.read(path) for path in self._records.iterdir()]


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedFamily:
    """What a record says now; `leader` is None before the start, `report` before the end.

    `asked` is true once the program's input has ended, where that is to end it.
    """

    identifier: str
    warden: ProcessIdentity | None
    leader: ProcessIdentity | None
    scratch: Path | None
    group: Path | None
    asked: bool
    report: ExitReport | None

    @classmethod
    def read(cls, record: Path) -> Self:
        """Read one record, as far as it has been written."""
        events = {message["event"]: message for message in wire.Decoder().feed(record.read_bytes())}
        started = events.get("started", {"pid": None, "scratch": None, "group": None})
        report = events.get("report")
        return cls(
            identifier=record.name,
            warden=_identity(events.get("opened", {"pid": None})),
            leader=_identity(started),
            scratch=Path(started["scratch"]) if started["scratch"] else None,
            group=Path(started["group"]) if started["group"] else None,
            asked="asked" in events,
            report=from_message(report) if report else None,
        )

    @property
    def runs(self) -> bool:
        """True until the family's end has been reported, unless its warden is gone."""
        return self.report is None and self.warden is not None and _stat(self.warden) is not None

    @property
    def stopped(self) -> bool:
        """True when the program is stopped (SIGSTOP), so that it will never answer or end."""
        entry = _stat(self.leader) if self.leader else None
        return entry is not None and entry.state == "T"

    def kill(self) -> None:
        """SIGKILL the program; its warden ends the rest of the family."""
        if self.leader is None:
            return
        with contextlib.suppress(ProcessLookupError), _handle_of(self.leader.pid) as handle:
            if _stat(self.leader) is not None:
                signal.pidfd_send_signal(handle, signal.SIGKILL)

    def wait(self, seconds: float) -> bool:
        """Wait for the warden's own end; False when it is still there after `seconds`."""
        if self.warden is None or _stat(self.warden) is None:
            return True
        with contextlib.suppress(ProcessLookupError), _handle_of(self.warden.pid) as handle:
            poller = select.poll()
            poller.register(handle, select.POLLIN)
            return bool(poller.poll(seconds * 1000))
        return True

    def verify_gone(self, label: str) -> None:
        """Prove an ended family gone by a look of our own; call it on a record read since.

        Raises OwnershipError when something is left, and when there is no report, in which
        case what the dead warden left behind is ended first.
        """
        if self.report is None:
            if self.group is not None:
                cgroup.end(os.fspath(self.group))
            left = verifier.end_orphans(self.leader, self.identifier)
            pid = self.warden.pid if self.warden else "unknown"
            raise OwnershipError(
                f"the warden of {label} (pid {pid}) ended without an exit report; {left}; its "
                "scratch goes with the next start"
            )
        if self.report.problems:
            raise OwnershipError(f"{label}: " + "; ".join(self.report.problems))
        verifier.verify_gone(
            label=label,
            leader=self.leader,
            others=self.report.ended,
            family=self.identifier,
            scratch=self.report.scratch,
            group=self.report.group,
        )


def _identity(message: wire.Message) -> ProcessIdentity | None:
    pid = message["pid"]
    return None if pid is None else ProcessIdentity(pid=pid, start_ticks=message["start_ticks"])


def _stat(identity: ProcessIdentity) -> procfs.Stat | None:
    """Return its stat while it runs; None when it is gone, or dead and not reaped."""
    entry = verifier.read_stat(identity.pid)
    gone = entry is None or entry.start_ticks != identity.start_ticks or entry.state == "Z"
    return None if gone else entry


@contextlib.contextmanager
def _handle_of(pid: int) -> Iterator[int]:
    handle = os.pidfd_open(pid)
    try:
        yield handle
    finally:
        os.close(handle)
