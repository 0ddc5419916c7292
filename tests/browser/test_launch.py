"""A Chromium under a warden: identity, liveness, and starts that fail."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.browser import binary
from harness.browser.chromium import Chromium, Liveness
from harness.browser.launch import LaunchOptions, launch
from harness.errors import BrowserGone, PreconditionError, StartError
from harness.process import scratch
from harness.process.ownership import live_families
from tests.lib import fake_browsers, witness
from tests.lib.events import wait_until

START_SECONDS = 3.0


@pytest.fixture
def root(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A scratch root of this test's own, short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="hn-", dir="/tmp") as folder:
        monkeypatch.setenv(scratch.ROOT_VARIABLE, folder)
        yield Path(folder)


@pytest.fixture
def browser_process(root: Path) -> Iterator[Chromium]:
    """One Chromium without any Playwright."""
    with launch() as chromium:
        yield chromium


def test_the_handle_is_the_browser_that_runs(browser_process: Chromium, root: Path) -> None:
    chromium = browser_process
    assert witness.identity(chromium.pid) == (chromium.pid, chromium.start_ticks)
    assert os.getpgid(chromium.pid) == chromium.process_group == os.getsid(chromium.pid)
    assert "Chrome/" in chromium.version
    assert chromium.cdp_url.startswith("ws://127.0.0.1:")
    assert chromium.scratch.parent == root
    assert chromium.died() is None


def test_processes_are_the_whole_family_with_those_that_left_its_group(
    browser_process: Chromium,
) -> None:
    def both_see_the_same() -> bool:
        seen = {one.pid for one in witness.descendants(browser_process.warden_pid)}
        return {one.pid for one in browser_process.processes()} == seen

    # A browser that has just started is still starting helpers of its own.
    wait_until(both_see_the_same, 20.0, "the handle and the witness to see the same processes")
    processes = browser_process.processes()
    assert processes[0].pid == browser_process.pid
    assert [one for one in processes if "crashpad" in " ".join(one.command)]


def test_everything_that_it_writes_is_in_its_scratch(browser_process: Chromium) -> None:
    environment = Path(f"/proc/{browser_process.pid}/environ").read_bytes().split(b"\0")
    values = dict(entry.split(b"=", 1) for entry in environment if b"=" in entry)
    inside = os.fsencode(browser_process.scratch)
    for name in (b"TMPDIR", b"XDG_CONFIG_HOME", b"XDG_CACHE_HOME", b"BREAKPAD_DUMP_LOCATION"):
        assert values[name].startswith(inside), name


def test_a_home_of_its_own_is_an_option(root: Path) -> None:
    with launch(LaunchOptions(private_home=True)) as chromium:
        environment = Path(f"/proc/{chromium.pid}/environ").read_bytes().split(b"\0")
        assert f"HOME={chromium.scratch}/home".encode() in environment


def test_closing_proves_the_family_gone_and_twice_is_harmless(root: Path) -> None:
    chromium = launch()
    members = [one.identity for one in witness.descendants(chromium.warden_pid)]
    report = chromium.close()
    assert report is not None
    assert report.reason == "asked"
    assert chromium.close() is report
    assert [one for one in members if witness.alive(one)] == []
    assert list(root.glob("[!.]*")) == []


def test_liveness_tells_a_stopped_browser_from_a_dead_one(browser_process: Chromium) -> None:
    assert browser_process.liveness() is Liveness.RESPONSIVE
    os.kill(browser_process.pid, signal.SIGSTOP)
    assert browser_process.liveness(seconds=0.2) is Liveness.HUNG
    os.kill(browser_process.pid, signal.SIGCONT)
    assert browser_process.liveness(seconds=20.0) is Liveness.RESPONSIVE
    os.kill(browser_process.pid, signal.SIGKILL)
    assert browser_process.wait_until_dead(20.0) == "killed by signal 9 (SIGKILL)"
    assert browser_process.liveness() is Liveness.DEAD
    with pytest.raises(BrowserGone, match=r"killed by signal 9 \(SIGKILL\)"):
        browser_process.command("Browser.getVersion", seconds=5.0)


def test_a_browser_whose_crash_handlers_are_stopped_ends_whole(root: Path) -> None:
    chromium = launch()
    handlers = [one.pid for one in chromium.processes() if "crashpad" in " ".join(one.command)]
    assert handlers
    for pid in handlers:
        os.kill(pid, signal.SIGSTOP)
    chromium.close()
    assert [pid for pid in handlers if witness.identity(pid)] == []


def test_two_browsers_at_once_share_nothing(root: Path) -> None:
    with launch() as one, launch() as other:
        assert one.cdp_url != other.cdp_url
        assert one.scratch != other.scratch
        one.close()
        assert other.liveness() is Liveness.RESPONSIVE


Build = Callable[[Path], Path]
FAILURES: dict[str, tuple[Build, str]] = {
    "exits with 1": (
        lambda folder: fake_browsers.exits_with(folder, 1, "no display, no fun"),
        r"it exited with 1 before it was ready[\s\S]*no display, no fun",
    ),
    "prints nothing": (
        fake_browsers.prints_nothing_and_hangs,
        r"announced no debugging port[\s\S]*It printed nothing",
    ),
    "prints garbage": (fake_browsers.prints_garbage, r"announced no debugging port[\s\S]*words:\n"),
    "unwritable profile": (
        fake_browsers.announces_but_never_writes_port_file,
        r"wrote no DevToolsActivePort to its profile[\s\S]*DevTools listening",
    ),
    "file disagrees": (fake_browsers.port_file_disagrees, "but its DevToolsActivePort says"),
    "never opens its port": (fake_browsers.never_opens_its_port, "which does not accept"),
    "forks and hangs": (fake_browsers.forks_and_hangs, "announced no debugging port"),
    "ignores polite signals": (fake_browsers.ignores_sigterm, "announced no debugging port"),
    "floods standard error": (fake_browsers.floods_stderr, "it exited with 1"),
}


@pytest.mark.parametrize("kind", list(FAILURES))
def test_a_start_that_fails_quotes_the_browser_and_leaves_nothing(
    tmp_path: Path, root: Path, kind: str
) -> None:
    build, expected = FAILURES[kind]
    path = build(tmp_path)
    owned_before = live_families()
    with pytest.raises(StartError, match=expected) as caught:
        launch(LaunchOptions(executable_path=path, start_seconds=START_SECONDS))
    assert str(path) in str(caught.value)
    assert len(str(caught.value)) < 10_000
    assert witness.find(paths=[str(path), str(root)]) == []
    assert list(root.glob("[!.]*")) == []
    assert set(live_families()) <= set(owned_before)
    child = path.with_name(f"{path.name}.child")
    if child.exists():
        assert witness.identity(int(child.read_text())) is None


def test_a_real_browser_with_an_unwritable_profile_fails_and_leaves_nothing(
    tmp_path: Path, root: Path
) -> None:
    """The profile is made unwritable by a wrapper, since root may write anywhere else."""
    script = tmp_path / "chromium-on-a-file"
    script.write_text(
        "#!/bin/sh\nfor word; do case $word in --user-data-dir=*) profile=${word#*=};; esac; done\n"
        f'rmdir "$profile" && : > "$profile"\nexec {binary.find().path} "$@"\n'
    )
    script.chmod(0o755)
    with pytest.raises(StartError, match="Chromium did not start"):
        launch(LaunchOptions(executable_path=script, start_seconds=5.0))
    assert witness.find(paths=[str(root)]) == []
    assert list(root.glob("[!.]*")) == []


def test_a_program_that_cannot_be_executed_is_named(tmp_path: Path, root: Path) -> None:
    path = fake_browsers.not_executable(tmp_path)
    with pytest.raises(PreconditionError, match=f"{path}: not executable"):
        launch(LaunchOptions(executable_path=path))


def test_a_program_of_another_machine_is_named(tmp_path: Path, root: Path) -> None:
    path = tmp_path / "chrome"
    path.write_bytes(b"\x7fELF\x02\x01\x01 not for this processor")
    path.chmod(0o755)
    with pytest.raises(StartError, match=r"cannot be started: .*(Exec format|exec format)"):
        launch(LaunchOptions(executable_path=path))
    assert list(root.glob("[!.]*")) == []


def test_a_wrapper_that_does_not_exec_is_owned_with_what_it_starts(
    tmp_path: Path, root: Path
) -> None:
    script = tmp_path / "wrapped"
    script.write_text(f'#!/bin/sh\n{binary.find().path} "$@"\nexit 0\n')
    script.chmod(0o755)
    with launch(LaunchOptions(executable_path=script)) as chromium:
        inner = [one for one in chromium.processes() if "--headless" in " ".join(one.command)]
        assert inner
        assert chromium.liveness() is Liveness.RESPONSIVE
    assert [one.pid for one in inner if witness.identity(one.pid)] == []


def test_an_unrelated_child_keeps_its_exit_status(root: Path) -> None:
    with subprocess.Popen(["/bin/sh", "-c", "exit 7"]) as child:
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        launch().close()
        assert child.wait() == 7
