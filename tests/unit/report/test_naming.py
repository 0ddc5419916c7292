"""The test to blame, and the one command that runs it again."""

import pytest

from harness.model.status import Cause, Status
from harness.records.tier_record import Counts
from harness.report.naming import blamed_test, run_again, within_file
from tests.lib.run_example import bad_record, file_record, not_run


@pytest.mark.parametrize(
    ("test", "shown"),
    [
        ("tests/test_a.py::test_x", "test_x"),
        ("tests/test_a.py::TestA::test_x[a::b]", "TestA::test_x[a::b]"),
        ("test_a.py::test_x", "test_x"),
        ("test_x[a::b]", "test_x[a::b]"),
        ("test_x", "test_x"),
    ],
)
def test_a_test_is_named_without_its_file(test: str, shown: str) -> None:
    assert within_file("tests/test_a.py", test) == shown


def test_a_file_without_evidence_blames_no_test() -> None:
    assert blamed_test(file_record()) is None
    assert blamed_test(bad_record(Status.FAILED, cause=Cause.LEAK, test=None)) is None


@pytest.mark.parametrize("status", [Status.FAILED, Status.TIMEOUT, Status.CRASHED])
def test_the_one_test_that_went_wrong_runs_again_alone(status: Status) -> None:
    record = bad_record(status, "tests/a b.py", test="test_x[it's]")

    assert run_again(record) == """python -m pytest 'tests/a b.py::test_x[it'"'"'s]'"""


def test_of_several_failures_the_file_runs_again() -> None:
    record = bad_record(Status.FAILED, counts=Counts(collected=3, failed=2, passed=1))

    assert run_again(record) == "python -m pytest tests/test_a.py"


@pytest.mark.parametrize("cause", [Cause.COLLECTION, Cause.LEAK, Cause.EXIT_CODE])
def test_a_file_that_failed_as_a_whole_runs_again_as_a_whole(cause: Cause) -> None:
    assert (
        run_again(bad_record(Status.FAILED, cause=cause, test=None))
        == "python -m pytest tests/test_a.py"
    )


def test_an_interrupted_file_runs_again_as_a_whole_since_its_test_is_not_to_blame() -> None:
    assert run_again(bad_record(Status.INTERRUPTED)) == "python -m pytest tests/test_a.py"


def test_a_file_that_pytest_cannot_name_goes_through_the_runner() -> None:
    record = not_run("tests/test_[x].py", reason="stopped")

    assert run_again(record) == "harness run --lane browser 'tests/test_[x].py'"


def test_a_file_that_looks_like_an_option_is_given_as_a_path() -> None:
    assert run_again(not_run("-x.py", reason="stopped")) == "python -m pytest ./-x.py"
