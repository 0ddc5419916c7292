"""A place is one process's, ends with it whatever ends it, and is waited for without polling."""

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from harness.errors import PreconditionError
from harness.process import lease
from harness.process.lease import Lease, Waiting
from tests.lib.events import wait_for_file, wait_until

ROOT = Path(__file__).resolve().parents[3]
SECONDS = 20.0
# So far away that what ends a wait is a hang-up and not the next reminder.
NEVER = 3600.0
PROGRAM = """
import os, signal, subprocess, sys
from pathlib import Path
from harness.process import lease

def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())

def terminated(number, frame):
    raise SystemExit("terminated")

signal.signal(signal.SIGTERM, terminated)
signal.signal(signal.SIGINT, signal.default_int_handler)
folder, places, token, *around = sys.argv[1:]

def acquire():
    return lease.acquire(
        Path(folder), int(places), command="pytest a", token=token, around=around,
        told=lambda waiting: say("waiting for", *(one and one.pid for one in waiting.holders)),
        remind_seconds=3600.0,
    )

try:
    held = acquire()
except KeyboardInterrupt:
    say("interrupted")
    raise SystemExit(2)
except SystemExit:
    say("terminated")
    raise
say("shares with", held.shared_with.pid) if held.shared_with else say("holds")
for line in sys.stdin:
    if line == "release\\n":
        held.release()
        say("released")
    elif line == "fork\\n":
        child = os.fork()
        if child == 0:
            held.release()
            say("child", os.getpid(), "holds" if held.held else "holds nothing")
            signal.pause()
    elif line == "spawn\\n":
        child = subprocess.Popen(["/bin/sleep", "600"], close_fds=False)
        say("spawned", child.pid)
"""


class Owner:
    """A process of its own that acquires a lease and then does what it is told."""

    def __init__(self, folder: Path, places: int, token: str, around: tuple[str, ...]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="hn-", dir="/tmp")
        self._said = Path(self._folder.name) / "said"
        with self._said.open("wb") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-c", PROGRAM, str(folder), str(places), token, *around],
                stdin=subprocess.PIPE,
                stdout=output,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )
        self.pid = self._process.pid

    def has_said(self, words: str) -> str:
        """Wait until it has said so; return all that it has said."""
        return wait_for_file(self._said, SECONDS, holding=words)

    def is_told(self, order: str) -> None:
        """Give an order."""
        assert self._process.stdin
        self._process.stdin.write(f"{order}\n".encode())
        self._process.stdin.flush()

    def gets(self, number: int) -> None:
        """Send it a signal."""
        self._process.send_signal(number)

    def ends(self) -> int:
        """Wait for its end and return how it ended."""
        return self._process.wait(SECONDS)

    def close(self) -> None:
        """End it, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        assert self._process.stdin
        self._process.stdin.close()
        self._folder.cleanup()


Start = Callable[..., Owner]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the places; nobody has made it yet."""
    return tmp_path / ".places"


@pytest.fixture
def owner(folder: Path) -> Iterator[Start]:
    """Start owners that end with the test."""
    with contextlib.ExitStack() as stack:

        def start(places: int = 1, token: str = "t", around: tuple[str, ...] = ()) -> Owner:
            one = Owner(folder, places, token, around)
            stack.callback(one.close)
            return one

        yield start


def untold(waiting: Waiting) -> None:
    """Nobody has to wait here."""
    raise AssertionError(waiting)


def acquire(folder: Path, places: int = 1, **options: Any) -> Lease:
    """Acquire in this process."""
    options = {"command": "c", "token": "t", "told": untold, "remind_seconds": NEVER, **options}
    return lease.acquire(folder, places, **options)


def is_taken(folder: Path, number: int = 0) -> bool:
    """Ask the kernel, with a lock of our own."""
    with open(folder / f"{number}.place", "rb+", buffering=0, opener=_opener) as pipe:
        try:
            fcntl.flock(pipe, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


def _opener(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)


def test_a_free_place_is_taken_at_once_and_given_back_without_a_record(folder: Path) -> None:
    held = acquire(folder)
    assert (held.held, held.waited_seconds, is_taken(folder)) == (True, 0.0, True)
    record = json.loads((folder / "0.holder").read_text())
    assert (record["pid"], record["command"], record["token"]) == (os.getpid(), "c", "t")
    held.release()
    held.release()
    assert (held.held, is_taken(folder)) == (False, False)
    assert [path.name for path in folder.iterdir()] == ["0.place"]


def test_a_release_wakes_who_waits_and_who_waits_knows_for_whom(owner: Start) -> None:
    first = owner()
    first.has_said("holds")
    second = owner()
    second.has_said(f"waiting for {first.pid}\n")
    first.is_told("release")
    second.has_said("holds")


def test_a_killed_holder_gives_its_place_to_who_waits(owner: Start) -> None:
    first, second = owner(), None
    first.has_said("holds")
    second = owner()
    second.has_said(f"waiting for {first.pid}\n")
    first.gets(signal.SIGKILL)
    second.has_said("holds")


def test_a_stopped_holder_still_holds(owner: Start, folder: Path) -> None:
    first = owner()
    first.has_said("holds")
    second = owner()
    second.has_said("waiting for")
    first.gets(signal.SIGSTOP)
    wait_until(lambda: _state(first.pid) == "T", SECONDS, "the stop")
    assert is_taken(folder)
    first.gets(signal.SIGKILL)
    assert "holds" in second.has_said("holds")


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


COMPETITOR = """
import os, sys
from pathlib import Path
from harness.process import lease

log = os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND)
for _ in range(6):
    held = lease.acquire(Path(sys.argv[1]), 2, command="c", token="t",
                         told=lambda waiting: os.write(log, b"w"), remind_seconds=3600.0)
    os.write(log, b"+")
    for _ in range(50):
        os.sched_yield()
    os.write(log, b"-")
    held.release()
"""


def test_eight_processes_compete_for_two_places_and_never_more_than_two_have_one(
    folder: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    log.touch()
    command = [sys.executable, "-c", COMPETITOR, str(folder), str(log)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    competitors = [subprocess.Popen(command, env=environment) for _ in range(8)]
    try:
        assert [one.wait(60) for one in competitors] == [0] * 8
    finally:
        for one in competitors:
            one.kill()
            one.wait()
    events = log.read_text()
    assert (events.count("+"), events.count("-")) == (48, 48)
    assert "w" in events
    at_once, most = 0, 0
    for event in events.replace("w", ""):
        at_once += 1 if event == "+" else -1
        most = max(most, at_once)
    assert most <= 2


def test_a_forked_child_holds_nothing_and_gives_nothing_away(owner: Start, folder: Path) -> None:
    first = owner()
    first.has_said("holds")
    first.is_told("fork")
    child = int(first.has_said("holds nothing").split("child ")[1].split()[0])
    try:
        assert is_taken(folder)
        assert (folder / "0.holder").exists()
        second = owner()
        second.has_said(f"waiting for {first.pid}\n")
        first.gets(signal.SIGKILL)
        second.has_said("holds")
        assert _state(child) == "S"
    finally:
        os.kill(child, signal.SIGKILL)


def test_a_spawned_child_holds_nothing(owner: Start) -> None:
    first = owner()
    first.has_said("holds")
    first.is_told("spawn")
    child = int(first.has_said("spawned ").split("spawned ")[1])
    try:
        second = owner()
        second.has_said(f"waiting for {first.pid}\n")
        first.gets(signal.SIGKILL)
        second.has_said("holds")
        assert _state(child) == "S"
    finally:
        os.kill(child, signal.SIGKILL)


def test_a_run_inside_the_holder_shares_its_place_and_a_neighbour_does_not(owner: Start) -> None:
    outer = owner(token="outer")
    outer.has_said("holds")
    inner = owner(token="inner", around=("older", "outer", "inner"))
    inner.has_said(f"shares with {outer.pid}\n")
    neighbour = owner(token="neighbour", around=("older", "neighbour"))
    neighbour.has_said(f"waiting for {outer.pid}\n")
    inner.is_told("release")
    inner.has_said("released")
    assert "holds" not in neighbour.has_said("waiting")
    outer.is_told("release")
    neighbour.has_said("holds")


def test_a_place_outside_of_the_own_number_is_shared_too(folder: Path) -> None:
    taken = [acquire(folder, 2, token=token) for token in ("first", "outer")]
    inner = acquire(folder, 1, token="inner", around={"outer"})
    assert inner.shared_with
    assert inner.shared_with.token == "outer"
    for one in taken:
        one.release()


def test_the_record_of_a_dead_holder_is_nobody_to_share_with(owner: Start, folder: Path) -> None:
    outer = owner(token="outer")
    outer.has_said("holds")
    outer.gets(signal.SIGKILL)
    outer.ends()
    held = acquire(folder, token="inner", around={"outer", "inner"})
    assert (held.held, held.shared_with) == (True, None)
    held.release()


@pytest.mark.parametrize(
    ("number", "words"), [(signal.SIGINT, "interrupted"), (signal.SIGTERM, "terminated")]
)
def test_a_signal_ends_the_wait_and_the_place_stays_with_its_holder(
    owner: Start, folder: Path, number: int, words: str
) -> None:
    first = owner()
    first.has_said("holds")
    second = owner()
    second.has_said("waiting for")
    second.gets(number)
    assert "holds" not in second.has_said(words)
    second.ends()
    assert is_taken(folder)
    first.is_told("release")
    first.has_said("released")
    assert not is_taken(folder)


def test_each_owner_looks_at_as_many_places_as_it_allows(owner: Start) -> None:
    first = owner(places=1)
    first.has_said("holds")
    frugal = owner(places=1)
    frugal.has_said(f"waiting for {first.pid}\n")
    generous = owner(places=10**30)
    generous.has_said("holds")
    second = owner(places=2)
    second.has_said(f"waiting for {first.pid} {generous.pid}\n")
    generous.gets(signal.SIGKILL)
    second.has_said("holds")
    assert "holds" not in frugal.has_said("waiting for")


@pytest.mark.timeout(30)
def test_a_release_between_the_last_try_and_the_wait_is_not_missed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = acquire(folder)
    try_once, tries = lease._take_one, []

    def try_then_release(*arguments: Any) -> Lease | None:
        found = try_once(*arguments)
        tries.append(found)
        if len(tries) == 2:
            first.release()
        return found

    monkeypatch.setattr(lease, "_take_one", try_then_release)
    second = acquire(folder, told=lambda waiting: None)
    assert tries == [None, None, second]
    second.release()


def test_who_waits_is_told_again_each_time_after_twice_as_long(folder: Path) -> None:
    first = acquire(folder)
    waits: list[float] = []

    def told(waiting: Waiting) -> None:
        waits.append(waiting.waited_seconds)
        if len(waits) == 4:
            first.release()

    second = acquire(folder, told=told, remind_seconds=0.02)
    assert len(waits) == 4
    first_gap, second_gap, third_gap = (after - before for before, after in pairwise(waits))
    assert (first_gap >= 0.02, second_gap >= 0.04, third_gap >= 0.08) == (True, True, True)
    assert second.waited_seconds >= waits[-1]
    second.release()


@pytest.mark.parametrize(
    "record", [None, "", "[]", '{"schema": "lanewright.lease", "version": 2}', "\0" * 10_000]
)
def test_a_holder_without_a_record_that_can_be_read_has_no_name(
    folder: Path, record: str | None
) -> None:
    first = acquire(folder)
    (folder / "0.holder").unlink()
    if record is not None:
        (folder / "0.holder").write_text(record)
    holders: list[object] = []

    def told(waiting: Waiting) -> None:
        holders.extend(waiting.holders)
        first.release()

    acquire(folder, told=told).release()
    assert holders == [None]


def test_a_holder_is_named_with_its_command_and_its_time(folder: Path) -> None:
    holder = lease.Holder(
        pid=7, start_ticks=1, command="pytest a", since="2026-03-01T12:00:03Z", token="t"
    )
    assert str(holder) == "pid 7 (pytest a, since 2026-03-01 12:00:03 UTC)"


def test_a_place_that_was_cleaned_away_while_it_was_taken_is_taken_anew(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    acquire(folder).release()
    lock = fcntl.flock
    uncleaned = [folder / "0.place"]

    def clean_then_lock(descriptor: int, how: int) -> None:
        if uncleaned:
            uncleaned.pop().unlink()
        lock(descriptor, how)

    with monkeypatch.context() as patched:
        patched.setattr(fcntl, "flock", clean_then_lock)
        held = acquire(folder)
    assert uncleaned == []
    assert is_taken(folder)
    held.release()


def test_a_descriptor_that_a_test_has_closed_is_no_longer_ours_to_close(folder: Path) -> None:
    held = acquire(folder)
    descriptor = held._descriptor
    with open(os.devnull, "rb") as other:
        os.dup2(other.fileno(), descriptor)
        assert not held.held
        held.release()
        assert os.path.samestat(os.fstat(descriptor), os.fstat(other.fileno()))
    os.close(descriptor)
    assert not is_taken(folder)


def test_a_folder_that_is_none_is_refused_with_the_remedy(folder: Path) -> None:
    folder.touch()
    with pytest.raises(PreconditionError, match=r"\.places.*set HARNESS_STATE_DIR to a folder"):
        acquire(folder)


def test_a_place_that_is_no_pipe_is_refused(folder: Path) -> None:
    folder.mkdir()
    (folder / "0.place").touch()
    with pytest.raises(PreconditionError, match="is no named pipe"):
        acquire(folder)


def test_a_record_that_cannot_be_written_gives_the_place_back(folder: Path) -> None:
    (folder / "0.draft").mkdir(parents=True)
    with pytest.raises(PreconditionError, match=r"0\.draft"):
        acquire(folder)
    assert not is_taken(folder)
