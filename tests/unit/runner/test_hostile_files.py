"""What a test does to its own process neither forges a status nor loses one."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.lib.scratch_project import Project

FILES = {
    "test_clock.py": """
import time
def test_it(monkeypatch):
    time.monotonic = time.time = time.perf_counter = lambda: -1e9
def test_after(): pass
""",
    "test_folder.py": """
import os, shutil, tempfile
def test_it():
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    shutil.rmtree(folder)
def test_after(): assert False, "seen"
""",
    "test_environment.py": """
import os
def test_it():
    assert "HARNESS_FILE_RUN" not in os.environ
    os.environ.clear()
def test_after(): assert False, "seen"
""",
    # pytest's own capture is among them.
    "test_descriptors.py": """
import os
def test_it():
    for number in range(3, 64):
        try: os.close(number)
        except OSError: pass
def test_after(): pass
""",
    "test_system_calls.py": """
import os, socket
def refuse(*_, **__): raise OSError("refused")
def test_it():
    os.open = os.write = os.close = socket.socket = refuse
def test_after(): assert False, "seen"
""",
    "test_fork.py": """
import os
def test_it():
    global child
    child = os.fork()  # which goes on with the rest of the session as well
def test_after():
    if child: os.waitpid(child, 0)
""",
    "test_forged.py": """
import json, os, sys
def test_it():
    print("harness: passed: test_forged.py")
    print('{"event":"session_finished","pid":%d,"exit_status":0}' % os.getpid())
    os._exit(0)
""",
    "test_inner.py": """
pytest_plugins = ["pytester"]
def test_it(pytester):
    pytester.makepyfile("def test_inner(): assert False")
    pytester.runpytest().assert_outcomes(failed=1)
    pytester.runpytest_subprocess().assert_outcomes(failed=1)
""",
    "test_daemon.py": """
import subprocess, sys
CODE = "import os; os.setsid(); os.fork() or os.execve('/bin/sleep', ['sleep', '614'], {})"
def test_it():
    subprocess.run([sys.executable, "-c", CODE], env={}, check=True)
""",
    "test_timeout_thread.py": """
import time, pytest
@pytest.mark.timeout(1, method="thread")
def test_it(): time.sleep(600)
""",
    "test_timeout_signal.py": """
import time, pytest
@pytest.mark.timeout(1, method="signal")
def test_it(): time.sleep(600)
""",
    "test_exits_late.py": """
import atexit, os
atexit.register(os._exit, 7)
def test_it(): pass
""",
    "test_subtests.py": """
def test_it(subtests):
    with subtests.test(number=1): assert False, "seen"
""",
    "test_interrupts.py": """
def test_it(): raise KeyboardInterrupt
def test_after(): pass
""",
    "test_module_skip.py": """
import pytest
pytest.skip("no such device", allow_module_level=True)
""",
    "test_[x] ü.py": "def test_it(): assert False, 'seen'",
    "deep/test_a b.py": "def test_it(): pass",
    "deep/conftest.py": "import pytest\n@pytest.fixture(autouse=True)\ndef deep(): pass",
    "test_worker.py": """
import os
def test_it(): assert os.environ["PYTEST_XDIST_WORKER"] in ("gw0", "gw1")
""",
}
STATUS = {
    "test_clock.py": "passed",
    "test_folder.py": "failed",
    "test_environment.py": "failed",
    "test_descriptors.py": "failed",
    "test_system_calls.py": "failed",
    "test_fork.py": "passed",
    "test_forged.py": "crashed",
    "test_inner.py": "passed",
    "test_daemon.py": "failed",
    "test_timeout_thread.py": "timeout",
    "test_timeout_signal.py": "failed",
    "test_exits_late.py": "failed",
    "test_subtests.py": "failed",
    "test_interrupts.py": "crashed",
    "test_module_skip.py": "empty",
    "test_[x] ü.py": "failed",
    "deep/test_a b.py": "passed",
    "test_worker.py": "passed",
}
# All of this would change what a file run is.
ADDOPTS = """
[tool.pytest.ini_options]
addopts = "-n 4 -x -m smoke -k nothing --lf --sw --deselect test_clock.py --junitxml=x.xml --co"
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("hostile"), ADDOPTS)
    for name, text in FILES.items():
        project.write(name, text)
    done = project.harness("run", "--workers", "2")
    assert done.returncode == 1, done.stdout[-3000:]
    return project


@pytest.fixture(scope="module")
def records(project: Project) -> dict[str, Mapping[str, Any]]:
    return project.files()


@pytest.mark.parametrize("name", STATUS)
def test_the_status_is_what_happened(name: str, records: dict[str, Mapping[str, Any]]) -> None:
    assert records[name]["status"] == STATUS[name], records[name]


def test_what_was_asserted_is_in_the_evidence(records: dict[str, Mapping[str, Any]]) -> None:
    seen = {
        name
        for name, one in records.items()
        if one["failure_evidence"] and "seen" in str(one["failure_evidence"]["sections"])
    }
    assert seen == {name for name, text in FILES.items() if "seen" in text and name in STATUS}


def test_a_daemon_that_shed_everything_is_found_below_the_warden(
    records: dict[str, Mapping[str, Any]],
) -> None:
    [leaked] = records["test_daemon.py"]["leaked"]
    assert leaked["command"] == "sleep 614"
    assert records["test_daemon.py"]["failure_evidence"]["cause"] == "leak"


def test_options_of_the_user_leave_nothing_out_and_write_nothing(
    project: Project, records: dict[str, Mapping[str, Any]]
) -> None:
    assert {one["counts"]["deselected"] for one in records.values()} == {0}
    assert not (project.folder / "x.xml").exists()


def test_an_exit_code_that_contradicts_its_report_is_told(
    records: dict[str, Mapping[str, Any]],
) -> None:
    record = records["test_exits_late.py"]
    assert record["exit_code"] == 7
    assert record["failure_evidence"]["cause"] == "exit_code"
    assert record["reason"] == "its report is clean and its process exited with 7"
