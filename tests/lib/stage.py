"""A healthy machine in small: runs one owner command and reaps what it leaves behind.

Many containers have a first process that reaps late or never. A test that asks "is anything
left?" needs one that reaps at once, so that what it sees is the owner's doing.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.lib import witness

_START_SECONDS = 20.0
_ANSWER_SECONDS = 10.0
_END_SECONDS = 20.0
_OUTPUT_TAIL_CHARS = 4000
_ROOT = str(Path(__file__).resolve().parents[2])
_BOOT = f"import sys; sys.path.insert(0, {_ROOT!r}); from tests.lib.stage_init import main; main()"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reaped:
    """A process that ended: `returncode` is negative for a signal, `at` is monotonic seconds."""

    pid: int
    returncode: int
    at: float


class Stage:
    """Starts `argv` under an init process and owns everything that comes of it.

    The owner leads a session and a process group of its own (its pid is both ids), has no
    controlling terminal, every signal at its default and unblocked (but the two that glibc
    keeps to itself), standard input at /dev/null, no other inherited descriptor, and writes
    standard output and error to the file `log`. `env` replaces the environment; None copies
    the caller's.

    On leaving the `with`, every descendant is killed and reaped, the init process too: the
    kernel has said that none is left. The same happens when the test process dies of
    anything. Not promised: what becomes of them when the init process itself is killed.

    Raises FileNotFoundError or another OSError when the command cannot be started.
    """

    def __init__(
        self,
        argv: Sequence[str | os.PathLike[str]],
        *,
        log: Path,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.argv = [os.fspath(word) for word in argv]
        self.log = log
        self._cwd = os.fspath(cwd or Path.cwd())
        self._env = dict(os.environ if env is None else env)
        self._inbox = b""
        self._closed = False
        self._failure: OSError | None = None
        self._answers: list[tuple[bool, float]] = []
        self._reaped: list[Reaped] = []
        self._owner_end: Reaped | None = None
        self.owner_pid = 0
        self.started_at = 0.0

    def __enter__(self) -> Self:
        program = shutil.which(self.argv[0], path=self._env.get("PATH"))
        self._socket, theirs = socket.socketpair()
        with theirs, self.log.open("ab") as log:
            self._init = subprocess.Popen(
                [sys.executable, "-IS", "-c", _BOOT, str(theirs.fileno()), str(os.getpid())],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={key: os.environ[key] for key in ("LD_LIBRARY_PATH",) if key in os.environ},
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        try:
            argv = [program or self.argv[0], *self.argv[1:]]
            self._send(start={"argv": argv, "env": self._env, "cwd": self._cwd})
            self._receive_until(
                lambda: bool(self.owner_pid or self._failure), _START_SECONDS, "start the owner"
            )
            if self._failure is not None:
                raise self._failure
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        problem = self._end()
        if problem is not None:
            if error is None:
                raise AssertionError(problem)
            error.add_note(problem)

    @property
    def pid(self) -> int:
        """The init process: the ancestor of everything that the owner starts."""
        return self._init.pid

    @property
    def ended_at(self) -> float:
        """When the owner was reaped, in monotonic seconds; only after `wait` returned."""
        if self._owner_end is None:
            raise AssertionError("the owner has not been waited for")
        return self._owner_end.at

    def signal(self, number: int) -> float:
        """Signal the owner alone; returns the monotonic time just before it was sent.

        Raises ProcessLookupError when the owner has ended; a recycled pid is never hit.
        """
        return self._ask(signal=int(number))

    def signal_group(self, number: int) -> float:
        """Signal the owner's process group, as a terminal does for Ctrl-C; see `signal`.

        Works after the owner has ended, as long as another member of the group lives.
        """
        return self._ask(signal_group=int(number))

    def wait(self, deadline_seconds: float) -> int:
        """The owner's return code, negative for a signal.

        Raises AssertionError with the process table and the output at the deadline. Orphans
        may still run on return.
        """
        self._receive_until(lambda: self._owner_end is not None, deadline_seconds, "end the owner")
        assert self._owner_end is not None
        return self._owner_end.returncode

    def orphans(self) -> list[Reaped]:
        """Processes that lost their parent and that the init process has reaped, in order."""
        self._receive(0.0)
        return list(self._reaped)

    def wait_for_orphan(self, pid: int, deadline_seconds: float) -> Reaped:
        """The end of this adopted process; AssertionError when it is not reaped in time."""

        def ends() -> list[Reaped]:
            return [reaped for reaped in self._reaped if reaped.pid == pid]

        self._receive_until(lambda: bool(ends()), deadline_seconds, f"reap pid {pid}")
        return ends()[0]

    def descendants(self) -> list[witness.Sighting]:
        """Everything below the init process now, the owner and zombies included."""
        return witness.descendants(self.pid)

    def output(self) -> str:
        """What the owner and its children have written so far."""
        return self.log.read_text(encoding="utf-8", errors="backslashreplace")

    def _ask(self, **command: int) -> float:
        expected = len(self._answers) + 1
        self._send(**command)
        self._receive_until(lambda: len(self._answers) == expected, _ANSWER_SECONDS, "signal")
        sent, at = self._answers[-1]
        if not sent:
            raise ProcessLookupError(f"the owner {self.owner_pid} ({self.argv[0]}) has ended")
        return at

    def _send(self, **command: object) -> None:
        self._socket.settimeout(_ANSWER_SECONDS)
        self._socket.sendall(json.dumps(command).encode() + b"\n")

    def _receive_until(self, done: Callable[[], bool], deadline_seconds: float, what: str) -> None:
        end = time.monotonic() + deadline_seconds
        self._receive(0.0)
        while not done():
            remaining = end - time.monotonic()
            if self._closed:
                raise AssertionError(f"the stage died before it could {what}: {self._situation()}")
            if remaining <= 0:
                raise AssertionError(
                    f"the stage did not {what} in {deadline_seconds} s: {self._situation()}"
                )
            self._receive(remaining)

    def _receive(self, seconds: float) -> None:
        """Take in what has been reported; wait at most `seconds` for something."""
        self._socket.settimeout(seconds)
        try:
            while data := self._socket.recv(1 << 16):
                self._inbox += data
                *lines, self._inbox = self._inbox.split(b"\n")
                for line in lines:
                    self._note(json.loads(line))
                self._socket.settimeout(0.0)
        except (BlockingIOError, TimeoutError):
            return
        except ConnectionError:
            pass
        self._closed = True

    def _note(self, event: dict[str, object]) -> None:
        match event:
            case {"started": {"pid": int(pid), "at": float(at)}}:
                self.owner_pid, self.started_at = pid, at
            case {"failed": {"errno": int(number), "why": str(why)}}:
                self._failure = OSError(number, why)
            case {"reaped": {"pid": int(pid), "status": int(status), "at": float(at)}}:
                reaped = Reaped(pid=pid, returncode=status, at=at)
                # The owner's pid may come again once it is reaped, as an orphan's.
                if pid == self.owner_pid and self._owner_end is None:
                    self._owner_end = reaped
                else:
                    self._reaped.append(reaped)
            case {"signalled": {"sent": bool(sent), "at": float(at)}}:
                self._answers.append((sent, at))
            case _:
                raise ValueError(f"unknown report {event!r}")

    def _end(self) -> str | None:
        """End everything; the problem in words when that could not be proven."""
        with self._socket:
            try:
                self._socket.shutdown(socket.SHUT_WR)
            except OSError:
                self._closed = True
            end = time.monotonic() + _END_SECONDS
            while not self._closed and time.monotonic() < end:
                self._receive(max(0.0, end - time.monotonic()))
            situation = None if self._closed else self._situation()
            if situation is not None:
                self._init.kill()
        returncode = self._init.wait()
        if situation is not None:
            return f"the stage could not end its descendants: {situation}"
        if returncode != 0:
            return f"the stage itself ended with {returncode}: {self.output()[-2000:]}"
        return None

    def _situation(self) -> str:
        table = "\n".join(f"  {sighting}" for sighting in self.descendants()) or "  (nothing)"
        return (
            f"{self.argv}\nbelow the stage:\n{table}\n"
            f"output:\n{self.output()[-_OUTPUT_TAIL_CHARS:]}"
        )
