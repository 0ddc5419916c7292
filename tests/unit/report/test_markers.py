"""One line per terminal file, which no name can forge."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.model.status import Cause, Status
from harness.records.tier_record import Counts, FileRecord
from harness.report.markers import FORMS, marker, unknown
from tests.lib.run_example import EVERY_STATUS, bad_record, file_record, not_run

ANY_TEXT = st.text(st.characters(codec=None), min_size=1)


@pytest.mark.parametrize(
    ("record", "line"),
    [
        (file_record(), "harness: passed: tests/test_a.py"),
        (bad_record(Status.FAILED), "harness: failed: tests/test_a.py (test_x)"),
        (bad_record(Status.TIMEOUT), "harness: timeout: tests/test_a.py (test_x)"),
        (bad_record(Status.CRASHED), "harness: crashed: tests/test_a.py (test_x)"),
        (bad_record(Status.INTERRUPTED), "harness: interrupted: tests/test_a.py (test_x)"),
        (
            not_run("tests/test_a.py", reason="the run was stopped"),
            "harness: not_run: tests/test_a.py (the run was stopped)",
        ),
        (
            file_record(status=Status.EMPTY, counts=Counts(), reason="it holds no test"),
            "harness: empty: tests/test_a.py (it holds no test)",
        ),
        (
            bad_record(Status.FAILED, cause=Cause.LEAK, test=None, reason="a process outlived it"),
            "harness: failed: tests/test_a.py (a process outlived it)",
        ),
        (bad_record(Status.CRASHED, test=None), "harness: crashed: tests/test_a.py"),
    ],
)
def test_each_status_has_its_line(record: FileRecord, line: str) -> None:
    assert marker(record) == line


def test_an_incomplete_run_has_a_line_of_its_own() -> None:
    assert unknown("no\nrecord") == "harness: unknown: no\\nrecord"


def test_every_status_has_a_form_and_nothing_runs() -> None:
    assert list(FORMS) == [*(status.value for status in Status), "unknown"]
    assert "running" not in FORMS


def test_the_example_holds_every_status() -> None:
    assert {record.status for record in EVERY_STATUS.files} == set(Status)


@given(ANY_TEXT, ANY_TEXT, ANY_TEXT, st.sampled_from(list(Status)))
def test_no_name_and_no_reason_makes_a_second_line(
    file: str, test: str, reason: str, status: Status
) -> None:
    line = marker(bad_record(status, file, test=test, reason=reason))

    assert line.isprintable()
    assert line.startswith(f"harness: {status.value}: ")
