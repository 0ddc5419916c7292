"""Where a run keeps its files: one folder for the run, one in it for each file run.

The run's event log is open and locked while the run lives; that lock is what keeps a later run
from clearing it away.
"""

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from harness.errors import PreconditionError, UsageError
from harness.model.identifiers import TestFile
from harness.records.state_folder import state_folder

KEPT_RUNS = 5
_LOG = "run.jsonl"
_NAME = re.compile(r"\d{8}T\d{6}Z-\d+-[a-z]+")
_LONGEST_SLUG_BYTES = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFolder:
    """The files of one file run."""

    path: Path

    @property
    def events(self) -> Path:
        """What the file run tells of itself."""
        return self.path / "events.jsonl"

    @property
    def output(self) -> Path:
        """Everything it printed."""
        return self.path / "output.txt"

    @property
    def captured(self) -> Path:
        """What pytest had captured and not shown when it had to be ended."""
        return self.path / "captured.txt"

    @property
    def stacks(self) -> Path:
        """The stack of every thread when it had to be ended."""
        return self.path / "stacks.txt"

    @property
    def artefacts(self) -> Path:
        """pytest-playwright's `--output`, and evidence files."""
        return self.path / "artefacts"


class RunFolder:
    """The folder of one run. Use as a context manager: while it is open, it is kept."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._log = os.open(
                path / _LOG, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644
            )
        except OSError as error:
            raise PreconditionError(
                f"{path} cannot hold the output of this run: {error.strerror}. Nothing was "
                "started; make it writable, or name another folder with --output"
            ) from error
        try:
            fcntl.flock(self._log, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._log)
            raise UsageError(f"{path} is used by a run that is still going on") from None

    @classmethod
    def new(cls, root: Path, lane: str) -> "RunFolder":
        """Make the next folder below a project's state folder, and clear old ones away."""
        runs = state_folder(root) / "runs"
        runs.mkdir(exist_ok=True)
        _clear(runs)
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        return cls(runs / f"{stamp}-{os.getpid()}-{lane}")

    @classmethod
    def at(cls, path: Path) -> "RunFolder":
        """Use a folder that the user named: a new one, an empty one, or that of an earlier run."""
        if path.exists() and not path.is_dir():
            raise UsageError(f"{path} is a file; name a folder for the output")
        if path.is_dir() and any(path.iterdir()) and not (path / _LOG).exists():
            raise UsageError(f"{path} holds files that are not ours; name a new or an empty folder")
        if (path / _LOG).exists():
            with cls(path):
                for entry in ("files", _LOG):
                    _remove(path / entry)
        return cls(path)

    def __enter__(self) -> "RunFolder":
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._log)

    def append(self, line: bytes) -> None:
        """Append one line to the event log of the run."""
        data = line + b"\n"
        while data:
            data = data[os.write(self._log, data) :]

    def lines(self) -> list[bytes]:
        """Read the log back from disk, complete lines only."""
        return (self.path / _LOG).read_bytes().split(b"\n")[:-1]

    def sync(self) -> None:
        """Return when the log is on the disk."""
        os.fsync(self._log)

    def for_file(self, file: TestFile) -> FileFolder:
        """Make the folder of one file run; its name tells the file and is no one else's."""
        folder = FileFolder(path=self.path / "files" / slug(file))
        folder.path.mkdir(parents=True)
        return folder


def slug(file: str) -> str:
    """Return a folder name for a file: readable, short enough, and different for every file."""
    text = re.sub(r"[^A-Za-z0-9._-]+", "-", file.removesuffix(".py").replace("/", "--")).strip("-.")
    digest = hashlib.sha256(file.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    return f"{text[-_LONGEST_SLUG_BYTES:].lstrip('-.')}-{digest}"


def _clear(runs: Path) -> None:
    """Remove all but the newest runs. Only what has a run's name and log, and no living owner."""
    ours = sorted(
        (path for path in runs.iterdir() if _NAME.fullmatch(path.name) and (path / _LOG).is_file()),
        reverse=True,
    )
    for path in ours[KEPT_RUNS - 1 :]:
        with contextlib.suppress(UsageError, OSError), RunFolder(path):
            _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
