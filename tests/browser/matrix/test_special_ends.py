"""Ends that are not in the product of the matrix: a run's own, a warden's, a browser's."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from harness.browser import binary
from harness.process import cgroup
from tests.lib import fake_browsers, witness
from tests.lib.neighbour import Neighbour
from tests.lib.owner import GONE_SECONDS, Owner, pytest_of, running_owner
from tests.lib.run_row import END_SECONDS, OWN_CHILDS_END

pytestmark = [pytest.mark.browser, pytest.mark.matrix]

_GROUP = cgroup.Group.create(f"probe-{os.getpid()}")
if _GROUP is not None:
    _GROUP.remove()
needs_groups = pytest.mark.skipif(
    _GROUP is None, reason="no writable version 2 control group here; `harness doctor` says so"
)

RUN_SECONDS = 40.0
OWN_END = {"normal": 0, "failure": 1, "fixture error": 1, "pytest.exit": 0}
Play = Callable[..., Any]


@pytest.fixture
def play(tmp_path: Path, neighbour: Neighbour) -> Play:
    """Run the owner project with a scenario of its own."""

    @contextmanager
    def play(
        scenario: str, *arguments: str, file: str = "scenarios.py", **options: Any
    ) -> Iterator[Owner]:
        command = pytest_of(file, *arguments)
        environment = {"OWNER_SCENARIO": scenario}
        with running_owner(
            tmp_path, neighbour, command, environment=environment, **options
        ) as owner:
            yield owner

    return play


# -- a run that ends by itself, or is asked to --------------------------------------------


@pytest.mark.parametrize("scenario", list(OWN_END))
def test_a_run_that_ends_by_itself_leaves_nothing(play: Play, scenario: str) -> None:
    with play(scenario) as owner:
        returncode = owner.stage.wait(RUN_SECONDS)
        assert owner.left_behind() == []
        assert returncode == OWN_END[scenario], owner.stage.output()
        assert owner.own_childs_end() == OWN_CHILDS_END


def test_a_run_that_selects_nothing_leaves_no_starting_server(play: Play) -> None:
    with play("zero match", "-k", "nothing") as owner:
        assert owner.stage.wait(RUN_SECONDS) == pytest.ExitCode.NO_TESTS_COLLECTED
        assert owner.known("household") != []
        assert owner.left_behind() == []
        assert owner.own_childs_end() == OWN_CHILDS_END


def test_ctrl_c_pressed_twice_leaves_nothing(play: Play) -> None:
    with play("waiting") as owner:
        owner.all_said("waiting")
        owner.stage.signal_group(signal.SIGINT)
        owner.stage.signal_group(signal.SIGINT)
        owner.stage.wait(END_SECONDS)
        assert owner.left_behind() == []


def test_a_run_that_is_stopped_and_then_killed_leaves_nothing(play: Play) -> None:
    with play("waiting") as owner:
        owner.all_said("waiting")
        owner.stage.signal(signal.SIGSTOP)
        owner.stage.signal(signal.SIGKILL)
        assert owner.stage.wait(END_SECONDS) == -signal.SIGKILL
        assert owner.left_behind() == []


def test_a_teardown_that_is_stuck_keeps_no_browser_and_no_server_alive(play: Play) -> None:
    with play("stuck teardown") as owner:
        [household], [waiting] = owner.all_said("household"), owner.all_said("waiting")
        owner.stage.signal(signal.SIGTERM)
        groups = [household["server"], waiting["chromium"]]
        assert witness.wait_until_gone(GONE_SECONDS, groups=groups).survivors == []
        assert witness.identity(owner.stage.owner_pid) is not None
        owner.stage.signal(signal.SIGKILL)
        assert owner.stage.wait(END_SECONDS) == -signal.SIGKILL
        assert owner.left_behind() == []


# -- a warden that is killed ---------------------------------------------------------------


def test_a_killed_warden_takes_its_family_along_and_its_scratch_goes_with_the_next_start(
    play: Play,
) -> None:
    with play("waiting") as owner:
        [waiting] = owner.all_said("waiting")
        family = [one.identity for one in witness.descendants(waiting["warden"])]
        _kill_warden(waiting)
        assert witness.wait_until_gone(GONE_SECONDS, pids=family).survivors == []
        assert witness.identity(owner.stage.owner_pid) is not None
        assert owner.stage.wait(RUN_SECONDS) == 1, owner.stage.output()
        owner.places.neighbour.start_another()
        assert owner.left_behind(seconds=RUN_SECONDS) == []


@needs_groups
def test_what_has_left_the_family_of_a_killed_warden_ends_with_the_run_at_the_latest(
    play: Play,
) -> None:
    with play("waiting", browser=_escaping) as owner:
        [waiting] = owner.all_said("waiting")
        everything = [
            one.identity
            for one in owner.stage.descendants()
            if one.pid not in (owner.own_child(), owner.stage.owner_pid)
        ]
        _kill_warden(waiting)
        assert owner.stage.wait(RUN_SECONDS) == 1, owner.stage.output()
        assert witness.wait_until_gone(GONE_SECONDS, pids=everything).survivors == []


@pytest.mark.parametrize(
    "browser",
    [None, pytest.param("escapee", marks=needs_groups)],
    ids=["a browser", "with an escapee"],
)
def test_a_warden_and_its_owner_killed_leave_a_scratch_that_goes_with_the_next_start(
    play: Play, browser: str | None
) -> None:
    with play("waiting", browser=_escaping if browser else None) as owner:
        [waiting] = owner.all_said("waiting")
        everything = [one.identity for one in owner.stage.descendants()
                      if one.pid != owner.own_child()]  # fmt: skip
        _kill_warden(waiting)
        owner.stage.signal(signal.SIGKILL)
        assert owner.stage.wait(END_SECONDS) == -signal.SIGKILL
        assert witness.wait_until_gone(GONE_SECONDS, pids=everything).survivors == []
        owner.places.neighbour.start_another()
        assert owner.left_behind(seconds=RUN_SECONDS) == []


def _escaping(folder: Path) -> Path:
    return fake_browsers.leaves_an_escapee(folder, binary.find().path)


def _kill_warden(waiting: dict[str, Any]) -> None:
    os.kill(waiting["warden"], signal.SIGKILL)


# -- a browser that ends -------------------------------------------------------------------

CRASH_WORDS = {
    "SIGSEGV": "killed by signal 11 (SIGSEGV) during this test",
    "Browser.crash": "during this test",
    "chrome://crash": "page: its renderer crashed",
}


@pytest.mark.parametrize("crash", list(CRASH_WORDS))
def test_a_crash_fails_its_test_by_name_and_the_next_one_works(play: Play, crash: str) -> None:
    with play(crash, file="crashes.py") as owner:
        returncode = owner.stage.wait(RUN_SECONDS)
        assert owner.left_behind() == []
        assert returncode == 1
        assert "1 failed, 1 passed" in owner.stage.output(), owner.stage.output()
        assert CRASH_WORDS[crash] in owner.stage.output(), owner.stage.output()


def test_a_browser_that_never_comes_up_is_a_clear_error_within_its_bound(play: Play) -> None:
    with play(
        "waiting",
        browser=fake_browsers.prints_nothing_and_hangs,
        settings="browser_start_seconds = 1.0\n",
    ) as owner:
        returncode = owner.stage.wait(RUN_SECONDS)
        assert owner.left_behind() == []
        assert returncode == 1
        assert "Chromium did not start after 1." in owner.stage.output(), owner.stage.output()
