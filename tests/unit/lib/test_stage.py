import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import pytest

from tests.lib import witness
from tests.lib.events import wait_for_file, wait_until
from tests.lib.stage import Stage

ROOT = Path(__file__).resolve().parents[3]
PATH = {"PATH": "/usr/bin:/bin"}
SLEEPER = "import signal; signal.alarm(300); print('up', flush=True); signal.pause()"
# A child that leaves the session and is orphaned: its parent tells its pid and ends.
ORPHAN = (
    "import os, signal\n"
    "child = os.fork()\n"
    "if child == 0:\n"
    "    os.setsid(); signal.alarm(300)\n"
    "    print(f'child {os.getpid()}.', flush=True)\n"
    "    signal.pause()\n"
)


class Launch(Protocol):
    def __call__(
        self,
        argv: list[str],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Stage: ...


def python(program: str, *arguments: str) -> list[str]:
    return [sys.executable, "-IS", "-c", program, *arguments]


@pytest.fixture
def token() -> str:
    return secrets.token_hex(16)


@pytest.fixture
def launch(tmp_path: Path, token: str) -> Launch:
    def launch(
        argv: list[str], *, cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> Stage:
        env = env or {"HARNESS_RUN_TOKEN": token}
        return Stage(argv, log=tmp_path / "log", cwd=cwd, env=env)

    return launch


def pid_in(stage: Stage, word: str) -> int:
    text = wait_for_file(stage.log, 20, holding=".")
    return int(text.partition(f"{word} ")[2].partition(".")[0])


def test_the_owner_leads_a_session_and_a_group_of_its_own(launch: Launch) -> None:
    with launch(python(SLEEPER)) as stage:
        [owner] = stage.descendants()
        assert owner.pid == owner.pgid == owner.sid == stage.owner_pid
        assert owner.ppid == stage.pid


def test_the_stage_itself_is_not_found_by_what_the_owner_is_known_by(
    launch: Launch, token: str, tmp_path: Path
) -> None:
    with launch(python(SLEEPER, str(tmp_path)), cwd=tmp_path) as stage:
        found = witness.find(tokens=[token], paths=[tmp_path], groups=[stage.owner_pid])
        assert [sighting.pid for sighting in found] == [stage.owner_pid]


def test_the_owner_has_default_signals_even_where_the_caller_ignores_or_blocks_them(
    launch: Launch,
) -> None:
    with open("/proc/self/status", encoding="ascii") as status:
        assert "SigBlk:\t0000000000000000" in status.read()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGCHLD})
    try:
        with launch(["grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"], env=PATH) as stage:
            assert stage.wait(20) == 0
            words = stage.output().split()
            assert words[::2] == ["SigBlk:", "SigIgn:"]
            blocked, ignored = (int(word, 16) for word in words[1::2])
            # glibc keeps signals 32 and 33 to itself; posix_spawn leaves them ignored.
            assert (blocked, ignored & ~(0b11 << 31)) == (0, 0)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, signal.SIGCHLD})
        signal.signal(signal.SIGINT, before)


def test_output_and_directory_and_environment_are_the_owners(
    launch: Launch, tmp_path: Path
) -> None:
    folder = tmp_path / "ünï"
    folder.mkdir()
    program = "echo out; echo err >&2; pwd; echo $NAME; cat"
    with launch(["sh", "-c", program], cwd=folder, env={"NAME": "öwn", **PATH}) as stage:
        assert stage.wait(20) == 0
        assert stage.output() == f"out\nerr\n{folder}\nöwn\n"


@pytest.mark.parametrize(
    ("program", "returncode"),
    [("raise SystemExit(7)", 7), ("import os; os.kill(os.getpid(), 9)", -9)],
)
def test_the_owners_end_is_told_with_its_time(
    launch: Launch, program: str, returncode: int
) -> None:
    before = time.monotonic()
    with launch(python(program)) as stage:
        assert stage.wait(20) == returncode
        assert before < stage.started_at < stage.ended_at < time.monotonic()


def test_a_signal_reaches_the_owner_alone(launch: Launch) -> None:
    program = f"import os, signal\nos.fork()\n{SLEEPER}"
    with launch(python(program)) as stage:
        wait_for_file(stage.log, 20, holding="up\nup\n")
        sent = stage.signal(signal.SIGTERM)
        assert stage.wait(20) == -signal.SIGTERM
        assert sent <= stage.ended_at
        [child] = stage.descendants()
        assert (child.pgid, child.ppid, child.state) == (stage.owner_pid, stage.pid, "S")


def test_a_signal_to_the_group_reaches_a_member_after_the_owner_ended(launch: Launch) -> None:
    program = f"import os, signal\nif os.fork(): raise SystemExit(0)\n{SLEEPER}"
    with launch(python(program)) as stage:
        wait_for_file(stage.log, 20, holding="up\n")
        assert stage.wait(20) == 0
        [child] = stage.descendants()
        stage.signal_group(signal.SIGINT)
        assert stage.wait_for_orphan(child.pid, 20).returncode == -signal.SIGINT


def test_signalling_an_owner_that_ended_is_an_error_and_hits_nobody(launch: Launch) -> None:
    with launch(python("")) as stage:
        stage.wait(20)
        with pytest.raises(ProcessLookupError):
            stage.signal(signal.SIGKILL)
        with pytest.raises(ProcessLookupError):
            stage.signal_group(signal.SIGKILL)


def test_an_orphan_is_adopted_reaped_at_once_and_reported(launch: Launch) -> None:
    with launch(python(ORPHAN)) as stage:
        child = pid_in(stage, "child")
        assert stage.wait(20) == 0
        [orphan] = stage.descendants()
        assert (orphan.pid, orphan.ppid) == (child, stage.pid)
        killed_at = time.monotonic()
        os.kill(child, signal.SIGTERM)
        reaped = stage.wait_for_orphan(child, 20)
        assert reaped.returncode == -signal.SIGTERM
        assert killed_at < reaped.at < killed_at + 1
        assert stage.orphans() == [reaped]
        assert witness.identity(child) is None


def test_orphans_are_reaped_while_nobody_listens_to_the_reports(launch: Launch) -> None:
    program = (
        "import os\n"
        "for _ in range(600):\n"
        "    middle = os.fork()\n"
        "    if middle == 0:\n"
        "        os.fork()\n"
        "        os._exit(0)\n"
        "    os.waitpid(middle, 0)\n"
        "print('done', flush=True)\n"
    )
    with launch(python(program)) as stage:
        wait_for_file(stage.log, 60, holding="done")
        assert witness.wait_until_gone(20, groups=[stage.owner_pid]).survivors == []
        assert stage.wait(20) == 0
        wait_until(lambda: len(stage.orphans()) == 600, 20, "600 reports")


def test_leaving_ends_owner_orphans_and_children_that_left_the_session(
    launch: Launch, token: str
) -> None:
    program = f"{ORPHAN}signal.alarm(300)\nsignal.pause()\n"
    with launch(python(program)) as stage:
        child = pid_in(stage, "child")
        assert {s.pid for s in witness.find(tokens=[token])} == {stage.owner_pid, child}
    assert witness.find(tokens=[token], groups=[stage.pid, stage.owner_pid, child]) == []


def test_leaving_ends_what_ignores_signals_is_stopped_or_keeps_forking(
    launch: Launch, token: str
) -> None:
    program = (
        "import os, signal, time\n"
        "for polite in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):\n"
        "    signal.signal(polite, signal.SIG_IGN)\n"
        "if os.fork() == 0:\n"
        "    os.kill(os.getpid(), signal.SIGSTOP)\n"
        "signal.alarm(300)\n"
        "print('up', flush=True)\n"
        # A new pid each time, never two at once; it ends by itself if nobody ends it.
        "for _ in range(20_000):\n"
        "    if os.fork(): os._exit(0)\n"
        "    os.setsid()\n"
        "    time.sleep(0.001)\n"
    )
    with launch(python(program)) as stage:
        wait_for_file(stage.log, 20, holding="up")
    assert witness.wait_until_gone(0, tokens=[token]).survivors == []


def test_an_error_in_the_block_passes_and_nothing_is_left(launch: Launch, token: str) -> None:
    with pytest.raises(KeyError), launch(python(SLEEPER)):
        raise KeyError
    assert witness.find(tokens=[token]) == []


def test_a_deadline_names_the_command_the_processes_and_the_output(launch: Launch) -> None:
    with launch(python(SLEEPER)) as stage:
        wait_for_file(stage.log, 20, holding="up")
        with pytest.raises(AssertionError) as failure:
            stage.wait(0.02)
        words = str(failure.value)
        assert "did not end the owner in 0.02 s" in words
        assert f"pid {stage.owner_pid} " in words
        assert words.endswith("output:\nup\n")


def test_a_command_that_does_not_exist_is_an_error_and_leaves_no_stage(
    launch: Launch, tmp_path: Path
) -> None:
    with pytest.raises(FileNotFoundError), launch([str(tmp_path / "no-such-program")]):
        pass
    assert [s for s in witness.descendants(os.getpid()) if "stage_init" in s.command] == []


def test_a_stage_that_was_killed_fails_its_test(launch: Launch, token: str) -> None:
    stage = launch(python(""))
    stage.__enter__()
    stage.wait(20)
    os.kill(stage.pid, signal.SIGKILL)
    with pytest.raises(AssertionError, match="the stage itself ended with -9"):
        stage.__exit__(None, None, None)
    assert witness.find(tokens=[token], groups=[stage.owner_pid]) == []


@pytest.mark.parametrize("holder", ["", "os.fork() or time.sleep(300); "])
def test_the_stage_and_all_below_it_die_with_the_test_process(
    tmp_path: Path, token: str, holder: str
) -> None:
    """Also when a forked child of the test process still holds the stage's socket open."""
    log = tmp_path / "log"
    program = (
        "import os, sys, time\n"
        "from pathlib import Path\n"
        "from tests.lib.stage import Stage\n"
        f"stage = Stage({python(SLEEPER)!r}, log=Path(sys.argv[1]),\n"
        "    env={'HARNESS_RUN_TOKEN': sys.argv[2]})\n"
        "with stage:\n"
        f"    {holder}print(f'stage {{stage.pid}}.', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-S", "-c", program, str(log), token],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as test_process:
        try:
            assert test_process.stdout is not None
            line = test_process.stdout.readline().decode()
            stage = witness.identity(int(line.partition(" ")[2].rstrip(".\n")))
            assert stage is not None
            wait_for_file(log, 20, holding="up")
            assert len(witness.find(tokens=[token])) == 1
            test_process.kill()
            test_process.wait()
            assert witness.wait_until_gone(10, tokens=[token]).survivors == []
            wait_until(
                lambda: not witness.alive(stage, count_zombies=False), 10, "the end of the stage"
            )
        finally:
            test_process.kill()
            for holder_process in witness.find(groups=[test_process.pid]):
                os.kill(holder_process.pid, signal.SIGKILL)


def test_a_stage_made_by_a_thread_outlives_the_thread(launch: Launch) -> None:
    stage = launch(python(SLEEPER))
    maker = threading.Thread(target=stage.__enter__)
    maker.start()
    maker.join()
    try:
        wait_for_file(stage.log, 20, holding="up")
        stage.signal(signal.SIGTERM)
        assert stage.wait(20) == -signal.SIGTERM
    finally:
        stage.__exit__(None, None, None)
