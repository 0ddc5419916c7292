"""The rows of live progress, at any width."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from harness.model.identifiers import TestFile
from harness.model.run_events import FileEnded, FileStarted, StopAsked, TestStarted
from harness.model.status import Phase, Status
from harness.report.progress import Progress
from tests.lib.run_example import (
    HANGS,
    LINKS,
    ROOM,
    SLOW,
    STARTED,
    bad_record,
    events_of_example,
    file_record,
    not_run,
)


def started(file: str, slot: int) -> FileStarted:
    return FileStarted(file=TestFile(file), slot=slot, phase=Phase.PARALLEL, pid=1)


def begun() -> Progress:
    progress = Progress()
    progress.take(STARTED, 100.0)
    return progress


def test_a_row_shows_file_test_elapsed_and_estimate() -> None:
    progress = begun()
    progress.take(started(ROOM, 0), 100.0)
    progress.take(TestStarted(file=TestFile(ROOM), test=f"{ROOM}::test_opens[dark]"), 101.0)

    assert progress.rows(104.0, 80) == [
        "0 of 7 files ended, 6 wait, 4.0 s, about 37.3 s left",
        "  0  tests/browser/test_room.py > test_opens[dark]                4.0 s / 10.0 s",
        "  1  idle",
    ]


def test_long_names_are_cut_in_the_middle_and_the_test_stays_readable() -> None:
    progress = begun()
    progress.take(started(HANGS, 1), 100.0)
    progress.take(TestStarted(file=TestFile(HANGS), test=f"{HANGS}::test_hangs"), 100.0)
    progress.take(SLOW, 136.0)

    assert progress.rows(165.0, 80)[2] == (
        "  1  tests/browse…s_and_has_a_long_name.py > test_hangs slow 1 min 05 s / 20.0 s"
    )


def test_what_ended_badly_is_counted_and_its_slot_is_free() -> None:
    progress = begun()
    for file, status in ((ROOM, Status.FAILED), (LINKS, Status.CRASHED)):
        progress.take(started(file, 0), 100.0)
        progress.take(FileEnded(record=bad_record(status, file)), 101.0)
    progress.take(FileEnded(record=not_run(omitted=True, reason="not named")), 101.0)

    assert progress.rows(101.0, 80) == [
        "2 of 7 files ended, 1 failed, 1 crashed, 5 wait, 1.0 s, about 31.3 s left",
        "  0  idle",
        "  1  idle",
    ]


def test_a_stop_takes_the_place_of_the_expected_end() -> None:
    progress = begun()
    progress.take(StopAsked(reason="SIGINT"), 101.0)

    assert progress.rows(101.0, 80)[0] == "0 of 7 files ended, 7 wait, 1.0 s, stopping: SIGINT"


def test_the_expected_end_is_no_sooner_than_that_of_what_runs() -> None:
    progress = begun()
    for file in (ROOM, LINKS):
        progress.take(FileEnded(record=file_record(file)), 100.0)
    assert progress.seconds_left(100.0) == 40.0 * (1 - 13 / 60)
    progress.take(started(HANGS, 0), 100.0)
    assert progress.seconds_left(105.0) == 40.0 * (1 - 18 / 60)
    for file in ("tests/browser/test_player.py", "tests/browser/test_upload.py"):
        progress.take(FileEnded(record=file_record(file)), 105.0)
    progress.take(FileEnded(record=file_record("tests/browser/test_audio.py")), 105.0)
    assert progress.seconds_left(105.0) == 15.0


def test_without_a_prediction_there_is_no_expected_end() -> None:
    progress = Progress()
    assert progress.seconds_left(1.0) is None
    assert progress.rows(1.0, 80) == ["0 of 0 files ended, 0 wait"]


@given(st.integers(min_value=1, max_value=200), st.text(), st.text(), st.integers(0, 21))
def test_no_row_is_wider_than_the_terminal(width: int, file: str, test: str, told: int) -> None:
    progress = Progress()
    for event in events_of_example()[:told]:
        progress.take(event, 10.0)
    progress.take(started(file, 7), 10.0)
    progress.take(TestStarted(file=TestFile(file), test=test), 10.0)

    rows = progress.rows(5000.0, width)
    assert all(cell_len(row) <= width for row in rows)
    assert all(row.isprintable() for row in rows)
