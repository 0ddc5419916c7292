"""Whatever moment a runner is stopped or killed at, nothing is left and nothing is made up."""

import contextlib
import random
import signal
import subprocess
from pathlib import Path

import psutil
import pytest

from tests.lib.events import wait_until
from tests.lib.scratch_project import Project

pytestmark = pytest.mark.soak
MOMENTS = 10
LATEST_SECONDS = 6.0
END_SECONDS = 30.0
ENDS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGKILL: -9}
FILE = """
import subprocess, time
def test_it():
    child = subprocess.Popen(["sleep", "{mark}"], start_new_session=True)
    time.sleep(0.5)
    child.kill()
    child.wait()
"""


def belongings(mark: str, folder: Path) -> list[list[str]]:
    """Return the command of every process that the run has started, wardens included."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            command = process.cmdline()
            if mark in command or process.cwd() == str(folder):
                found.append(command)
    return found


@pytest.mark.parametrize("moment", range(MOMENTS))
@pytest.mark.parametrize("number", ENDS, ids=lambda number: number.name)
def test_a_runner_that_ends_at_any_moment(
    number: signal.Signals, moment: int, tmp_path: Path
) -> None:
    mark = f"7{number:02}{moment:02}"
    project = Project(tmp_path / "project")
    for index in range(6):
        project.write(f"test_{index}.py", FILE.format(mark=mark))
    seconds = random.Random(f"{number}-{moment}").uniform(0, LATEST_SECONDS)
    with project.popen("run", "--workers", "2") as run:
        # The moment is the case under test; there is no event to wait for.
        with contextlib.suppress(subprocess.TimeoutExpired):
            run.wait(seconds)
        run.send_signal(number)
        run.communicate(timeout=END_SECONDS)
    wait_until(lambda: not belongings(mark, project.folder), END_SECONDS, "everything to be gone")
    if not (project.folder / ".harness" / "records" / "unit.json").exists():
        # It had not begun: then it ended as a program without a handler does.
        assert run.returncode in (-number, ENDS[number])
        return
    record = project.record()
    statuses = [one["status"] for one in record["files"]]
    assert len(statuses) == 6
    if not record["complete"]:
        assert set(statuses) == {"not_run"}
    elif run.returncode == 0:
        assert set(statuses) == {"passed"}
    else:
        assert run.returncode == ENDS[number]
        assert set(statuses) <= {"passed", "interrupted", "not_run"}
