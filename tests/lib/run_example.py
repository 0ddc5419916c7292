"""Builders of records, and a run in which every status occurs, as its events."""

from typing import Any

from harness.model.identifiers import Lane, TestFile
from harness.model.run_events import (
    FileEnded,
    FileSlow,
    FileStarted,
    Glance,
    RunEnded,
    Running,
    RunStarted,
    TestStarted,
)
from harness.model.status import Cause, Dispatch, Phase, Selection, Status
from harness.records.tier_record import (
    Counts,
    FailureEvidence,
    FileRecord,
    Host,
    HostLoad,
    Leaked,
    Section,
    Skip,
    TierRecord,
    Witness,
)
from harness.report.observer import RunEvent


def file_record(file: str = "tests/test_a.py", **given: Any) -> FileRecord:
    """Return the record of a file that passed with one test, but for what is given."""
    fields: dict[str, Any] = {
        "file": file,
        "lane": Lane.BROWSER,
        "selection": Selection.FULL_ROSTER,
        "dispatch": Dispatch.DISPATCHED,
        "phase": Phase.PARALLEL,
        "status": Status.PASSED,
        "slot": 0,
        "attempt": 1,
        "counts": Counts(collected=1, passed=1),
        "seconds": 1.5,
        "budget_seconds": 60.0,
        "exit_code": 0,
    }
    return FileRecord(**(fields | given))


def bad_record(
    status: Status,
    file: str = "tests/test_a.py",
    *,
    cause: Cause = Cause.TEST,
    test: str | None = "test_x",
    **given: Any,
) -> FileRecord:
    """Return the record of a file whose evidence names `test`."""
    named = None if test is None else f"{file}::{test}"
    fields: dict[str, Any] = {
        "status": status,
        "counts": Counts(collected=1, failed=1),
        "failure_evidence": FailureEvidence(cause=cause, test=named),
    }
    return file_record(file, **(fields | given))


def not_run(file: str = "tests/test_n.py", *, omitted: bool = False, reason: str) -> FileRecord:
    """Return the record of a file that had no process."""
    return file_record(
        file,
        status=Status.NOT_RUN,
        dispatch=Dispatch.OMITTED if omitted else Dispatch.DISPATCHED,
        selection=Selection.NOT_SELECTED if omitted else Selection.FULL_ROSTER,
        reason=reason,
        counts=Counts(),
        seconds=None,
        slot=None,
        attempt=0,
        exit_code=None,
    )


def tier_record(*files: FileRecord, **given: Any) -> TierRecord:
    """Return a complete record of the browser lane with these files."""
    fields: dict[str, Any] = {
        "lane": Lane.BROWSER,
        "phase": None,
        "shard": None,
        "plan_digest": "d" * 64,
        "roster_hash": "r" * 64,
        "tree": "t" * 40,
        "tree_dirty": False,
        "command": ("harness", "run", "--lane", "browser"),
        "started_at": "2026-01-02T03:04:05.678Z",
        "seconds": 71.3,
        "host": Host(
            cpus=4,
            available_parallelism=2,
            loadavg_1m=HostLoad(before=1.2, max=4.06, after=3.1),
        ),
        "complete": True,
        "files": files,
    }
    return TierRecord(**(fields | given))


ROOM = "tests/browser/test_room.py"
HANGS = "tests/browser/test_waiting_for_a_socket_that_never_answers_and_has_a_long_name.py"
PLAYER = "tests/browser/test_player.py"
UPLOAD = "tests/browser/test_upload.py"
AUDIO = "tests/browser/test_audio.py"
LINKS = "tests/browser/test_links.py"
MACOS = "tests/browser/test_macos_only.py"
OTHER = "tests/browser/test_other.py"

EVERY_STATUS = tier_record(
    file_record(
        LINKS,
        counts=Counts(collected=4, passed=3, skipped=1, deselected=2),
        seconds=3.2,
        skips=(Skip(id=f"{LINKS}::test_mail", reason="no mail program here", declared=True),),
        witness=Witness(navigations=3, requests=9, commands=40, idle=(f"{LINKS}::test_count",)),
    ),
    bad_record(
        Status.FAILED,
        ROOM,
        reason=f"{ROOM}::test_opens[dark] failed",
        counts=Counts(collected=3, passed=2, failed=1),
        seconds=12.3,
        failure_evidence=FailureEvidence(
            cause=Cause.TEST,
            test=f"{ROOM}::test_opens[dark]",
            sections=(
                Section(
                    test=f"{ROOM}::test_opens[dark]",
                    lines=(
                        "AssertionError: assert 'T' == 'another'",
                        "tests/browser/test_room.py:14: in test_opens",
                        "    assert page.title() == 'another'",
                        "page errors: ReferenceError: door is not defined",
                    ),
                ),
            ),
        ),
        leaked=(Leaked(pid=4711, command="python -m http.server", how="left its session"),),
        artefacts=("output/test_room/evidence.html", "output/test_room/evidence.png"),
    ),
    bad_record(
        Status.TIMEOUT,
        HANGS,
        cause=Cause.TIMEOUT,
        reason=f"its budget ended while {HANGS}::test_hangs ran",
        counts=Counts(collected=5, passed=2),
        seconds=60.4,
        failure_evidence=FailureEvidence(
            cause=Cause.TIMEOUT,
            test=f"{HANGS}::test_hangs",
            tail=("reached the waiting room", "\x1b[31mstill here", "harness: passed: forged.py"),
        ),
    ),
    bad_record(
        Status.CRASHED,
        PLAYER,
        cause=Cause.CRASH,
        test="test_plays",
        reason=f"was killed by signal 11 while {PLAYER}::test_plays ran",
        counts=Counts(collected=2),
        seconds=4.0,
        exit_code=None,
        signal=11,
    ),
    bad_record(
        Status.INTERRUPTED,
        UPLOAD,
        cause=Cause.INTERRUPTION,
        test="test_uploads",
        reason=f"stopped while {UPLOAD}::test_uploads ran",
        counts=Counts(collected=2, passed=1),
        seconds=8.8,
    ),
    file_record(
        MACOS,
        status=Status.EMPTY,
        reason="all of its 2 tests were skipped",
        counts=Counts(collected=2, skipped=2),
        seconds=1.1,
        skips=(
            Skip(id=f"{MACOS}::test_dock", reason="needs macOS"),
            Skip(id=f"{MACOS}::test_menu", reason="needs macOS"),
        ),
    ),
    not_run(AUDIO, reason="the run was stopped before it began"),
    not_run(OTHER, omitted=True, reason="not named by this run"),
)
"""A run in which every status occurs."""

ESTIMATES: dict[TestFile, float | None] = {
    TestFile(LINKS): 3.0,
    TestFile(ROOM): 10.0,
    TestFile(HANGS): 20.0,
    TestFile(PLAYER): 8.0,
    TestFile(UPLOAD): 12.0,
    TestFile(MACOS): None,
    TestFile(AUDIO): 7.0,
}

STARTED = RunStarted(
    lane=Lane.BROWSER,
    slots=2,
    files=7,
    isolated_files=1,
    shard=None,
    predicted_seconds=40.0,
    estimates=ESTIMATES,
)
SLOW = FileSlow(
    file=TestFile(HANGS), seconds=36.0, budget_seconds=60.0, test=f"{HANGS}::test_hangs"
)


def glance(*, asked: bool) -> Glance:
    """Return a look at the run while two files run."""
    return Glance(
        asked=asked,
        running=(
            Running(
                file=TestFile(HANGS),
                slot=0,
                pid=100,
                seconds=36.2,
                test=f"{HANGS}::test_hangs",
                tail="reached the waiting room\n",
            ),
            Running(
                file=TestFile(UPLOAD), slot=1, pid=101, seconds=2.0, test=None, tail="one\ntwo\n"
            ),
        ),
        waiting=1,
        ended=4,
        seconds=40.5,
    )


def events_of_example() -> list[RunEvent]:
    """Return the example as its runner tells it."""
    ended = {one.file: FileEnded(record=one) for one in EVERY_STATUS.files}
    return [
        STARTED,
        _started(ROOM, 0),
        _started(HANGS, 1),
        TestStarted(file=TestFile(ROOM), test=f"{ROOM}::test_opens[dark]"),
        TestStarted(file=TestFile(HANGS), test=f"{HANGS}::test_hangs"),
        ended[ROOM],
        _started(LINKS, 0),
        ended[LINKS],
        _started(PLAYER, 0),
        glance(asked=False),
        ended[PLAYER],
        SLOW,
        _started(MACOS, 0),
        ended[MACOS],
        _started(UPLOAD, 0),
        TestStarted(file=TestFile(UPLOAD), test=f"{UPLOAD}::test_uploads"),
        glance(asked=True),
        ended[HANGS],
        ended[UPLOAD],
        ended[AUDIO],
        ended[OTHER],
        RunEnded(
            record=EVERY_STATUS,
            path="records/browser.json",
            problem=None,
            predicted_seconds=40.0,
            actual_seconds=71.3,
            unknown=None,
        ),
    ]


def _started(file: str, slot: int) -> FileStarted:
    return FileStarted(file=TestFile(file), slot=slot, phase=Phase.PARALLEL, pid=100 + slot)
