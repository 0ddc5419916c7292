"""A counted lease: at most so many owners of a host at once, and a wait that names who has it.

Each owner looks at the places 0 to N-1 of a folder, by its own N, and holds the first that is
free: the kernel's lock, which ends with its holder. Beside it stands a record of the holder. It
is a courtesy to those who wait, and how a run inside the holder finds out that it need not.
"""

import contextlib
import json
import os
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from harness.errors import PreconditionError
from harness.process import place, procfs, scratch

LONGEST_REMINDER_SECONDS = 300.0
_RECORD_BYTES = 8192


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Who holds a place: a process by pid and start time, what it runs, since when.

    `since` is UTC in ISO 8601, in whole seconds; `token` is the run token that is its own.
    """

    pid: int
    start_ticks: int
    command: str
    since: str
    token: str

    def __str__(self) -> str:
        since = self.since.replace("T", " ").removesuffix("Z")
        return f"pid {self.pid} ({self.command}, since {since} UTC)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """What there is to say about a wait: for which places, held by whom, for how long so far.

    A holder that has not said its name, or that this process cannot see, is None.
    """

    places: int
    holders: tuple[Holder | None, ...]
    waited_seconds: float


class Lease:
    """One place, until `release` or the end of this process; inert in a forked child.

    With `shared_with` it is the place of a run around this one, and `release` gives up nothing.
    """

    def __init__(self, descriptor: int, record: Path | None, shared_with: Holder | None) -> None:
        self.shared_with = shared_with
        self.waited_seconds = 0.0
        self._descriptor = descriptor
        self._record = record

    @property
    def held(self) -> bool:
        """Tell whether the lease is valid in this process."""
        return self.shared_with is not None or place.is_held(self._descriptor)

    def release(self) -> None:
        """Give the place to those who wait for it. Does nothing the second time."""
        if not place.is_held(self._descriptor):
            return
        # Before the place is free: the next holder's record must not be taken away.
        if self._record is not None:
            with contextlib.suppress(OSError):
                self._record.unlink()
        place.give_up(self._descriptor)
        self._descriptor = -1


def acquire(
    folder: Path,
    places: int,
    *,
    command: str,
    token: str,
    around: Collection[str] = (),
    told: Callable[[Waiting], None],
    now: Callable[[], float] = time.monotonic,
    remind_seconds: float = 10.0,
) -> Lease:
    """Take one of `places` places in `folder` for this process, waiting until one is free.

    `folder` is a hidden one of a scratch root, and is made; `command` is what others read of us.
    `around` holds the run tokens of the runs that this process is part of: where one of them
    holds a place already, that one is shared. `told` is called when the wait begins and then
    after `remind_seconds`, each time after twice as long, up to LONGEST_REMINDER_SECONDS.
    Nobody is promised a turn. What a signal handler raises ends the wait, without a place.
    Raises PreconditionError when the folder cannot hold places.
    """
    with _explained(folder):
        scratch.make_hidden(str(folder.parent), folder.name)
        if outer := _outer_holder(folder, around):
            return Lease(-1, None, outer)
        if lease := _take_one(folder, places, command, token):
            return lease
    began = due = now()
    while True:
        if now() >= due:
            holders = tuple(_holder_of(folder, number) for number in range(places))
            told(Waiting(places=places, holders=holders, waited_seconds=now() - began))
            due = now() + remind_seconds
            remind_seconds = min(2 * remind_seconds, LONGEST_REMINDER_SECONDS)
        with _explained(folder):
            watch = place.Watch(_pipe(folder, number) for number in range(places))
        with watch:
            with _explained(folder):
                lease = _take_one(folder, places, command, token)
            if lease is not None:
                lease.waited_seconds = now() - began
                return lease
            # Due again though nothing was heard: a native fork may keep a pipe from hanging up.
            watch.wait(due - now())


@contextlib.contextmanager
def _explained(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise PreconditionError(
            f"no place can be held in {folder}: {error}; set {scratch.ROOT_VARIABLE} to a folder "
            "of this user on a local disk, where named pipes can be made and locked"
        ) from None


def _take_one(folder: Path, places: int, command: str, token: str) -> Lease | None:
    for number in range(places):
        descriptor = place.take(_pipe(folder, number))
        if descriptor is not None:
            lease = Lease(descriptor, _record(folder, number), None)
            try:
                _write(_record(folder, number), _this_process(command, token))
            except BaseException:
                lease.release()
                raise
            return lease
    return None


def _this_process(command: str, token: str) -> Holder:
    entry = procfs.stat(os.getpid())
    return Holder(
        pid=os.getpid(),
        start_ticks=entry.start_ticks if entry else 0,
        command=command,
        since=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        token=token,
    )


def _pipe(folder: Path, number: int) -> str:
    return str(folder / f"{number}.place")


def _record(folder: Path, number: int) -> Path:
    return folder / f"{number}.holder"


def _write(path: Path, holder: Holder) -> None:
    document = {"schema": "lanewright.lease", "version": 1, **asdict(holder)}
    # Written aside and moved, so that nobody reads half of it; it means nothing after a reboot.
    draft = path.with_suffix(".draft")
    draft.write_text(json.dumps(document, sort_keys=True), encoding="utf-8")
    draft.replace(path)


def _outer_holder(folder: Path, around: Collection[str]) -> Holder | None:
    """Return the run around this one that holds a place, whichever place it is."""
    for path in sorted(folder.glob("*.holder")):
        found = _read(path)
        if found is not None and found.token in around and _is_taken(path.with_suffix(".place")):
            return found
    return None


def _is_taken(pipe: Path) -> bool:
    descriptor = place.take(str(pipe))
    if descriptor is not None:
        place.give_up(descriptor)
    return descriptor is None


def _holder_of(folder: Path, number: int) -> Holder | None:
    """Return who holds a place; None for one who has not said, or who is gone."""
    found = _read(_record(folder, number))
    return found if found is not None and _lives(found) else None


def _read(path: Path) -> Holder | None:
    """Return what a record says; None where there is none, or none that we know how to read."""
    with contextlib.suppress(OSError, ValueError), path.open("rb") as file:
        match json.loads(file.read(_RECORD_BYTES)):
            case {
                "schema": "lanewright.lease",
                "version": 1,
                "pid": int(pid),
                "start_ticks": int(start_ticks),
                "command": str(command),
                "since": str(since),
                "token": str(token),
            }:
                return Holder(
                    pid=pid, start_ticks=start_ticks, command=command, since=since, token=token
                )
    return None


def _lives(holder: Holder) -> bool:
    """Tell whether the process of a record is there: a killed holder leaves its record."""
    with contextlib.suppress(OSError):
        entry = procfs.stat(holder.pid)
        return entry is not None and entry.start_ticks == holder.start_ticks
    return False
