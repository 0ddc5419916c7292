"""Start the leader of a family from a single-threaded warden."""

from __future__ import annotations

import _signal as signals
import errno
import fcntl
import os

from harness.process import procfs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harness.process import cgroup

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
# Above every descriptor that a warden holds, below the smallest limit a shell sets.
_HIGH_DESCRIPTOR = 24
_CANNOT_EXECUTE = 127


def prctl(option: int, value: int) -> None:
    """Call prctl(2); raises OSError when the kernel refuses."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, value, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), f"prctl({option})")


def start_leader(
    spec: dict[str, Any], descriptors: dict[int, int], group: cgroup.Group | None
) -> int:
    """Fork and execute `spec["command"]` in a session and a `group` of its own; return its pid.

    `descriptors` maps numbers in the child to descriptors here; every other one is closed.
    The leader dies with this warden (PR_SET_PDEATHSIG). Raises OSError when the program
    cannot be executed or its folder cannot be entered.
    """
    failure_read, failure_write = os.pipe()
    warden = os.getpid()
    pid = _fork(group)
    if pid == 0:
        try:
            failure_write = fcntl.fcntl(failure_write, fcntl.F_DUPFD_CLOEXEC, _HIGH_DESCRIPTOR)
            _become(spec, descriptors, warden, failure_write)
        except (OSError, ValueError) as error:
            # A ValueError is a NUL byte in an argument or in the environment.
            number, where = getattr(error, "errno", errno.EINVAL), getattr(error, "filename", "")
            os.write(failure_write, f"{number}:{where or error}".encode(errors="replace"))
        finally:
            os._exit(_CANNOT_EXECUTE)
    os.close(failure_write)
    with open(failure_read, "rb") as file:
        failure = file.read().decode("utf-8", "backslashreplace")
    if failure:
        os.waitpid(pid, 0)
        number, _, filename = failure.partition(":")
        raise OSError(int(number), os.strerror(int(number)), filename or spec["command"][0])
    return pid


def _fork(group: cgroup.Group | None) -> int:
    """Fork into the group; without one, or where clone3(2) is refused, as ever."""
    if group is not None:
        try:
            return group.fork()
        except OSError:
            # The group stays empty, and so promises nothing.
            pass
    return os.fork()


def _become(spec: dict[str, Any], descriptors: dict[int, int], warden: int, keep: int) -> None:
    os.setsid()
    for number in signals.valid_signals():
        if number not in (signals.SIGKILL, signals.SIGSTOP):
            try:
                signals.signal(number, signals.SIG_DFL)
            except (OSError, ValueError):
                continue
    signals.pthread_sigmask(signals.SIG_SETMASK, [])
    if os.uname().sysname == "Linux":
        prctl(PR_SET_PDEATHSIG, signals.SIGKILL)
        if os.getppid() != warden:
            os._exit(_CANNOT_EXECUTE)
    high = {
        target: fcntl.fcntl(source, fcntl.F_DUPFD_CLOEXEC, _HIGH_DESCRIPTOR)
        for target, source in descriptors.items()
    }
    for target, source in high.items():
        os.dup2(source, target, inheritable=True)
    for number in map(
        int, os.listdir("/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd")
    ):
        if number not in descriptors and number != keep:
            try:
                os.close(number)
            except OSError:
                continue
    os.umask(spec["umask"])
    os.chdir(spec["directory"])
    program = spec["command"][0]
    try:
        os.execvpe(program, spec["command"], spec["environment"])
    except OSError as error:
        # Its own name for the file is the last place of PATH that was tried.
        raise OSError(error.errno, error.strerror, program) from error


def start_ticks(pid: int) -> int:
    """Return the start time that, with the pid, names this process and no later one."""
    entry = procfs.stat(pid)
    return entry.start_ticks if entry else 0
