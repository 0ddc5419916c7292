"""One place that at most one process holds at a time, and that others can wait for.

A place is a named pipe. Its holder has it open for writing under an flock(2); who waits has it
open for reading, and the kernel hangs up on him when no writer is left (poll(2), POLLHUP). Lock
and news belong to one open description, so both end with the holder whatever ends it, in this
order (`__fput` gives up locks first): who is woken finds the lock free, or taken by another who
writes. Nothing is left to clean up, and nobody has to serve those who wait.
"""

import contextlib
import errno
import fcntl
import os
import select
import stat
from collections.abc import Iterable

_held: dict[int, os.stat_result] = {}


def take(path: str) -> int | None:
    """Take the place and return a descriptor that holds it; None when it is held already.

    Never blocks. It is held until `give_up`, the end of this process, or its next program:
    a forked child holds nothing.
    """
    while True:
        descriptor = _open(path, os.O_RDWR)
        _held[descriptor] = os.fstat(descriptor)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_still_at(path, descriptor):
                return descriptor
        except BlockingIOError:
            _close(descriptor)
            return None
        except BaseException:
            _close(descriptor)
            raise
        # Somebody cleaned the folder between the two: what we hold, nobody will ask for.
        _close(descriptor)


def is_held(descriptor: int) -> bool:
    """Tell whether this process holds a place by this descriptor.

    False in a forked child, and when somebody has closed it behind our back.
    """
    if descriptor in _held:
        with contextlib.suppress(OSError):
            return os.path.samestat(_held[descriptor], os.fstat(descriptor))
    return False


def give_up(descriptor: int) -> None:
    """Give the place up, where it is held; those who wait for it are woken."""
    if not is_held(descriptor):
        _held.pop(descriptor, None)
        return
    # Explicit, since native code may have forked a child that still has the descriptor.
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    _close(descriptor)


class Watch:
    """Hears that one of some places has become free since the watch began.

    Begin the watch, try the places, then wait: no release is missed in between. May wake for
    nothing.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._poller = select.poll()
        self._readers: list[int] = []
        try:
            for path in paths:
                self._readers.append(_open(path, os.O_RDONLY))
                self._poller.register(self._readers[-1], 0)  # a hang-up is always reported
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def wait(self, seconds: float) -> bool:
        """Return True on a release, False after `seconds`. A signal handler may raise out of it."""
        return bool(self._poller.poll(max(0.0, seconds) * 1000))

    def close(self) -> None:
        """End the watch."""
        while self._readers:
            os.close(self._readers.pop())


def _open(path: str, access: int) -> int:
    with contextlib.suppress(FileExistsError):
        os.mkfifo(path, 0o600)
    descriptor = os.open(path, access | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise FileExistsError(errno.EEXIST, "is no named pipe", path)


def _is_still_at(path: str, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.lstat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _close(descriptor: int) -> None:
    _held.pop(descriptor, None)
    os.close(descriptor)


def _forget_in_child() -> None:
    # The lock belongs to the description that parent and child share: closing is not unlocking.
    for descriptor in tuple(_held):
        if is_held(descriptor):
            os.close(descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_forget_in_child)
