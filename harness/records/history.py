"""How long files took, in one small database of the project: an input of the next plan.

A convenience and never a verdict: a database that cannot be used is named and done without.
"""

import sqlite3
import statistics
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated

import msgspec

from harness.errors import HarnessError, UsageError
from harness.model.identifiers import TestFile
from harness.model.status import Status
from harness.records import json_file
from harness.records.tier_record import SCHEMA, FileRecord, TierRecord

KEPT_DURATIONS = 5
_BUSY_SECONDS = 5.0
_TABLE = """
CREATE TABLE IF NOT EXISTS passed (
    file TEXT NOT NULL, started_at TEXT NOT NULL, seconds REAL NOT NULL,
    PRIMARY KEY (file, started_at)
)
"""


class HistoryError(HarnessError):
    """The history cannot be read or written; a plan and a run go on without it."""


class History:
    """The durations of passed files, whole file, the newest five of each."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def add(self, records: Iterable[TierRecord]) -> int:
        """Take the passed files of records in, each once however often; return how many.

        Raises HistoryError.
        """
        rows = [
            (one.file, record.started_at, one.seconds)
            for record in records
            for one in passed_files(record.files)
        ]
        with self._open() as database, database:
            database.executemany("INSERT OR REPLACE INTO passed VALUES (?, ?, ?)", rows)
            database.executemany(
                "DELETE FROM passed WHERE file = ?1 AND started_at NOT IN (SELECT started_at"
                " FROM passed WHERE file = ?1 ORDER BY started_at DESC LIMIT ?2)",
                [(file, KEPT_DURATIONS) for file in {row[0] for row in rows}],
            )
        return len(rows)

    def medians(self) -> dict[TestFile, float]:
        """Return the median seconds of every file that is known. Raises HistoryError."""
        if not self._path.exists():
            return {}
        durations: dict[TestFile, list[float]] = {}
        with self._open() as database:
            for file, seconds in database.execute("SELECT file, seconds FROM passed"):
                durations.setdefault(TestFile(file), []).append(seconds)
        return {file: statistics.median(found) for file, found in durations.items()}

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._path, timeout=_BUSY_SECONDS)) as database:
                database.execute(_TABLE)
                yield database
        except (sqlite3.Error, OSError) as error:
            raise HistoryError(
                f"the history of durations {self._path} cannot be used: {error}; where it is "
                "damaged, remove it to begin a new one"
            ) from error


def passed_files(files: Iterable[FileRecord]) -> Iterator[FileRecord]:
    """Yield what tells how long a file takes: those that passed."""
    for one in files:
        if one.status is Status.PASSED and one.seconds is not None:
            yield one


def read_durations(path: Path) -> dict[TestFile, float]:
    """Read seconds by file: from a tier record, or from a flat JSON object `{file: seconds}`.

    Raises UsageError.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: the durations cannot be read: {error.strerror}") from None
    if f'"{SCHEMA}"'.encode() in data:
        record = json_file.parse(data, TierRecord, "tier record", str(path))
        return {TestFile(one.file): one.seconds or 0.0 for one in passed_files(record.files)}
    kind = dict[str, Annotated[float, msgspec.Meta(ge=0)]]
    found = json_file.parse(data, kind, "tier record and no object of seconds by file", str(path))
    return {TestFile(file): seconds for file, seconds in found.items()}
