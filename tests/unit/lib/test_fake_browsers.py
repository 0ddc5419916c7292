import os
import re
import secrets
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lib import fake_browsers, witness
from tests.lib.events import wait_for_file, wait_until
from tests.lib.stage import Stage

HANGING = [
    fake_browsers.prints_nothing_and_hangs,
    fake_browsers.prints_garbage,
    fake_browsers.announces_but_never_writes_port_file,
    fake_browsers.port_file_disagrees,
    fake_browsers.never_opens_its_port,
    fake_browsers.forks_and_hangs,
]


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    return tmp_path / "profile"


@pytest.fixture
def started(tmp_path: Path, profile: Path) -> Callable[[Path], Stage]:
    def started(browser: Path, token: str = "") -> Stage:
        switches = ["--headless=new", "--remote-debugging-port=0", f"--user-data-dir={profile}"]
        env = {"HARNESS_RUN_TOKEN": token}
        return Stage([browser, *switches, "about:blank"], log=tmp_path / "log", env=env)

    return started


def announced_port(stage: Stage) -> int:
    words = wait_for_file(stage.log, 20, holding="55555\n")
    found = re.fullmatch(
        r"\nDevTools listening on ws://127\.0\.0\.1:(\d+)/devtools/browser/[-0-9]+\n", words
    )
    assert found, words
    return int(found[1])


def written_port(profile: Path) -> int:
    port, path = wait_for_file(profile / "DevToolsActivePort", 20, holding="55555").split("\n")
    assert path == "/devtools/browser/11111111-2222-3333-4444-555555555555"
    return int(port)


def test_it_exits_with_the_code_and_the_words(
    tmp_path: Path, started: Callable[[Path], Stage]
) -> None:
    with started(fake_browsers.exits_with(tmp_path, 21, 'it\'s "locked"\n\\n ü')) as stage:
        assert stage.wait(20) == 21
        assert stage.output() == 'it\'s "locked"\n\\n ü\n'


@pytest.mark.parametrize("build", HANGING, ids=lambda build: build.__name__)
def test_one_that_hangs_is_the_process_that_was_started_and_ends_on_sigterm(
    build: Callable[[Path], Path],
    tmp_path: Path,
    profile: Path,
    started: Callable[[Path], Stage],
) -> None:
    browser = build(tmp_path)
    with started(browser) as stage:
        sought = [f"{browser} --headless=new".replace(" ", "\0")]
        # A process has no command line for a moment while it executes.
        wait_until(lambda: witness.find(paths=sought), 20, "the browser to be seen")
        found = witness.find(paths=sought)
        assert [sighting.pid for sighting in found] == [stage.owner_pid]
        assert found[0].command.endswith(f"--user-data-dir={profile} about:blank")
        stage.signal(signal.SIGTERM)
        assert stage.wait(20) == -signal.SIGTERM


def test_garbage_is_two_hundred_lines_without_an_endpoint(
    tmp_path: Path, started: Callable[[Path], Stage]
) -> None:
    with started(fake_browsers.prints_garbage(tmp_path)) as stage:
        words = wait_for_file(stage.log, 20, holding="garbage 199\n")
        assert words.count("\n") == 200
        assert not re.search(r"DevTools listening on ws://\S+:\d+/", words)
        assert [oddity in words for oddity in ("\\xff", "\0", "\x1b")] == [True, True, True]
        assert [below.pid for below in stage.descendants()] == [stage.owner_pid]


def test_a_browser_without_the_permission_cannot_be_executed(
    tmp_path: Path, started: Callable[[Path], Stage]
) -> None:
    browser = fake_browsers.not_executable(tmp_path)
    with pytest.raises(PermissionError), started(browser):
        pass


def test_it_announces_a_port_and_writes_no_file(
    tmp_path: Path, profile: Path, started: Callable[[Path], Stage]
) -> None:
    browser = fake_browsers.announces_but_never_writes_port_file(tmp_path)
    with started(browser) as stage:
        assert witness.is_listening(announced_port(stage))
        assert not profile.exists()


def test_the_announcement_and_the_file_name_two_open_ports(
    tmp_path: Path, profile: Path, started: Callable[[Path], Stage]
) -> None:
    with started(fake_browsers.port_file_disagrees(tmp_path)) as stage:
        announced, written = announced_port(stage), written_port(profile)
        assert announced != written
        assert witness.is_listening(announced)
        assert witness.is_listening(written)


def test_the_announcement_and_the_file_agree_on_a_port_that_is_closed_and_held(
    tmp_path: Path, profile: Path, started: Callable[[Path], Stage]
) -> None:
    with started(fake_browsers.never_opens_its_port(tmp_path)) as stage:
        port = announced_port(stage)
        assert written_port(profile) == port
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), timeout=10)
        with socket.socket() as other, pytest.raises(OSError, match="in use"):
            other.bind(("127.0.0.1", port))


def test_it_hangs_up_on_whoever_connects(
    tmp_path: Path, profile: Path, started: Callable[[Path], Stage]
) -> None:
    with started(fake_browsers.accepts_and_hangs_up(tmp_path)) as stage:
        port = announced_port(stage)
        assert written_port(profile) == port
        for _ in range(2):
            with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
                assert connection.recv(1) == b""


def test_its_child_leaves_the_session_and_is_found_by_its_token_only(
    tmp_path: Path, profile: Path, started: Callable[..., Stage]
) -> None:
    token = secrets.token_hex(16)
    browser = fake_browsers.forks_and_hangs(tmp_path)
    with started(browser, token) as stage:
        child = int(wait_for_file(Path(f"{browser}.child"), 20))
        [sighting] = witness.find(pids=[witness.identity(child) or (0, 0)])
        assert sighting.ppid == stage.owner_pid
        assert sighting.pgid == sighting.sid == child
        assert {s.pid for s in witness.find(tokens=[token])} == {stage.owner_pid, child}
        stage.signal(signal.SIGKILL)
        assert stage.wait(20) == -signal.SIGKILL
        assert [(s.pid, s.ppid) for s in stage.descendants()] == [(child, stage.pid)]
        assert stage.output() == ""


def test_polite_signals_do_not_end_it(tmp_path: Path, started: Callable[[Path], Stage]) -> None:
    with started(fake_browsers.ignores_sigterm(tmp_path)) as stage:
        wait_for_file(stage.log, 20, holding="ignoring polite signals\n")
        for polite in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            stage.signal(polite)
        stage.signal(signal.SIGKILL)
        assert stage.wait(20) == -signal.SIGKILL


def test_it_floods_standard_error_with_one_mebibyte_and_exits(
    tmp_path: Path, started: Callable[[Path], Stage]
) -> None:
    with started(fake_browsers.floods_stderr(tmp_path)) as stage:
        assert stage.wait(20) == 1
        assert os.stat(stage.log).st_size == 1 << 20
        assert stage.output().endswith("000000000065535\n")


@pytest.mark.parametrize("folder", ["with spaces", "x" * 200])
def test_a_python_with_a_long_path_or_spaces_runs_it_without_a_process_in_between(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started: Callable[[Path], Stage]
) -> None:
    python = tmp_path / folder / "python"
    python.parent.mkdir()
    python.symlink_to(os.path.realpath(sys.executable))
    monkeypatch.setattr(sys, "executable", str(python))
    browser = fake_browsers.ignores_sigterm(tmp_path / "browsers")
    monkeypatch.undo()
    with started(browser) as stage:
        wait_for_file(stage.log, 20, holding="ignoring polite signals\n")
        [below] = stage.descendants()
        assert (below.pid, below.command[:40]) == (stage.owner_pid, str(python)[:40])


def test_it_accepts_and_never_answers_but_notes_that_it_was_asked(
    tmp_path: Path, started: Callable[[Path], Stage]
) -> None:
    path = fake_browsers.accepts_but_never_answers(tmp_path)
    with started(path) as stage, socket.create_connection(("127.0.0.1", announced_port(stage))):
        assert list(tmp_path.glob("*.asked-*")) == []
        with socket.create_connection(("127.0.0.1", announced_port(stage))) as asking:
            asking.sendall(b"GET / HTTP/1.1\r\n\r\n")
            wait_for_file(Path(f"{path}.asked-{stage.owner_pid}"), 20)
            asking.settimeout(0.1)
            with pytest.raises(TimeoutError):
                asking.recv(1)


REAL = """#!/bin/sh
for word; do case $word in --user-data-dir=*) profile=${word#*=};; esac; done
mkdir -p "$profile"
echo "noise" >&2
echo "DevTools listening on ws://127.0.0.1:9/devtools/browser/55555" >&2
printf '9\\n/devtools/browser/55555' > "$profile/DevToolsActivePort"
exec sleep 300
"""


@pytest.fixture
def real(tmp_path: Path) -> Path:
    """Stands in for a real browser."""
    path = tmp_path / "real"
    path.write_text(REAL)
    path.chmod(0o755)
    return path


def test_the_real_browser_is_stopped_before_its_endpoint_is_known(
    tmp_path: Path, real: Path, started: Callable[[Path], Stage]
) -> None:
    with started(fake_browsers.stops_once_announced(tmp_path, real)) as stage:
        wait_for_file(stage.log, 20, holding="noise\nDevTools listening on ws://127.0.0.1:9/")
        wrapper, browser = stage.descendants()
        assert (wrapper.pid, browser.ppid) == (stage.owner_pid, stage.owner_pid)
        assert browser.state == "T"


def test_the_real_browser_leaves_an_orphan_that_names_no_profile(
    tmp_path: Path, profile: Path, real: Path, started: Callable[[Path], Stage]
) -> None:
    with started(fake_browsers.leaves_an_escapee(tmp_path, real)) as stage:
        wait_for_file(stage.log, 20, holding="DevTools listening")
        [browser] = [one for one in stage.descendants() if one.pid == stage.owner_pid]

        def orphans() -> list[witness.Sighting]:
            return [
                one
                for one in stage.descendants()
                if one.pid != stage.owner_pid and str(profile) not in one.command
            ]

        # Between its fork and its own program it still has the browser's command line.
        wait_until(lambda: len(orphans()) == 1, 20, "the escapee to run its own program")
        [escapee] = orphans()
        assert escapee.ppid == stage.pid
        assert escapee.sid not in (browser.sid, stage.pid)
