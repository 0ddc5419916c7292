"""What a run ends with."""

import itertools
from typing import Any

import pytest

from harness.model.status import Phase, Status
from harness.records.tier_record import Counts, FileRecord, ShardOf, Skip
from harness.report.exit_code import exit_code_of
from tests.lib.run_example import bad_record, file_record, not_run, tier_record

PASSED = file_record("tests/test_p.py")
FAILED = bad_record(Status.FAILED, "tests/test_f.py")
SKIP = Skip(id="tests/test_s.py::test_x", reason="later")
DECLARED = Skip(id="tests/test_s.py::test_x", reason="needs macOS", declared=True)


def empty(*skips: Skip) -> FileRecord:
    return file_record(
        "tests/test_s.py", status=Status.EMPTY, counts=Counts(skipped=len(skips)), skips=skips
    )


SHARD = ShardOf(index=4, total=4)


@pytest.mark.parametrize(
    ("files", "given", "local", "ci"),
    [
        ((PASSED,), {}, 0, 0),
        ((PASSED, FAILED), {}, 1, 1),
        ((PASSED, bad_record(Status.TIMEOUT)), {}, 1, 1),
        ((PASSED, bad_record(Status.CRASHED)), {}, 1, 1),
        ((PASSED, bad_record(Status.INTERRUPTED)), {}, 1, 1),
        ((PASSED, not_run(reason="the deadline ended the run")), {}, 1, 1),
        ((PASSED, not_run(omitted=True, reason="not named")), {}, 0, 0),
        ((PASSED, empty()), {}, 4, 3),
        ((PASSED, empty(SKIP)), {}, 4, 3),
        ((PASSED, empty(DECLARED)), {}, 0, 0),
        ((empty(DECLARED),), {}, 4, 4),
        ((empty(DECLARED),), {"shard": SHARD}, 0, 0),
        ((PASSED, file_record(skips=(SKIP,))), {}, 0, 3),
        ((PASSED, file_record(skips=(DECLARED,))), {}, 0, 0),
        ((FAILED, empty()), {}, 1, 3),
        ((), {}, 4, 4),
        ((), {"shard": SHARD}, 0, 0),
        ((), {"phase": Phase.ISOLATED}, 0, 0),
        ((not_run(omitted=True, reason="not named"),), {}, 4, 4),
        ((PASSED,), {"complete": False}, 6, 6),
        ((FAILED,), {"complete": False}, 6, 6),
    ],
)
def test_the_code_follows_from_the_record(
    files: tuple[FileRecord, ...], given: dict[str, Any], local: int, ci: int
) -> None:
    record = tier_record(*files, **given)
    assert exit_code_of(record, in_ci=False) == local
    assert exit_code_of(record, in_ci=True) == ci


@pytest.mark.parametrize(("signal", "code"), [(1, 129), (2, 130), (15, 143)])
def test_a_signal_explains_failures_and_an_incomplete_record(signal: int, code: int) -> None:
    record = tier_record(FAILED, not_run(reason="stopped"), complete=False)
    assert exit_code_of(record, in_ci=True, signal=signal) == code


def test_a_signal_that_ends_no_run_is_misuse() -> None:
    with pytest.raises(ValueError, match="signal 9 does not end a run"):
        exit_code_of(tier_record(PASSED), in_ci=False, signal=9)


def test_a_record_that_was_not_written_is_a_fault_also_after_a_signal() -> None:
    assert exit_code_of(tier_record(PASSED), in_ci=False, written=False) == 6
    assert exit_code_of(tier_record(PASSED), in_ci=False, signal=2, written=False) == 6


@pytest.mark.parametrize(
    "status", [status for status in Status if status is not Status.PASSED], ids=str
)
def test_no_other_files_ever_make_a_bad_one_pass(status: Status) -> None:
    bad = bad_record(status, "tests/test_b.py")
    for in_ci, count in itertools.product((False, True), range(3)):
        files = (bad, *(file_record(f"tests/test_{number}.py") for number in range(count)))
        assert exit_code_of(tier_record(*files), in_ci=in_ci) != 0
