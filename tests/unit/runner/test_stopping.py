"""A run that is told to stop, or is killed, leaves nothing and claims nothing."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.lib.events import wait_until
from tests.lib.scratch_project import Project

HANGING = """
import os, subprocess, time
from pathlib import Path

def test_before(): pass

def test_hangs():
    child = subprocess.Popen(["sleep", "613"], start_new_session=True)
    Path(__file__).with_suffix(".pid").write_text(f"{os.getpid()} {child.pid}")
    print("this was printed", flush=True)
    time.sleep(600)
"""
STUBBORN = HANGING.replace(
    "import os,", "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\nimport os,"
)
BOUND_SECONDS = 60.0


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Two files that hang, one that waits for a slot, one that would run alone."""
    project = Project(tmp_path, '[tool.harness.isolated]\n"test_alone.py" = "needs the machine"\n')
    project.write("test_a.py", HANGING)
    project.write("test_b.py", HANGING)
    project.write("test_waits.py", "def test_it(): pass")
    project.write("test_alone.py", "def test_it(): pass")
    # Hanging files first.
    project.write("order.json", '{"test_a.py": 9, "test_b.py": 8, "test_waits.py": 1, '
                                '"test_alone.py": 1}')  # fmt: skip
    return project


def wait_for_both(project: Project, process: "subprocess.Popen[Any]") -> None:
    """Return when both files hang; a run that has ended meanwhile never gets there."""

    def hang() -> bool:
        assert process.poll() is None
        return len(pids(project)) == 4

    wait_until(hang, BOUND_SECONDS, "both files to hang")


@contextlib.contextmanager
def hanging(
    project: Project, *arguments: str, **environment: str
) -> "Iterator[subprocess.Popen[str]]":
    """Run until both files hang."""
    run = project.popen(
        "run", "--workers", "2", "--durations", "order.json", *arguments, **environment
    )
    with run:
        try:
            wait_for_both(project, run)
            yield run
        finally:
            run.kill()


def pids(project: Project) -> list[int]:
    found = []
    for path in project.folder.glob("*.pid"):
        found += [int(word) for word in path.read_text().split()]
    return found


def alive(project: Project) -> list[int]:
    return [pid for pid in pids(project) if psutil.pid_exists(pid)]


@pytest.mark.parametrize(
    ("number", "code", "name"),
    [
        (signal.SIGINT, 130, "SIGINT"),
        (signal.SIGTERM, 143, "SIGTERM"),
        (signal.SIGHUP, 129, "SIGHUP"),
    ],
    ids=["SIGINT", "SIGTERM", "SIGHUP"],
)
def test_a_signal_ends_a_run_with_a_whole_record(
    project: Project, number: signal.Signals, code: int, name: str
) -> None:
    with hanging(project) as run:
        run.send_signal(number)
        output, _ = run.communicate(timeout=BOUND_SECONDS)
    assert run.returncode == code
    assert alive(project) == []
    assert project.record()["complete"] is True
    files = project.files()
    assert {file: one["status"] for file, one in files.items()} == {
        "test_a.py": "interrupted",
        "test_b.py": "interrupted",
        "test_waits.py": "not_run",
        "test_alone.py": "not_run",
    }
    assert files["test_a.py"]["failure_evidence"]["test"] == "test_a.py::test_hangs"
    assert "this was printed" in str(files["test_a.py"]["failure_evidence"])
    assert files["test_waits.py"]["seconds"] is None
    lines = output.splitlines()
    assert f"harness: unknown: received {name}" in lines
    assert "harness: interrupted: test_a.py (test_hangs)" in lines
    assert not any(line.startswith("harness: running") for line in lines)


def test_a_second_signal_leaves_nothing_either(project: Project) -> None:
    project.write("test_a.py", STUBBORN)
    with hanging(project) as run:
        run.send_signal(signal.SIGINT)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=BOUND_SECONDS)
    assert run.returncode == 130
    assert alive(project) == []
    assert project.files()["test_a.py"]["status"] == "interrupted"


def test_a_deadline_names_what_ran_and_what_did_not(project: Project) -> None:
    with hanging(project, "--deadline", "15") as run:
        output, _ = run.communicate(timeout=BOUND_SECONDS)
    assert run.returncode == 1
    assert alive(project) == []
    statuses = [one["status"] for one in project.record()["files"]]
    assert sorted(statuses) == ["interrupted", "interrupted", "not_run", "not_run"]
    assert "harness: unknown: its --deadline has passed" in output.splitlines()


def test_a_killed_runner_leaves_no_process_no_file_and_no_claim(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    temporary = tmp_path_factory.mktemp("t")
    scratch = str(tmp_path_factory.mktemp("s"))
    with hanging(project, HARNESS_STATE_DIR=scratch, TMPDIR=str(temporary)) as run:
        run.kill()
        run.communicate(timeout=BOUND_SECONDS)
        wait_until(lambda: not alive(project), BOUND_SECONDS, "everything to be gone")
    assert list(temporary.iterdir()) == []
    assert project.record()["complete"] is False
    assert {one["status"] for one in project.record()["files"]} == {"not_run"}


def test_sigusr1_shows_what_runs_and_the_run_goes_on(project: Project) -> None:
    with hanging(project) as run:
        run.send_signal(signal.SIGUSR1)
        assert run.stdout is not None
        seen: list[str] = []
        while not any("test_b.py" in line and "test_hangs" in line for line in seen):
            line = run.stdout.readline()
            assert line
            seen.append(line)
        assert run.poll() is None


def test_a_signal_that_a_shell_made_the_run_ignore_still_ends_it(project: Project) -> None:
    """As of a job in the background of a script."""
    code = (
        "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN);"
        "os.execv(sys.executable, [sys.executable, '-m', 'harness.cli', *sys.argv[1:]])"
    )
    run = subprocess.Popen(
        [sys.executable, "-c", code, "run", "--workers", "2", "--durations", "order.json"],
        cwd=project.folder, env={**os.environ, "CI": ""}, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    with run:
        try:
            wait_for_both(project, run)
            run.send_signal(signal.SIGINT)
            assert run.wait(BOUND_SECONDS) == 130
        finally:
            run.kill()
    assert alive(project) == []
