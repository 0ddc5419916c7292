"""An exit report says what was left undone."""

import signal

from harness.process.report import describe_status, from_message

_COMPLETE = {
    "event": "report", "reason": "asked", "leader": 12, "leader_start_ticks": 34,
    "leader_status": 9, "outlived": [], "ended": [], "alive": [], "refused": [], "scratch": "/s",
    "scratch_problem": None, "group": "/g", "group_problem": None, "fault": None,
    "lifetime_seconds": 1.0, "end_seconds": 0.1,
}  # fmt: skip


def test_a_complete_end_has_no_problems() -> None:
    assert from_message(_COMPLETE).problems == ()


def test_every_kind_of_incomplete_end_is_a_problem_that_names_it() -> None:
    survivor = {"pid": 99, "start_ticks": 1, "command": "sleep 5", "how": "token"}
    report = from_message(
        {
            **_COMPLETE,
            "alive": [survivor],
            "refused": ["98: Operation not permitted"],
            "scratch_problem": "busy",
            "group_problem": "occupied",
            "fault": "OSError: no",
        }
    )
    assert report.problems == (
        "still alive: pid 99 (token): sleep 5",
        "kill refused: 98: Operation not permitted",
        "scratch /s not removed: busy",
        "control group /g not removed: occupied",
        "the warden failed: OSError: no",
    )


def test_a_refused_kill_of_a_family_that_has_ended_is_no_problem() -> None:
    report = from_message({**_COMPLETE, "refused": ["98: Operation not permitted"]})
    assert report.problems == ()
    assert report.refused == ("98: Operation not permitted",)


def test_a_wait_status_is_told_in_words() -> None:
    assert describe_status(3 << 8) == "exited with 3"
    assert describe_status(signal.SIGKILL) == "killed by signal 9 (SIGKILL)"
    assert describe_status(signal.SIGSEGV | 0x80) == "killed by signal 11 (SIGSEGV)"
