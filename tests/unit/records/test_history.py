"""How long files took: medians of what passed, from records."""

import sqlite3
from pathlib import Path

import pytest

from harness.errors import UsageError
from harness.model.identifiers import Lane
from harness.model.status import Dispatch, Phase, Selection, Status
from harness.records import json_file
from harness.records.history import History, HistoryError, read_durations
from harness.records.tier_record import FileRecord, Host, TierRecord


def record(number: int, seconds: float, status: Status = Status.PASSED) -> TierRecord:
    """A run with one file, as of minute `number`."""
    return TierRecord(
        lane=Lane.UNIT, phase=None, shard=None, plan_digest="p", roster_hash="r", tree=None,
        tree_dirty=None, command=(), started_at=f"2026-01-01T00:{number:02}:00", seconds=1.0,
        host=Host(cpus=1, available_parallelism=1), complete=True,
        files=(
            FileRecord(
                file="test_a.py", lane=Lane.UNIT, selection=Selection.FULL_ROSTER,
                dispatch=Dispatch.DISPATCHED, phase=Phase.PARALLEL, status=status,
                seconds=seconds,
            ),
        ),
    )  # fmt: skip


def test_the_median_of_the_last_five_passing_runs_counts(tmp_path: Path) -> None:
    history = History(tmp_path / "history.sqlite")
    assert history.medians() == {}
    history.add(record(number, float(number)) for number in range(1, 9))
    history.add([record(9, 1000.0, Status.FAILED)])
    assert history.medians() == {"test_a.py": 6.0}


def test_a_record_counts_once_however_often_it_is_taken_over(tmp_path: Path) -> None:
    history = History(tmp_path / "history.sqlite")
    for _ in range(9):
        history.add([record(1, 10.0)])
    history.add([record(2, 20.0)])
    assert history.medians() == {"test_a.py": 15.0}


def test_a_history_that_is_locked_or_broken_says_so(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite"
    path.write_bytes(b"no database" * 100)
    with pytest.raises(HistoryError, match="remove it to begin a new one"):
        History(path).medians()
    with pytest.raises(HistoryError, match="cannot be used"):
        History(tmp_path / "history.sqlite" / "below").add([record(1, 1.0)])


def test_two_writers_do_not_lose_each_others_durations(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite"
    first, second = History(path), History(path)
    first.add([record(1, 1.0)])
    second.add([record(2, 3.0)])
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT count(*) FROM passed").fetchone() == (2,)
    database.close()


def test_durations_come_from_a_record_or_from_a_plain_object(tmp_path: Path) -> None:
    json_file.write(tmp_path / "record.json", record(1, 4.5))
    assert read_durations(tmp_path / "record.json") == {"test_a.py": 4.5}
    (tmp_path / "plain.json").write_text('{"test_b.py": 2}')
    assert read_durations(tmp_path / "plain.json") == {"test_b.py": 2.0}
    (tmp_path / "bad.json").write_text('{"test_b.py": "long"}')
    with pytest.raises(UsageError, match="no tier record and no object of seconds by file"):
        read_durations(tmp_path / "bad.json")
