import json
import os
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.lib import witness
from tests.lib.events import wait_for_file, wait_until

SLEEPER = "import signal; signal.alarm(300); signal.pause()"


@contextmanager
def running(
    program: str = SLEEPER,
    *arguments: str,
    token: str = "",
    new_session: bool = False,
) -> Iterator[subprocess.Popen[bytes]]:
    """A Python that runs `program`, with `token` in its environment; killed and reaped after."""
    process = subprocess.Popen(
        [sys.executable, "-IS", "-c", program, *arguments],
        env={"HARNESS_RUN_TOKEN": token} if token else {},
        start_new_session=new_session,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def token() -> str:
    return secrets.token_hex(16)


def identity(process: subprocess.Popen[bytes]) -> witness.Identity:
    who = witness.identity(process.pid)
    assert who is not None
    return who


def zombie(process: subprocess.Popen[bytes]) -> None:
    """Kill it and wait, without reaping, until the kernel says that it is dead."""
    process.send_signal(signal.SIGKILL)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)


def test_a_token_in_the_environment_finds_the_process_and_says_why(token: str) -> None:
    with running(token=token) as process, running(token=secrets.token_hex(16)):
        [sighting] = witness.find(tokens=[token])
        assert sighting.pid == process.pid
        assert sighting.ppid == os.getpid()
        assert sighting.reasons == (f"token {token} in its environment",)
        assert sighting.command.startswith(f"{sys.executable} -IS -c import signal")


def test_a_path_in_the_command_line_finds_the_process(tmp_path: Path) -> None:
    with running(SLEEPER, f"--user-data-dir={tmp_path}/profile") as process:
        [sighting] = witness.find(paths=[tmp_path / "profile"])
        assert sighting.pid == process.pid
        assert sighting.reasons == (f"path {tmp_path}/profile in its command line",)


def test_a_process_that_meets_two_criteria_is_one_sighting_with_both_reasons(token: str) -> None:
    with running(token=token, new_session=True) as process:
        [sighting] = witness.find(tokens=[token], groups=[process.pid])
        assert sighting.reasons == (
            f"token {token} in its environment",
            f"in group {process.pid}",
        )


def test_a_zombie_is_found_as_a_zombie_by_group_and_by_identity() -> None:
    with running(new_session=True) as process:
        who = identity(process)
        zombie(process)
        assert [s.state for s in witness.find(groups=[process.pid])] == ["Z"]
        assert [s.state for s in witness.find(pids=[who])] == ["Z"]
        assert witness.alive(who)
        assert not witness.alive(who, count_zombies=False)
    assert witness.find(groups=[who.pid], pids=[who]) == []
    assert not witness.alive(who)


def test_a_process_whose_first_thread_ended_is_no_zombie(tmp_path: Path) -> None:
    program = (
        "import ctypes, signal, sys, threading\n"
        "signal.alarm(300)\n"
        "def work():\n"
        "    main.join()\n"
        "main = threading.main_thread()\n"
        "threading.Thread(target=threading.Event().wait).start()\n"
        "ctypes.CDLL(None).syscall(60, 0)\n"  # exit, of this thread only
    )
    if os.uname().machine != "x86_64":
        pytest.skip("the number of exit(2) is that of x86_64")
    with running(program) as process:
        who = identity(process)
        wait_until(
            lambda: [s.state for s in witness.find(pids=[who])] == ["Z"], 10, "the thread to end"
        )
        assert witness.alive(who, count_zombies=False)


def test_a_child_that_left_the_session_is_found_by_its_token_only(
    token: str, tmp_path: Path
) -> None:
    note = tmp_path / "child"
    program = (
        "import os, signal, sys\n"
        "signal.alarm(300)\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    signal.alarm(300)\n"
        "    open(sys.argv[1], 'w').write(f'{os.getpid()}.')\n"
        "    os.execv(sys.executable, [sys.executable, '-IS', '-c', sys.argv[2]])\n"
        "signal.pause()\n"
    )
    with running(program, str(note), SLEEPER, token=token, new_session=True) as leader:
        child = int(wait_for_file(note, 10, holding=".").rstrip("."))
        who = witness.identity(child)
        assert who is not None
        try:
            # Until the exec it has its parent's command line, and for a moment none.
            executed = f"\0-c\0{SLEEPER}\0".encode()
            words = Path(f"/proc/{child}/cmdline")
            wait_until(lambda: words.read_bytes().endswith(executed), 10, "the exec")
            assert [s.pid for s in witness.find(groups=[leader.pid])] == [leader.pid]
            assert {s.pid for s in witness.find(tokens=[token])} == {leader.pid, child}
        finally:
            os.kill(child, signal.SIGKILL)
    assert witness.wait_until_gone(20, tokens=[token]).survivors == []


def test_a_recycled_pid_is_not_the_same_process() -> None:
    with running() as process:
        who = identity(process)
        earlier = (who.pid, who.start_ticks - 1)
        assert witness.find(pids=[earlier]) == []
        assert not witness.alive(earlier)


def test_an_unreadable_environment_is_no_match_and_hides_nothing_else(token: str) -> None:
    # Not dumpable: the kernel gives /proc/<pid>/environ to root alone.
    program = f"import ctypes; ctypes.CDLL(None).prctl(4, 0, 0, 0, 0); print(flush=True); {SLEEPER}"
    with subprocess.Popen(
        [sys.executable, "-IS", "-c", program],
        env={"HARNESS_RUN_TOKEN": token},
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            found = as_an_unprivileged_user(token, process.pid)
        finally:
            process.kill()
    assert found == {"by token": [], "by either": [[process.pid, f"in group {process.pid}"]]}


def as_an_unprivileged_user(token: str, group: int) -> object:
    receiving, sending = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setuid(65534)
            either = witness.find(tokens=[token], groups=[group])
            answer = {
                "by token": [s.pid for s in witness.find(tokens=[token])],
                "by either": [[s.pid, *s.reasons] for s in either],
            }
        except BaseException as error:
            answer = {"error": [repr(error)]}
        os.write(sending, json.dumps(answer).encode())
        os._exit(0)
    os.close(sending)
    with open(receiving, "rb") as answers:
        told = json.loads(answers.read())
    os.waitpid(child, 0)
    return told


def test_an_entry_that_cannot_be_read_for_another_reason_is_raised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "4242" / "stat").mkdir(parents=True)
    monkeypatch.setattr(witness, "PROC", str(tmp_path))
    with pytest.raises(IsADirectoryError):
        witness.find(groups=[4242])


def test_a_process_that_vanishes_while_it_is_read_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = tmp_path / "4242"
    entry.mkdir()
    (entry / "stat").write_text("4242 (gone) S 1 4242 4242 " + "0 " * 15 + "77 0")
    monkeypatch.setattr(witness, "PROC", str(tmp_path))
    assert witness.find(groups=[4242]) == []
    (entry / "cmdline").write_text("gone")
    assert [s.pid for s in witness.find(groups=[4242])] == [4242]


def test_a_name_with_spaces_and_parentheses_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = tmp_path / "4242"
    entry.mkdir()
    (entry / "stat").write_text("4242 (a) S 9 (b) Z 1 4243 4244 " + "0 " * 15 + "77 0")
    (entry / "cmdline").write_text("")
    monkeypatch.setattr(witness, "PROC", str(tmp_path))
    [sighting] = witness.find(groups=[4243])
    assert (sighting.state, sighting.ppid, sighting.sid) == ("Z", 1, 4244)
    assert (sighting.start_ticks, sighting.command) == (77, "[a) S 9 (b]")


def test_the_caller_and_ignored_processes_are_left_out(token: str) -> None:
    with running(token=token) as process:
        assert witness.find(tokens=[token], ignore=[process.pid]) == []
        assert os.getpid() not in [s.pid for s in witness.find(groups=[os.getpgid(0)])]


def test_a_question_without_a_criterion_is_refused() -> None:
    with pytest.raises(ValueError, match="prove nothing"):
        witness.find()
    with pytest.raises(ValueError, match="prove nothing"):
        witness.wait_until_gone(pids=[])


def test_criteria_that_would_match_strangers_are_refused() -> None:
    with pytest.raises(ValueError, match="match strangers"):
        witness.find(tokens=[""])
    with pytest.raises(ValueError, match="match strangers"):
        witness.find(groups=[0])
    with pytest.raises(TypeError, match="not one string"):
        witness.find(tokens="token")


def test_waiting_ends_as_soon_as_the_last_process_is_gone(token: str) -> None:
    with running(token=token) as process:
        process.kill()
        process.wait()
        gone = witness.wait_until_gone(20, tokens=[token])
    assert gone.survivors == []
    assert gone.seconds < 20


def test_waiting_names_the_survivors_at_the_deadline(token: str) -> None:
    with running(token=token) as process:
        gone = witness.wait_until_gone(0.05, tokens=[token])
    assert [survivor.pid for survivor in gone.survivors] == [process.pid]
    assert gone.seconds >= 0.05


def test_descendants_are_found_across_sessions_and_generations(tmp_path: Path) -> None:
    note = tmp_path / "pids"
    program = (
        "import os, signal, sys\n"
        "signal.alarm(300)\n"
        "if os.fork() == 0:\n"
        "    os.setsid(); signal.alarm(300)\n"
        "    grandchild = os.fork()\n"
        "    if grandchild == 0:\n"
        "        signal.alarm(300); signal.pause()\n"
        "    open(sys.argv[1], 'w').write(f'{os.getpid()} {grandchild}.')\n"
        "signal.pause()\n"
    )
    with running(program, str(note)) as process:
        words = wait_for_file(note, 10, holding=".").rstrip(".").split()
        child, grandchild = map(int, words)
        try:
            assert [s.pid for s in witness.descendants(process.pid)] == [child, grandchild]
        finally:
            os.kill(grandchild, signal.SIGKILL)
            os.kill(child, signal.SIGKILL)


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_a_listening_port_is_seen_with_its_inode_until_it_is_closed(address: str) -> None:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as listener:
        try:
            listener.bind((address, 0))
        except OSError:
            pytest.skip(f"this machine has no {address}")
        port = listener.getsockname()[1]
        assert not witness.is_listening(port)
        listener.listen()
        assert os.fstat(listener.fileno()).st_ino in witness.listening_ports()[port]
    assert not witness.is_listening(port)


def test_nobody_has_the_identity_of_a_reaped_process() -> None:
    with running() as process:
        assert identity(process).pid == process.pid
    assert witness.identity(process.pid) is None


def test_a_connected_port_is_one_that_a_client_has_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert port not in witness.connected_ports()
        with socket.create_connection(("127.0.0.1", port)):
            assert port in witness.connected_ports()


def test_processor_time_grows_while_a_process_spins_and_is_none_once_it_is_gone() -> None:
    with running("import signal; signal.alarm(300)\nwhile True: pass") as process:
        before = witness.cpu_ticks(process.pid)
        wait_until(lambda: witness.cpu_ticks(process.pid) > before + 3, 20, "ticks to pass")
    assert witness.cpu_ticks(process.pid) == 0
