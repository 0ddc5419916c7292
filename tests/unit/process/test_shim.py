"""A program that a library starts by its path, under a warden that the library does not know."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.errors import OwnershipError, PreconditionError
from harness.process.shim import Shim, StartedFamily
from tests.lib import witness
from tests.lib.events import wait_for_file, wait_until

ECHO = (
    "import subprocess, sys\n"
    "child = subprocess.Popen(['sleep', '600'], start_new_session=True)\n"
    "print(child.pid, flush=True)\n"
    "sys.stderr.write('words\\n')\n"
    "for line in sys.stdin: print(line, end='', flush=True)\n"
    "sys.exit(3)\n"
)


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="hn-", dir="/tmp") as root:
        folder = Path(root) / "guard"
        folder.mkdir()
        yield folder


@pytest.fixture
def shim(folder: Path) -> Shim:
    return Shim.create(folder, "a python", sys.executable, ends_with_input="--serve")


def _start(shim: Shim, code: str, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [shim.path, "-c", code, *arguments],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def _only(shim: Shim) -> StartedFamily:
    (family,) = shim.families()
    return family


def test_the_program_speaks_with_its_starter_and_ends_with_its_input(
    shim: Shim, folder: Path
) -> None:
    with _start(shim, ECHO, "--serve") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        escapee = witness.identity(int(process.stdout.readline()))
        assert escapee is not None
        process.stdin.write("hello\n")
        process.stdin.flush()
        assert process.stdout.readline() == "hello\n"
        family = _only(shim)
        assert family.runs
        assert not family.stopped
        assert not family.asked
        output, words = process.communicate(timeout=20)
    assert (output, words) == ("", "words\n")
    assert process.returncode == 3
    assert not witness.alive(escapee, count_zombies=False)
    family = _only(shim)
    assert family.asked
    assert family.report is not None
    assert [process.how for process in family.report.ended] == ["descent"]
    family.verify_gone("it")
    assert sorted(path.name for path in folder.parent.iterdir()) == [".lock", "guard"]


def test_a_program_that_does_not_end_with_its_input_is_left_to_run(shim: Shim) -> None:
    with _start(shim, "import sys; sys.stdin.read(); print('done', flush=True)") as process:
        output, _ = process.communicate(timeout=20)
    assert output == "done\n"
    assert process.returncode == 0


def test_a_stopped_program_is_not_waited_for(shim: Shim) -> None:
    with _start(shim, ECHO, "--serve") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        leader = _only(shim).leader
        assert leader is not None
        os.kill(leader.pid, signal.SIGSTOP)
        wait_until(lambda: _only(shim).stopped, 5, "the program to be stopped")
        process.stdin.close()
        assert process.wait(5) == -signal.SIGKILL
    _only(shim).verify_gone("it")


def test_a_family_can_be_ended_by_killing_its_program(shim: Shim) -> None:
    with _start(shim, ECHO, "--serve") as process:
        assert process.stdout is not None
        process.stdout.readline()
        _only(shim).kill()
        assert _only(shim).wait(20)
        assert process.wait(5) == -signal.SIGKILL
    _only(shim).verify_gone("it")
    assert not _only(shim).runs


def test_the_family_ends_with_its_starter_whatever_kills_it(shim: Shim, tmp_path: Path) -> None:
    state = tmp_path / "state"
    starter = (
        "import subprocess, sys, time\n"
        f"command = [{str(shim.path)!r}, '-c', {ECHO!r}]\n"
        "p = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)\n"
        f"open({str(state) + '.draft'!r}, 'w').write(p.stdout.readline())\n"
        f"import os; os.rename({str(state) + '.draft'!r}, {str(state)!r})\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", starter]) as process:
        escapee = witness.identity(int(wait_for_file(state, 20)))
        assert escapee is not None
        process.kill()
    wait_until(lambda: not witness.alive(escapee, count_zombies=False), 5, "the escapee to end")
    assert _only(shim).wait(5)
    _only(shim).verify_gone("it")


def test_a_killed_warden_is_a_failure_and_nothing_runs_on(shim: Shim) -> None:
    with _start(shim, ECHO, "--serve") as process:
        assert process.stdout is not None
        process.stdout.readline()
        family = _only(shim)
        assert family.warden is not None
        assert family.leader is not None
        os.kill(family.warden.pid, signal.SIGKILL)
        process.wait(5)
    with pytest.raises(OwnershipError, match="ended without an exit report; no process of it"):
        _only(shim).verify_gone("it")


def test_a_program_that_is_not_there_is_named(folder: Path) -> None:
    shim = Shim.create(folder, "nothing", "/no/such/program", ends_with_input="--serve")
    result = subprocess.run([shim.path], capture_output=True, text=True, check=False)
    assert result.returncode == 127
    assert "/no/such/program: " in result.stderr
    assert "No such file or directory" in result.stderr


def test_the_program_leads_a_session_of_its_own(shim: Shim) -> None:
    with _start(shim, ECHO, "--serve") as process:
        assert process.stdout is not None
        process.stdout.readline()
        family = _only(shim)
        assert family.leader is not None
        assert os.getsid(family.leader.pid) == family.leader.pid
        family.kill()
        process.wait(20)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_polite_signal_is_for_the_program_which_may_answer_it(shim: Shim, number: int) -> None:
    code = (
        f"import signal, sys\nsignal.signal({int(number)}, lambda *_: sys.exit(9))\n"
        "print('up', flush=True)\nwhile True: signal.pause()\n"
    )
    with _start(shim, code) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(number)
        assert process.wait(20) == 9
    _only(shim).verify_gone("it")


def test_a_program_that_a_signal_ends_looks_so_to_its_starter(shim: Shim) -> None:
    with _start(shim, "import time; print('up', flush=True); time.sleep(600)") as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.terminate()
        assert process.wait(20) == -signal.SIGTERM
    _only(shim).verify_gone("it")


def test_a_folder_whose_files_cannot_be_executed_is_a_precondition(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(PreconditionError, match="mounted without that permission"):
        Shim.create(folder, "a python", sys.executable, ends_with_input="--serve")
