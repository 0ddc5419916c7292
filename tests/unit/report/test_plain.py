"""A run as lines: each fact when it is known, and no line that only looks like a marker."""

import io
import re

import pytest

from harness.model.identifiers import Lane
from harness.model.run_events import FileEnded, RunEnded, RunStarted, StopAsked
from harness.model.status import Cause, Status
from harness.records.tier_record import FailureEvidence, FileRecord, Leaked, Section, TierRecord
from harness.report.markers import FORMS
from harness.report.observer import RunEvent
from harness.report.plain import Plain
from tests.lib.run_example import (
    EVERY_STATUS,
    HANGS,
    SLOW,
    STARTED,
    bad_record,
    events_of_example,
    file_record,
    glance,
    not_run,
    tier_record,
)


def plain(*events: RunEvent, colour: bool = False, in_ci: bool = False) -> list[str]:
    stream = io.StringIO()
    observer = Plain(stream, colour=colour, in_ci=in_ci)
    for event in events:
        observer.on(event)
    return stream.getvalue().splitlines()


def ended(record: TierRecord, **given: str) -> RunEnded[TierRecord]:
    return RunEnded(
        record=record,
        path=given.get("path"),
        problem=given.get("problem"),
        predicted_seconds=None,
        actual_seconds=1.0,
        unknown=given.get("unknown"),
    )


def file_ended(record: FileRecord) -> FileEnded[FileRecord]:
    return FileEnded(record=record)


def test_the_start_says_what_runs_and_how_long_it_should_take() -> None:
    assert plain(STARTED) == [
        "Lane browser: 7 files on 2 slots, 1 of them alone afterwards; expected to take 40.0 s."
    ]


def test_a_shard_with_no_file_says_so() -> None:
    event = RunStarted(
        lane=Lane.UNIT,
        slots=2,
        files=0,
        isolated_files=0,
        shard="4/4",
        predicted_seconds=None,
        estimates={},
    )
    assert plain(event) == ["Lane unit, shard 4/4: there is no file to run."]


def test_a_passed_file_is_one_line() -> None:
    assert plain(file_ended(file_record())) == ["harness: passed: tests/test_a.py"]


def test_a_failed_file_shows_its_evidence_at_once() -> None:
    record = bad_record(
        Status.FAILED,
        reason="tests/test_a.py::test_x and 1 more failed",
        failure_evidence=FailureEvidence(
            cause=Cause.TEST,
            test="tests/test_a.py::test_x",
            sections=(Section(test="tests/test_a.py::test_x", lines=("assert 1 == 2", "\tx")),),
            tail=("::error::the last words",),
        ),
        leaked=(Leaked(pid=7, command="sleep 9", how="its parent is gone"),),
        artefacts=("out/evidence.png",),
    )

    assert plain(file_ended(record)) == [
        "harness: failed: tests/test_a.py (test_x)",
        "  why: test_x and 1 more failed",
        "  test: test_x",
        "    | assert 1 == 2",
        "    |     x",
        "  last output:",
        "    | ::error::the last words",
        "  leaked: process 7: sleep 9 (its parent is gone)",
        "  see: out/evidence.png",
    ]


def test_many_artefacts_and_leaks_are_cut() -> None:
    leaks = tuple(Leaked(pid=pid, command=None, how="x") for pid in range(12))
    paths = tuple(f"out/{number}" for number in range(11))
    lines = plain(file_ended(bad_record(Status.FAILED, leaked=leaks, artefacts=paths)))

    assert "  ... 2 more processes" in lines
    assert "  ... 1 more artefacts" in lines
    assert len(lines) == 23


def test_what_a_passed_file_leaked_is_shown() -> None:
    leak = Leaked(pid=7, command=None, how="left its session")
    assert plain(file_ended(file_record(leaked=(leak,)))) == [
        "harness: passed: tests/test_a.py",
        "  leaked: process 7: its command is not known (left its session)",
    ]


def test_a_file_that_had_no_turn_is_one_line_and_one_that_was_left_out_none() -> None:
    assert plain(
        file_ended(not_run(reason="stopped")),
        file_ended(not_run(omitted=True, reason="not named")),
    ) == ["harness: not_run: tests/test_n.py (stopped)"]


def test_a_slow_file_and_a_stop_are_told() -> None:
    assert plain(SLOW, StopAsked(reason="SIGTERM")) == [
        f"slow: {HANGS} has used 36.0 s of its budget of 1 min 00 s, at test_hangs",
        "stopping: SIGTERM; files that run become interrupted, the rest not_run",
    ]


def test_a_heartbeat_is_one_line() -> None:
    assert plain(glance(asked=False)) == [
        f"after 40.5 s: 4 ended, 1 wait; {HANGS} at test_hangs for 36.2 s; "
        "tests/browser/test_upload.py for 2.0 s"
    ]


def test_who_asks_is_told_everything() -> None:
    assert plain(glance(asked=True)) == [
        "Asked after 40.5 s: 2 running, 1 waiting, 4 ended.",
        f"  slot 0, pid 100: {HANGS} at test_hangs for 36.2 s",
        "    | reached the waiting room",
        "  slot 1, pid 101: tests/browser/test_upload.py for 2.0 s",
        "    | one",
        "    | two",
    ]


def test_an_incomplete_run_has_the_unknown_marker_before_its_summary() -> None:
    lines = plain(ended(tier_record(complete=False), unknown="the log cannot be read"))
    assert lines[0] == "harness: unknown: the log cannot be read"
    assert lines[-1].startswith("incomplete: ")


def test_an_incomplete_record_is_unknown_even_when_nobody_says_so() -> None:
    lines = plain(ended(tier_record(file_record(), complete=False)))
    assert lines[0] == "harness: unknown: the run ended before every file had its status"


def test_the_end_says_where_the_record_is_or_why_there_is_none() -> None:
    record = tier_record(file_record())
    assert "Record: out/unit.json" in plain(ended(record, path="out/unit.json"))
    assert "Record: not written: disk full" in plain(ended(record, problem="disk full"))


def test_only_markers_begin_as_markers_do() -> None:
    allowed = re.compile(f"harness: ({'|'.join(FORMS)}): ")
    lines = plain(*events_of_example())

    marked = [line for line in lines if "harness: " in line[:12]]
    assert all(allowed.match(line) for line in marked)
    assert len(marked) == len(EVERY_STATUS.files) - 1  # one was left out
    assert not any("forged" in line for line in marked)
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize("colour", [False, True])
def test_colour_is_used_only_when_asked_for_and_never_in_a_marker(colour: bool) -> None:
    lines = plain(*events_of_example(), colour=colour)

    assert any("\x1b[" in line for line in lines) is colour
    markers = [line for line in lines if line.startswith("harness: ")]
    assert len(markers) == 7
    assert not any("\x1b" in line for line in markers)


def test_a_stream_that_knows_ascii_only_loses_no_line() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii", errors="strict")
    Plain(stream).on(file_ended(file_record("tests/test_größe.py")))

    assert raw.getvalue() == b"harness: passed: tests/test_gr\\xf6\\xdfe.py\n"
