"""Owner: plain pytest. Live: a Chromium with three tabs, a server by command, a `setsid` child.

However the run ends, a second later nothing of it is left, and the owner's unrelated child is
untouched. The witness shares no code with the harness.
"""

import os
import signal
from pathlib import Path

import pytest

from tests.lib import witness
from tests.lib.owner import Owner, running_owner

pytestmark = pytest.mark.matrix

END_SECONDS = 60.0
OWN_END = {
    "normal": 0,
    "failure": 1,
    "fixture error": 1,
    "pytest.exit": 0,
}


@pytest.mark.parametrize("scenario", list(OWN_END))
def test_a_run_that_ends_by_itself_leaves_nothing(tmp_path: Path, scenario: str) -> None:
    with running_owner(tmp_path, scenario) as owner:
        facts = owner.household()
        returncode = owner.stage.wait(END_SECONDS)
        assert owner.left_behind(facts) == [], owner.stage.output()
        assert returncode == OWN_END[scenario], owner.stage.output()
        assert owner.neighbour_end() == 7


@pytest.mark.parametrize(
    ("signals", "returncode"),
    [
        ([signal.SIGINT], 2),
        ([signal.SIGINT, signal.SIGINT], 2),
        ([signal.SIGTERM], 128 + signal.SIGTERM),
        ([signal.SIGHUP], 128 + signal.SIGHUP),
    ],
    ids=["Ctrl-C", "Ctrl-C twice", "SIGTERM", "SIGHUP"],
)
def test_a_run_that_is_asked_to_stop_leaves_nothing(
    tmp_path: Path, signals: list[int], returncode: int
) -> None:
    with running_owner(tmp_path, "killed") as owner:
        facts = owner.household()
        for number in signals:
            owner.stage.signal_group(number)
        ended = owner.stage.wait(END_SECONDS)
        assert owner.left_behind(facts) == [], owner.stage.output()
        if len(signals) == 1:
            assert ended == returncode, owner.stage.output()
            assert owner.neighbour_end() == 7


def test_a_teardown_that_is_stuck_keeps_no_browser_and_no_server_alive(tmp_path: Path) -> None:
    with running_owner(tmp_path, "stuck teardown") as owner:
        facts = owner.household()
        owner.stage.signal(signal.SIGTERM)
        browser_and_server = [facts["groups"][0], facts["groups"][1]]
        gone = witness.wait_until_gone(
            groups=browser_and_server, paths=facts["scratches"], ignore=[owner.stage.owner_pid]
        )
        assert gone.survivors == [], owner.stage.output()
        assert witness.identity(owner.stage.owner_pid) is not None
        owner.stage.signal(signal.SIGKILL)
        assert owner.stage.wait(END_SECONDS) == -signal.SIGKILL
        assert owner.left_behind(facts) == [], owner.stage.output()


def _kill(owner: Owner, facts: dict[str, int]) -> None:
    owner.stage.signal(signal.SIGKILL)


def _kill_group(owner: Owner, facts: dict[str, int]) -> None:
    owner.stage.signal_group(signal.SIGKILL)


def _stop_and_kill(owner: Owner, facts: dict[str, int]) -> None:
    owner.stage.signal(signal.SIGSTOP)
    owner.stage.signal(signal.SIGKILL)


def _stop_browser_and_kill(owner: Owner, facts: dict[str, int]) -> None:
    os.kill(facts["chromium"], signal.SIGSTOP)
    owner.stage.signal(signal.SIGKILL)


@pytest.mark.parametrize(
    "end",
    [_kill, _kill_group, _stop_and_kill, _stop_browser_and_kill],
    ids=["SIGKILL", "SIGKILL to the group", "SIGSTOP then SIGKILL", "browser stopped, SIGKILL"],
)
def test_a_run_that_is_killed_leaves_nothing(tmp_path: Path, end: object) -> None:
    with running_owner(tmp_path, "killed") as owner:
        facts = owner.household()
        neighbour = witness.identity(owner.neighbour())
        assert neighbour is not None
        end(owner, facts)  # type: ignore[operator]
        assert owner.stage.wait(END_SECONDS) == -signal.SIGKILL
        assert owner.left_behind(facts) == [], owner.stage.output()
        assert witness.alive(neighbour, count_zombies=False)


def test_a_run_that_selects_nothing_leaves_no_starting_server(tmp_path: Path) -> None:
    with running_owner(tmp_path, "zero match", ["-k", "nothing"]) as owner:
        facts = owner.household()
        assert owner.stage.wait(END_SECONDS) == pytest.ExitCode.NO_TESTS_COLLECTED
        assert owner.left_behind(facts) == [], owner.stage.output()
        assert owner.neighbour_end() == 7
