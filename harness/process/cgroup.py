"""A control group for each family, so that even a killed warden's escapees can be ended.

A child that calls `setsid` leaves its warden's session, and nobody below that warden knows it
once the warden itself is killed. It cannot leave its control group (cgroups(7), version 2), and
`cgroup.kill` ends all of one. Who owns a group is who holds the lock on its folder.

Used where the kernel and the permissions allow it; every function answers None or an empty
list where they do not.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time

PREFIX = "lanewright-"
_EMPTY_SECONDS = 1.0
_RESCAN_SECONDS = 0.002
_CLONE_INTO_CGROUP = 0x200000000
_SYS_CLONE3 = 435
_SIGCHLD = 17


def base() -> str | None:
    """Return the folder of this process's own version 2 group, None where there is none."""
    try:
        with open("/proc/self/cgroup", encoding="utf-8") as file:
            own = [line[3:].rstrip("\n") for line in file if line.startswith("0::")]
        with open("/proc/self/mountinfo", encoding="utf-8") as file:
            mounts = [line.split() for line in file if " - cgroup2 " in line]
    except OSError:
        return None
    for fields in mounts:
        root, point = fields[3], fields[4]
        if own and (own[0] + "/").startswith(root.rstrip("/") + "/"):
            path = os.path.normpath(point + "/" + own[0][len(root.rstrip("/")) :])
            if os.path.exists(os.path.join(path, "cgroup.procs")):
                return path
    return None


class Group:
    """One family's group, held by this process until `remove` or this process's end."""

    def __init__(self, path: str, handle: int) -> None:
        self.path = path
        self.handle = handle

    @classmethod
    def create(cls, identifier: str) -> Group | None:
        """Make and hold `lanewright-<identifier>` below this process's own group."""
        parent = base()
        if parent is None:
            return None
        path = os.path.join(parent, PREFIX + identifier)
        handle = -1
        try:
            os.mkdir(path)
            handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Linux 5.14.
            os.stat(os.path.join(path, "cgroup.kill"))
        except OSError:
            _forgo(path, handle)
            return None
        return cls(path, handle)

    def fork(self) -> int:
        """Fork like os.fork, with the child in this group from its first instruction.

        Moving a process later costs tens of milliseconds, since the kernel waits for every
        processor. Only for a single-threaded process whose child executes a program: nothing
        that is registered for after a fork runs. Raises OSError where clone3(2) refuses.
        """
        import ctypes

        # struct clone_args up to `cgroup`, its last member.
        words = (ctypes.c_uint64 * 11)()
        words[0], words[4], words[10] = _CLONE_INTO_CGROUP, _SIGCHLD, self.handle
        libc = ctypes.PyDLL(None, use_errno=True)
        pid: int = libc.syscall(_SYS_CLONE3, ctypes.byref(words), ctypes.sizeof(words))
        if pid < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), "clone3")
        return pid

    def remove(self) -> str | None:
        """End whatever is in the group and remove it; return why it is still there, else None."""
        problem = _end(self.path)
        os.close(self.handle)
        return problem


def end(path: str) -> str | None:
    """End every process of a group whose warden is dead; return why it is still there.

    A group that somebody holds, or that is gone, is left alone.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return _end(path)
    except OSError:
        return None
    finally:
        os.close(handle)


def end_abandoned() -> None:
    """End every group beside ours whose warden is dead."""
    parent = base()
    if parent is None:
        return
    try:
        names = [name for name in os.listdir(parent) if name.startswith(PREFIX)]
    except OSError:
        return
    for name in names:
        end(os.path.join(parent, name))


def _forgo(path: str, handle: int) -> None:
    if handle < 0:
        return
    os.close(handle)
    try:
        os.rmdir(path)
    except OSError:
        # Somebody took it for abandoned between its making and its locking.
        return


def _end(path: str) -> str | None:
    until = time.monotonic() + _EMPTY_SECONDS
    while True:
        try:
            # Refused with EBUSY while a process is inside: the kernel's own proof.
            os.rmdir(path)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno != errno.EBUSY or time.monotonic() > until:
                return str(error)
        else:
            return None
        try:
            with open(os.path.join(path, "cgroup.kill"), "w", encoding="ascii") as file:
                file.write("1")
        except FileNotFoundError:
            continue
        except OSError as error:
            return str(error)
        _remove_below(path)
        time.sleep(_RESCAN_SECONDS)


def _remove_below(path: str) -> None:
    """Remove the groups that members made, such as wardens that were themselves killed.

    What was killed with the group may take a moment; whatever is left is tried again.
    """
    for folder, names, _ in os.walk(path, topdown=False):
        for name in names:
            try:
                os.rmdir(os.path.join(folder, name))
            except OSError:
                continue
