"""Processes and profiles that other launchers were publicly reported to leave behind.

`docs/public-reports.md` names each report and the test that repeats it here.
"""

import os
import signal
import sys
import threading
from pathlib import Path

import pytest

from harness.browser.chromium import Chromium, Liveness
from harness.browser.launch import launch
from tests.lib import witness
from tests.lib.events import wait_until
from tests.lib.script_owner import running_script

END_SECONDS = 60.0
LEADER_SECONDS = 2.0

# Adopts every orphan, as the first process of a container does, and reaps none of them.
_IDLE_INIT = """
import ctypes, os, subprocess, sys
from pathlib import Path
assert ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) == 0
cycles = "from harness.browser.launch import launch\\nfor _ in range({}): launch().close()"
ended = subprocess.run([sys.executable, "-c", cycles.format(os.environ["CYCLES"])])
me = os.getpid()
for child in Path(f"/proc/{me}/task/{me}/children").read_text().split():
    print("adopted", Path(f"/proc/{child}/stat").read_text())
print("cycles ended with", ended.returncode)
"""


@pytest.mark.parametrize("cycles", [2, pytest.param(20, marks=pytest.mark.soak)])
def test_browsers_leave_no_zombie_to_a_first_process_that_never_reaps(
    tmp_path: Path, cycles: int
) -> None:
    with running_script(tmp_path, _IDLE_INIT, CYCLES=str(cycles)) as owner:
        assert owner.stage.wait(END_SECONDS + 5 * cycles) == 0
        assert owner.stage.output() == "cycles ended with 0\n"


def test_a_browser_process_that_is_killed_takes_its_helpers_along(scratch_root: Path) -> None:
    with launch() as chromium:
        members = [one.identity for one in witness.descendants(chromium.warden_pid)]
        assert len(members) > 1
        os.kill(chromium.pid, signal.SIGKILL)
        assert witness.wait_until_gone(LEADER_SECONDS, pids=members).survivors == []
        assert chromium.died() == "killed by signal 9 (SIGKILL)"


def test_crash_handlers_that_do_not_end_are_named_and_killed(scratch_root: Path) -> None:
    chromium = launch()
    handlers = [one for one in chromium.processes() if one.command[0].endswith("crashpad_handler")]
    assert handlers
    for one in handlers:
        os.kill(one.pid, signal.SIGSTOP)
    report = chromium.close()
    assert report is not None
    named = {one.pid: one.command or "" for one in report.ended}
    assert {one.pid for one in handlers} == named.keys()
    assert all("crashpad_handler" in command for command in named.values())
    assert [one.pid for one in handlers if witness.identity(one.pid)] == []
    assert list(scratch_root.glob("[!.]*")) == []


_FORKS = """
import time
from harness.browser.launch import launch

chromium = launch()
child = os.fork()
if child == 0:
    time.sleep(20)
    os._exit(0)
publish(child=child)
time.sleep(600)
"""


def test_a_forked_child_of_a_killed_owner_keeps_no_browser_alive(tmp_path: Path) -> None:
    with running_script(tmp_path, _FORKS) as owner:
        facts = owner.facts()
        child = witness.identity(facts["child"])
        assert child is not None
        owner.stage.signal(signal.SIGKILL)
        assert owner.stage.wait(END_SECONDS) == -signal.SIGKILL
        assert owner.left_behind(facts, ignore=[child.pid]) == []
        assert witness.alive(child, count_zombies=False)


def test_a_browser_outlives_the_thread_that_launched_it(scratch_root: Path) -> None:
    launched: list[Chromium] = []
    thread = threading.Thread(target=lambda: launched.append(launch()))
    thread.start()
    thread.join(END_SECONDS)
    task = Path(f"/proc/self/task/{thread.native_id}")
    with launched[0] as chromium:
        # Python joins a thread a moment before the kernel has ended it.
        wait_until(lambda: not task.exists(), 20.0, "the thread's end")
        assert chromium.liveness(seconds=20.0) is Liveness.RESPONSIVE
        assert chromium.died() is None


@pytest.mark.parametrize("cycles", [3, pytest.param(100, marks=pytest.mark.soak)])
@pytest.mark.timeout(600)
def test_browsers_one_after_the_other_leave_no_profile_descriptor_thread_or_child(
    scratch_root: Path, cycles: int
) -> None:
    def possessions() -> tuple[int, int, int]:
        return (
            len(os.listdir("/proc/self/fd")),
            threading.active_count(),
            len(witness.descendants(os.getpid())),
        )

    launch().close()  # what a process needs once, it has from here on
    before = possessions()
    for _ in range(cycles):
        launch().close()
    assert list(scratch_root.glob("[!.]*")) == []
    assert possessions() == before


_WAITS = """
import time
from harness.browser.launch import launch

chromium = launch()
publish(pid=os.getpid())
time.sleep(600)
"""


def test_a_killed_owner_behind_an_intermediary_leaves_nothing(tmp_path: Path) -> None:
    wrapped = ["/bin/sh", "-c", f'{sys.executable} "$0"; read forever < fifo']
    os.mkfifo(tmp_path / "fifo")
    with running_script(tmp_path, _WAITS, command=wrapped) as owner:
        facts = owner.facts()
        os.kill(facts["pid"], signal.SIGKILL)
        intermediary = owner.stage.owner_pid
        assert owner.left_behind(facts, ignore=[intermediary]) == []
        assert witness.identity(intermediary) is not None
