"""How a file run ended, from its log and from what its runner saw."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.model.status import Cause, Status
from harness.records.derive_status import Ending, counts_of, derive_status
from harness.records.file_events import (
    AnyEvent,
    Collected,
    CollectionFailed,
    CollectionSkipped,
    FileLog,
    InternalError,
    SessionFinished,
    SessionStarted,
    TestFinished,
    TestStarted,
)
from harness.records.tier_record import Counts

PID = 7
START = SessionStarted(pid=PID)
A, B = "t.py::test_a", "t.py::test_b"


def collected(*ids: str, deselected: int = 0) -> Collected:
    return Collected(pid=PID, ids=ids, deselected=deselected)


def began(test: str) -> TestStarted:
    return TestStarted(pid=PID, id=test)


def ended(test: str, outcome: str = "passed", **fields: Any) -> TestFinished:
    return TestFinished(pid=PID, id=test, outcome=outcome, seconds=0.1, **{"errors": 0, **fields})


def sentinel(exit_status: int = 0) -> SessionFinished:
    return SessionFinished(pid=PID, exit_status=exit_status)


def log_of(*events: AnyEvent) -> FileLog:
    log = FileLog(PID)
    log.events = list(events)
    return log


PASSED: tuple[AnyEvent, ...] = (START, collected(A), began(A), ended(A), sentinel())
FAILED: tuple[AnyEvent, ...] = (START, collected(A), began(A), ended(A, "failed"), sentinel(1))
OK = Ending(exit_code=0)


@pytest.mark.parametrize(
    ("ending", "events", "status", "cause", "test"),
    [
        pytest.param(OK, PASSED, Status.PASSED, None, None, id="passed"),
        pytest.param(
            Ending(exit_code=1), FAILED, Status.FAILED, Cause.TEST, A, id="a test failed"
        ),
        pytest.param(OK, FAILED, Status.FAILED, Cause.TEST, A, id="a failure with exit code 0"),
        pytest.param(
            Ending(exit_code=7), PASSED, Status.FAILED, Cause.EXIT_CODE, None, id="exit code 7"
        ),
        pytest.param(
            Ending(signal=9), PASSED, Status.FAILED, Cause.EXIT_CODE, None, id="killed at its end"
        ),
        pytest.param(
            OK, PASSED[:-2], Status.CRASHED, Cause.CRASH, A, id="os._exit(0) in a test"
        ),
        pytest.param(
            OK, PASSED[:-1], Status.CRASHED, Cause.CRASH, None, id="os._exit(0) after the last"
        ),
        pytest.param(OK, (), Status.CRASHED, Cause.CRASH, None, id="no plugin"),
        pytest.param(
            OK,
            (START, collected(A, B), began(A), ended(A), sentinel()),
            Status.CRASHED,
            Cause.CRASH,
            B,
            id="pytest.exit with code 0",
        ),
        pytest.param(
            Ending(exit_code=1, timed_out_by_plugin=True),
            PASSED[:-2],
            Status.TIMEOUT,
            Cause.TIMEOUT,
            A,
            id="pytest-timeout's thread",
        ),
        pytest.param(
            Ending(exit_code=0, timed_out_by_plugin=True),
            PASSED,
            Status.PASSED,
            None,
            None,
            id="a banner that a test prints",
        ),
        pytest.param(
            Ending(signal=9, budget_spent=True),
            PASSED[:-2],
            Status.TIMEOUT,
            Cause.TIMEOUT,
            A,
            id="budget",
        ),
        pytest.param(
            Ending(signal=9, exit_grace_spent=True),
            PASSED,
            Status.TIMEOUT,
            Cause.TIMEOUT,
            None,
            id="exit grace",
        ),
        pytest.param(
            Ending(signal=15, told_to_stop=True),
            PASSED[:-2],
            Status.INTERRUPTED,
            Cause.INTERRUPTION,
            A,
            id="stopped",
        ),
        pytest.param(
            Ending(started=False, told_to_stop=True), (), Status.NOT_RUN, None, None, id="not begun"
        ),
        pytest.param(
            Ending(exit_code=0, leaks=1), PASSED, Status.FAILED, Cause.LEAK, None, id="leak"
        ),
        pytest.param(
            Ending(exit_code=1, leaks=1), FAILED, Status.FAILED, Cause.TEST, A, id="fails and leaks"
        ),
        pytest.param(
            Ending(exit_code=2),
            (START, CollectionFailed(pid=PID, id="t.py", lines=("E",)), collected(), sentinel(2)),
            Status.FAILED,
            Cause.COLLECTION,
            None,
            id="import error",
        ),
        pytest.param(
            Ending(exit_code=2),
            (START, CollectionFailed(pid=PID, id="t.py", lines=()), collected(A), sentinel(2)),
            Status.FAILED,
            Cause.COLLECTION,
            None,
            id="a class that cannot be collected",
        ),
        pytest.param(
            Ending(exit_code=3),
            (START, InternalError(pid=PID, lines=("E",)), sentinel(3)),
            Status.CRASHED,
            Cause.CRASH,
            None,
            id="internal error",
        ),
        pytest.param(
            Ending(exit_code=5), (START, collected(), sentinel(5)), Status.EMPTY, None, None,
            id="no test",
        ),
        pytest.param(
            Ending(exit_code=4),
            (START, collected(), sentinel(4)),
            Status.FAILED,
            Cause.EXIT_CODE,
            None,
            id="usage error",
        ),
        pytest.param(
            OK,
            (START, collected(A), began(A), ended(A, "skipped"), sentinel()),
            Status.EMPTY,
            None,
            None,
            id="all skipped",
        ),
        pytest.param(
            Ending(exit_code=5),
            (START, CollectionSkipped(pid=PID, id="t.py", reason="r"), collected(), sentinel(5)),
            Status.EMPTY,
            None,
            None,
            id="a module skipped as a whole",
        ),
        pytest.param(
            Ending(exit_code=1),
            (START, collected(A), began(A), ended(A, errors=1), sentinel(1)),
            Status.FAILED,
            Cause.TEST,
            A,
            id="teardown error",
        ),
        pytest.param(
            OK,
            (START, collected(A), began(A), ended(A, "xfailed"), sentinel()),
            Status.PASSED,
            None,
            None,
            id="only an expected failure",
        ),
    ],
)  # fmt: skip
def test_the_status_of(
    ending: Ending,
    events: tuple[AnyEvent, ...],
    status: Status,
    cause: Cause | None,
    test: str | None,
) -> None:
    derived = derive_status(ending, log_of(*events))
    assert (derived.status, derived.cause, derived.test) == (status, cause, test)


def test_a_run_without_the_plugin_says_so() -> None:
    reason = derive_status(OK, log_of()).reason
    assert reason == "exited with 0 without the plugin lanewright: was it disabled?"


def test_counts_are_by_outcome_and_errors_apart() -> None:
    log = log_of(
        START,
        collected("a", "b", "c", "d", deselected=2),
        ended("a", errors=1),
        ended("b", "error", errors=1),
        ended("c", "xpassed"),
        CollectionFailed(pid=PID, id="x", lines=()),
    )
    assert counts_of(log) == Counts(collected=4, passed=1, errors=3, xpassed=1, deselected=2)


def test_a_line_that_cannot_be_read_makes_a_log_prove_nothing() -> None:
    log = log_of(*PASSED)
    log.feed(b"garbage\n")
    assert derive_status(OK, log).status is Status.CRASHED


def test_what_another_process_wrote_does_not_count() -> None:
    log = FileLog(PID)
    log.feed(b'{"event":"session_finished","pid":8,"exit_status":0}\n')
    assert log.sentinel is None
    log.feed(b'{"event":"session_finished","pid":7,"exit')
    assert log.sentinel is None
    log.feed(b'_status":0}\n')
    assert log.sentinel == sentinel()


EVENTS = st.lists(
    st.sampled_from(
        [START, collected(A, B), began(A), began(B), ended(A), ended(B), ended(B, "failed"),
         ended(A, "skipped"), sentinel(), CollectionFailed(pid=PID, id="t.py", lines=())]
    ),
    max_size=10,
)  # fmt: skip
ENDINGS = st.builds(
    Ending,
    started=st.booleans(),
    told_to_stop=st.booleans(),
    budget_spent=st.booleans(),
    exit_grace_spent=st.booleans(),
    timed_out_by_plugin=st.booleans(),
    exit_code=st.sampled_from([None, 0, 1, 5]),
    signal=st.sampled_from([None, 9]),
    leaks=st.integers(0, 2),
)


@given(events=EVENTS, ending=ENDINGS)
def test_nothing_passes_without_a_whole_clean_log_and_a_clean_end(
    events: list[AnyEvent], ending: Ending
) -> None:
    log = log_of(*events)
    if derive_status(ending, log).status is not Status.PASSED:
        return
    assert ending.exit_code == 0
    assert not any((ending.told_to_stop, ending.budget_spent, ending.exit_grace_spent))
    assert ending.leaks == 0
    assert log.sentinel is not None
    assert set(log.collected) <= set(log.finished)
    assert {one.outcome for one in log.finished.values()} <= {"passed", "skipped"}
    assert counts_of(log).passed >= 1


@given(cut=st.integers(0, 5))
def test_a_log_that_was_cut_short_never_passes(cut: int) -> None:
    expected = Status.PASSED if cut == len(PASSED) else Status.CRASHED
    assert derive_status(OK, log_of(*PASSED[:cut])).status is expected
