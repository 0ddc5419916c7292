"""A warden owns a family, whatever the family does and however its owner ends."""

import os
import signal
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from harness.errors import OwnershipError, StartError
from harness.process import scratch, verifier
from harness.process.client import Family
from harness.process.ownership import live_families
from harness.process.spec import FamilySpec, new_scratch
from harness.process.verifier import Survivor
from tests.lib import witness
from tests.lib.events import wait_for_file, wait_until
from tests.lib.stage import Stage

PATH = {"PATH": os.environ["PATH"]}
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def root(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A scratch root of this test's own, short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="hn-", dir="/tmp") as folder:
        monkeypatch.setenv(scratch.ROOT_VARIABLE, folder)
        yield Path(folder)


def shell(script: str, **options: Any) -> Family:
    """Own a shell that runs `script`."""
    return Family(
        FamilySpec(label="a shell", command=["/bin/sh", "-c", script], environment=PATH, **options)
    )


def printed(family: Family, text: str) -> None:
    """Wait until the family has printed `text`."""
    assert family.wait_for(lambda: text in family.output.text(), 20.0), family.output.last_lines()


def left(family: Family, scratch_path: Path | None = None) -> list[witness.Sighting]:
    """Return what is left of a family that has ended."""
    return witness.find(
        groups=[family.pid, family.warden_pid],
        paths=[str(scratch_path)] if scratch_path else [],
        tokens=[family.identifier],
    )


def test_a_family_with_escapees_ends_whole_and_says_what_it_had_to_kill(root: Path) -> None:
    identifier, path = new_scratch()
    family = shell("setsid sleep 600 & sleep 600 & echo up; wait", scratch=identifier)
    printed(family, "up")
    wait_until(
        lambda: {one.command for one in witness.descendants(family.warden_pid)
                 if one.sid != family.pid} == {"sleep 600"},
        20.0, "one child to have left the session",
    )  # fmt: skip
    report = family.end()
    assert report is not None
    assert [process.command for process in report.ended] == ["sleep 600"]
    assert report.reason == "asked"
    assert left(family, path) == []
    assert list(root.glob("[!.]*")) == []


def test_ending_twice_returns_the_same_report() -> None:
    family = shell("sleep 600")
    assert family.end() is family.end()


def test_a_command_that_cannot_run_is_named_and_leaves_nothing(root: Path) -> None:
    identifier, _ = new_scratch()
    with pytest.raises(StartError, match=r"a thing cannot be started: .*'/no/such/program'"):
        Family(FamilySpec(label="a thing", command=["/no/such/program"], scratch=identifier))
    assert list(root.glob("[!.]*")) == []
    assert not [family for family in live_families() if family.spec.label == "a thing"]


def test_a_leader_that_dies_is_news_and_takes_its_family_along() -> None:
    family = shell("sleep 600 & echo $!; kill -9 $$")
    assert family.wait_for(lambda: family.leader_status is not None, 20.0)
    assert family.ended_as() == "killed by signal 9 (SIGKILL)"
    child = int(family.output.text())
    assert family.end().reason == "leader ended"  # type: ignore[union-attr]
    assert witness.identity(child) is None


def test_a_leader_may_leave_its_family_behind_where_the_spec_says_so() -> None:
    family = shell("setsid sleep 600 & echo $!", leader_ends_family=False)
    assert family.wait_for(lambda: family.leader_status is not None, 20.0)
    child = witness.identity(int(family.output.text()))
    assert child is not None
    assert witness.alive(child, count_zombies=False)
    family.end()
    assert not witness.alive(child)


def test_a_polite_end_lets_the_leader_say_goodbye() -> None:
    goodbye = "signal.signal(signal.SIGTERM, lambda *_: sys.exit(print('bye')))"
    program = f"import signal, sys; {goodbye}; print('up', flush=True); signal.pause()"
    family = Family(
        FamilySpec(label="it", command=[sys.executable, "-c", program], environment=PATH)
    )
    printed(family, "up")
    report = family.end(grace_seconds=20.0)
    assert report is not None
    assert report.leader_status == 0
    assert family.output.text() == "up\nbye\n"


def test_a_leader_that_is_deaf_to_politeness_is_killed_after_the_grace() -> None:
    family = shell("trap '' TERM INT HUP; echo up; while :; do sleep 0.01; done")
    printed(family, "up")
    report = family.end(grace_seconds=0.2)
    assert report is not None
    assert report.leader_status == signal.SIGKILL


def test_a_stopped_family_is_ended_all_the_same() -> None:
    family = shell("sleep 600 & echo up; wait")
    printed(family, "up")
    os.killpg(family.pid, signal.SIGSTOP)
    family.end()
    assert left(family) == []


def test_a_family_that_forks_during_the_sweep_is_ended_whole() -> None:
    # Every member forks and leaves its session, 128 of them in the end.
    fork = "import os, time\nprint('up', flush=True)\n"
    fork += "for _ in range(7): os.fork() or os.setsid()\ntime.sleep(600)\n"
    family = Family(
        FamilySpec(label="a brood", command=[sys.executable, "-c", fork], environment=PATH)
    )
    printed(family, "up")
    family.end()
    assert left(family) == []


def test_a_flood_of_output_is_bounded_and_does_not_stall_the_family() -> None:
    family = shell("head -c 20000000 /dev/zero | tr '\\000' x; echo; echo done; exec sleep 600")
    printed(family, "done")
    assert len(family.output.text()) < 400_000
    family.end()


def test_an_owner_that_still_sees_a_member_does_not_believe_the_report(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    family = shell("sleep 600")
    stray = Survivor(pid=1, state="S", command="stray", sign="environment")
    monkeypatch.setattr(verifier, "survivors", lambda **_: [stray])
    with pytest.raises(OwnershipError, match=r"a shell is not gone: pid 1 is alive .*: stray"):
        family.end()
    assert family in live_families()
    monkeypatch.undo()
    assert family.end() is family.report


def test_a_killed_warden_is_a_failure_and_its_scratch_goes_with_the_next_start(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    identifier, path = new_scratch()
    family = shell("sleep 600 & echo up; wait", scratch=identifier)
    printed(family, "up")
    members = [family.pid, *(sighting.pid for sighting in witness.descendants(family.pid))]
    os.kill(family.warden_pid, signal.SIGKILL)
    with pytest.raises(OwnershipError, match="ended without an exit report"):
        family.end()
    assert path.exists()
    alive = [pid for pid in members if (one := witness.identity(pid)) and witness.alive(
        one, count_zombies=False)]  # fmt: skip
    assert alive == []
    monkeypatch.setattr("harness.process.spec._cleaned_by", set())
    with shell("sleep 600") as next_start:
        assert next_start.wait_for(lambda: bool(next_start.cleaned), 20.0)
        assert not path.exists()


def test_a_forked_child_cannot_end_the_family_of_its_parent() -> None:
    family = shell("sleep 600")
    child = os.fork()
    if child == 0:
        quiet = family.end() is None and family.inert and not live_families()
        os._exit(0 if quiet else 1)
    _, status = os.waitpid(child, 0)
    assert status == 0
    assert family.ended_as() is None
    assert family.end().reason == "asked"  # type: ignore[union-attr]


def test_a_leader_that_is_alive_keeps_ownership_when_its_end_is_late(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    family = shell("sleep 600")
    os.kill(family.warden_pid, signal.SIGSTOP)
    try:
        monkeypatch.setattr("harness.process.client.END_SECONDS", 0.2)
        with pytest.raises(OwnershipError, match="still owned by warden"):
            family.end()
        assert family in live_families()
    finally:
        os.kill(family.warden_pid, signal.SIGCONT)
    monkeypatch.undo()
    assert family.end().reason == "asked"  # type: ignore[union-attr]
    assert family not in live_families()


OWNER = """
    import os, subprocess, sys, time
    from harness.process.client import Family
    from harness.process.spec import FamilySpec, new_scratch
    identifier, path = new_scratch()
    family = Family(FamilySpec(
        label="a shell", command=["/bin/sh", "-c", "exec sleep 600" if "alone" in sys.argv
                                  else "setsid sleep 600 & sleep 600"],
        environment=dict(os.environ), scratch=identifier))
    hold = os.fork() if "fork" in sys.argv else None
    if hold == 0:
        time.sleep(600)
    if "inherit" in sys.argv:
        descriptors = [int(name) for name in os.listdir("/proc/self/fd")]
        hold = subprocess.Popen(["sleep", "600"], start_new_session=True,
                                pass_fds=[n for n in descriptors if 2 < n < 50]).pid
    with open("state.draft", "w") as file:
        print(family.pid, family.warden_pid, path, hold or 0, file=file)
    os.rename("state.draft", "state")
    if "os._exit" in sys.argv:
        os._exit(0)
    if "exception" in sys.argv:
        raise RuntimeError("unexpected")
    time.sleep(600)
"""


def own(folder: Path, root: Path, *words: str) -> Stage:
    """Put an owner with a family and an escapee on a stage."""
    script = folder / "owner.py"
    script.write_text(textwrap.dedent(OWNER))
    environment: Mapping[str, str] = {
        **os.environ, "PYTHONPATH": str(ROOT), scratch.ROOT_VARIABLE: str(root)
    }  # fmt: skip
    return Stage(
        [sys.executable, str(script), *words], cwd=folder, env=environment, log=folder / "log"
    )


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ([], signal.SIGKILL),
        ([], signal.SIGTERM),
        ([], signal.SIGHUP),
        ([], signal.SIGINT),
        (["os._exit"], None),
        (["exception"], None),
        (["fork"], signal.SIGKILL),
        (["inherit"], signal.SIGKILL),
    ],
    ids=[
        "KILL",
        "TERM",
        "HUP",
        "INT",
        "os._exit",
        "exception",
        "forked child and KILL",
        "lifeline held by another and KILL",
    ],
)
def test_a_script_that_owns_a_family_leaves_nothing_however_it_ends(
    tmp_path: Path, root: Path, words: list[str], number: int | None
) -> None:
    with own(tmp_path, root, *words) as stage:
        pid, warden, path, hold = wait_for_file(tmp_path / "state", 30.0).split()
        if number is not None:
            stage.signal(number)
        stage.wait(30.0)
        ignored = [int(hold)] if int(hold) else []
        gone = witness.wait_until_gone(groups=[int(pid), int(warden)], paths=[path])
        assert [one for one in gone.survivors if one.pid not in ignored] == []
        assert not Path(path).exists()


def test_a_leader_ends_with_its_warden_even_when_the_owner_is_gone_too(
    tmp_path: Path, root: Path
) -> None:
    with own(tmp_path, root, "alone") as stage:
        pid, warden, path, _ = wait_for_file(tmp_path / "state", 30.0).split()
        leader = witness.identity(int(pid))
        assert leader is not None
        stage.signal(signal.SIGSTOP)
        os.kill(int(warden), signal.SIGKILL)
        stage.signal(signal.SIGKILL)
        stage.wait(30.0)
        assert witness.wait_until_gone(pids=[leader]).survivors == []
        assert Path(path).exists()


def test_a_child_of_ours_keeps_its_exit_status_beside_a_family() -> None:
    with subprocess.Popen([sys.executable, "-c", "raise SystemExit(7)"]) as child:
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        shell("sleep 600").end()
        assert child.wait() == 7
