"""The owner's end of one warden: its process, and the socket whose end means the owner's."""

import contextlib
import errno
import os
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO

from harness.errors import StartError
from harness.process import procfs, wire

_PACKAGE_PARENT = Path(__file__).resolve().parents[2]
_ENTRY = (
    "import sys; sys.path.insert(0, sys.argv[4]); from harness.process.warden import main; main()"
)
_CHUNK_BYTES = 65536


class Lifeline:
    """A warden that has been started and waits for its orders, or has them.

    The warden lives until it has ended what it was told to own; `release` makes it do so.
    Raises StartError when it cannot be started (no descriptor left, no process left).
    """

    def __init__(self, listen: int = -1) -> None:
        self.closed = False
        self.released = False
        self._decoder = wire.Decoder()
        try:
            self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
            try:
                self._socket, self._process = _start_warden(self._log, listen)
            except BaseException:
                self._log.close()
                raise
        except OSError as error:
            raise StartError(f"no warden can be started: {error}") from error

    @property
    def pid(self) -> int:
        """The warden's process id."""
        return self._process.pid

    @property
    def inode(self) -> int:
        """The inode of the owner's end, by which a holder of it is known in `/proc/<pid>/fd`."""
        return os.fstat(self._socket.fileno()).st_ino

    def fileno(self) -> int:
        """Return the descriptor that is readable when the warden has said something or ended."""
        return self._socket.fileno()

    def send(self, message: wire.Message) -> None:
        """Give an order. A warden that is gone shows as the end of its stream, not here."""
        if not self.closed:
            with contextlib.suppress(OSError):
                self._socket.sendall(wire.pack(message))

    def receive(self) -> list[wire.Message]:
        """Return what the warden has said; `closed` is set at the end of its stream."""
        try:
            data = self._socket.recv(_CHUNK_BYTES)
        except OSError:
            data = b""
        if not data:
            self.closed = True
            return []
        return self._decoder.feed(data)

    def release(self) -> None:
        """Let go, without waiting: the warden ends what it owns by itself."""
        self.released = True
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def wait(self, seconds: float) -> bool:
        """Wait for the warden's own end and reap it; False when it is still there."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def close(self) -> None:
        """Give up the descriptors; the warden ends, if it has not yet."""
        self.closed = True
        with contextlib.suppress(OSError):
            self._socket.close()
        self._log.close()

    def forget(self) -> None:
        """In a forked child: drop what was inherited, so that nothing is held open."""
        self.closed = True
        with contextlib.suppress(OSError):
            os.close(self._socket.detach())
        # Not a child of this process: its Popen must neither wait nor warn.
        self._process.returncode = 0

    def words(self) -> str:
        """Return what the warden has printed itself, which is a fault of it; bounded."""
        with contextlib.suppress(OSError, ValueError):
            self._log.seek(0)
            return self._log.read()[-2000:].decode("utf-8", "backslashreplace").strip()
        return ""


def _start_warden(log: IO[bytes], listen: int) -> tuple[socket.socket, "subprocess.Popen[bytes]"]:
    ours, theirs = socket.socketpair()
    handle = -1
    try:
        handle = _own_handle()
        passed = [number for number in (theirs.fileno(), handle, listen) if number >= 0]
        arguments = [str(theirs.fileno()), str(handle), str(_PACKAGE_PARENT)]
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _ENTRY, procfs.WARDEN_MARK, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            cwd="/",
            env={"PATH": os.defpath},
            pass_fds=passed,
            start_new_session=True,
        )
    except BaseException:
        ours.close()
        raise
    finally:
        theirs.close()
        if handle >= 0:
            os.close(handle)
    return ours, process


def _own_handle() -> int:
    """Return a pidfd of this process, -1 where the platform has none.

    Any other refusal, such as EMFILE, is no reason to go on with one witness of two.
    """
    try:
        return os.pidfd_open(os.getpid())
    except AttributeError:
        return -1
    except OSError as error:
        if error.errno != errno.ENOSYS:
            raise
        return -1


_spare: list[Lifeline] = []
_spare_lock = threading.Lock()


def prepare() -> None:
    """Start a warden ahead of its family, so that its start-up costs the family nothing.

    At most one waits in a process; it ends with this process like any other, and with
    `discard_spare`. Does nothing when one is waiting.
    """
    with _spare_lock:
        if not _spare:
            _spare.append(Lifeline())


def take(listen: int = -1) -> Lifeline:
    """Return a warden for a new family: the one that waits, else a new one.

    A descriptor to `listen` on must be inherited, so it needs a new one.
    """
    if listen < 0:
        with _spare_lock:
            if _spare:
                waiting = _spare.pop()
                if not waiting.wait(0):
                    return waiting
                waiting.close()
    return Lifeline(listen)


def discard_spare(seconds: float) -> None:
    """End the warden that waits, if there is one."""
    with _spare_lock:
        waiting, _spare[:] = list(_spare), []
    for lifeline in waiting:
        lifeline.release()
        lifeline.wait(seconds)
        lifeline.close()


def forget_spare() -> None:
    """In a forked child: the waiting warden is the parent's."""
    global _spare_lock  # noqa: PLW0603 - another thread of the parent may have held it
    _spare_lock = threading.Lock()
    for lifeline in _spare:
        lifeline.forget()
    _spare.clear()
