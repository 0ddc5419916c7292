"""What a file run tells about itself, one line each, in a private file of the attempt.

Written by the plugin inside the file run, read by the runner. The file is append-only; a line
without its end is the last word of a process that was killed, and says nothing.
"""

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from harness.records.tier_record import Leaked, Record


class Event(Record, frozen=True, kw_only=True, tag_field="event"):
    """Base of the events. `pid` is that of the process that wrote it."""

    pid: int


class SessionStarted(Event, frozen=True, kw_only=True, tag="session_started"):
    """The plugin is loaded and the session begins."""


class Collected(Event, frozen=True, kw_only=True, tag="collected"):
    """Collection has ended. `ids` are the tests that are to run, in order."""

    ids: tuple[str, ...]
    deselected: int


class CollectionFailed(Event, frozen=True, kw_only=True, tag="collection_failed"):
    """Something could not be collected."""

    id: str
    lines: tuple[str, ...]


class CollectionSkipped(Event, frozen=True, kw_only=True, tag="collection_skipped"):
    """A module was skipped as a whole."""

    id: str
    reason: str


class TestStarted(Event, frozen=True, kw_only=True, tag="test_started"):
    """A test begins."""

    __test__ = False
    id: str


class TestFinished(Event, frozen=True, kw_only=True, tag="test_finished"):
    """A test has its last report.

    `outcome` is that of the call: `passed failed skipped xfailed xpassed`, or `error` when there
    was none. `errors` counts set-up and teardown errors. `lines` is bounded evidence, `text` the
    bounded report.
    """

    __test__ = False
    id: str
    outcome: str
    errors: int
    seconds: float
    lines: tuple[str, ...] = ()
    message: str = ""
    text: str = ""
    skip_reason: str = ""
    navigations: int = 0
    requests: int = 0
    commands: int = 0
    idle: bool = False


class InternalError(Event, frozen=True, kw_only=True, tag="internal_error"):
    """pytest itself failed."""

    lines: tuple[str, ...]


class SessionFinished(Event, frozen=True, kw_only=True, tag="session_finished"):
    """The sentinel: everything has been torn down, and this is what the exit code will be."""

    exit_status: int
    leaked: tuple[Leaked, ...] = ()
    problems: tuple[str, ...] = ()


AnyEvent = (
    SessionStarted
    | Collected
    | CollectionFailed
    | CollectionSkipped
    | TestStarted
    | TestFinished
    | InternalError
    | SessionFinished
)


class FileLog:
    """The events of one file run, in the order in which they were written.

    Only what the process `pid` has written counts; None takes the first writer. Lines that
    cannot be read are counted in `unreadable`, which makes the log prove nothing.
    """

    def __init__(self, pid: int | None = None) -> None:
        self.pid = pid
        self.events: list[AnyEvent] = []
        self.unreadable = 0
        self._rest = b""
        self._decoder = msgspec.json.Decoder(AnyEvent)

    def feed(self, data: bytes) -> list[AnyEvent]:
        """Take in what was appended since; return the new events."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        fresh = list(self._decoded(lines))
        self.events += fresh
        return fresh

    def _decoded(self, lines: Iterable[bytes]) -> Iterator[AnyEvent]:
        for line in lines:
            try:
                event = self._decoder.decode(line)
            except msgspec.MsgspecError:
                self.unreadable += 1
                continue
            if self.pid is None:
                self.pid = event.pid
            if event.pid == self.pid:
                yield event

    def of(self, kind: type[Event]) -> list[Event]:
        """Return the events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def collected(self) -> tuple[str, ...]:
        """The tests that were to run; empty when collection did not end."""
        return next((one.ids for one in reversed(self.events) if isinstance(one, Collected)), ())

    @property
    def finished(self) -> dict[str, TestFinished]:
        """The last report of each test that has one."""
        return {one.id: one for one in self.events if isinstance(one, TestFinished)}

    @property
    def sentinel(self) -> SessionFinished | None:
        """The last word of a session that ended in good order."""
        last = self.events[-1] if self.events else None
        return last if isinstance(last, SessionFinished) else None

    @property
    def running(self) -> str | None:
        """The test that has begun and has no report."""
        running = None
        for event in self.events:
            if isinstance(event, TestStarted):
                running = event.id
            elif isinstance(event, TestFinished) and event.id == running:
                running = None
        return running


def read(path: Path, pid: int | None = None) -> FileLog:
    """Read the whole log of a file run; a missing file is an empty log."""
    log = FileLog(pid)
    with contextlib.suppress(FileNotFoundError):
        log.feed(path.read_bytes())
    return log
