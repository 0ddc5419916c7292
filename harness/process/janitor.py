"""Removes what a warden that was itself killed has left: strays, control group, scratch."""

from __future__ import annotations

import _signal as signals
import os

from harness.process import cgroup, procfs, reaper, scratch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def clean(root: str) -> Iterator[tuple[str, str | None]]:
    """Yield each abandoned scratch below `root` and why it could not be removed, None if it was.

    Abandoned is one whose lock is free: the kernel frees it with the process that held it.
    Members of that family that are still alive are killed first.
    """
    cgroup.end_abandoned()
    for path, lock in scratch.abandoned(root):
        problem: str | None = None
        try:
            for pid in procfs.all_pids():
                if _belongs(pid, path):
                    reaper.kill(pid, signals.SIGKILL)
            problem = scratch.remove(path)
        except OSError as error:
            problem = str(error)
        finally:
            os.close(lock)
        yield path, problem


def _belongs(pid: int, path: str) -> bool:
    if pid == os.getpid():
        return False
    try:
        family = procfs.environment_value(pid, procfs.FAMILY_VARIABLE)
    except OSError:
        family = None
    if family == os.path.basename(path):
        return True
    return f"--user-data-dir={path}/" in f"{procfs.command(pid) or ''}/"
