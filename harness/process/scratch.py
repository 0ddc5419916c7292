"""Scratch directories: who owns one is who holds the lock on its record.

A scratch is `<root>/<id>/`, mode 0700, with a `record` file that its warden keeps locked
for life. The kernel frees the lock with the process, so a free lock means a dead warden.
"""

import errno
import fcntl
import os
import stat

ROOT_VARIABLE = "HARNESS_STATE_DIR"
# A Unix socket path ends at 108 bytes and Chromium puts one about 55 bytes below its TMPDIR.
LONGEST_ROOT_BYTES = 48
FOLDERS = ("profile", "tmp", "config", "cache", "data", "home", "crash")


def root() -> str:
    """Return the folder that holds every scratch of this user; made by `create`.

    It is `$HARNESS_STATE_DIR`, else `lanewright-<uid>` in `$TMPDIR`, else in `/tmp`. A path too
    long for a socket below it falls back to `/tmp`.
    """
    named = os.environ.get(ROOT_VARIABLE)
    if named:
        return os.path.abspath(named)
    base = os.environ.get("TMPDIR") or "/tmp"
    name = f"lanewright-{os.getuid()}"
    candidate = os.path.join(os.path.abspath(base), name)
    return candidate if len(os.fsencode(candidate)) <= LONGEST_ROOT_BYTES else f"/tmp/{name}"


def _make_private(path: str, what: str) -> None:
    if not os.path.lexists(path):
        os.makedirs(path, mode=0o700, exist_ok=True)
    entry = os.lstat(path)
    if not stat.S_ISDIR(entry.st_mode) or entry.st_uid != os.getuid():
        raise PermissionError(errno.EPERM, f"{what} is not a directory of this user", path)


def make_hidden(root_path: str, name: str) -> None:
    """Make `<root>/<name>`, unless it is there: for what is no scratch, and no janitor's.

    `name` begins with a dot. Raises OSError when it is not there as a directory of this user.
    """
    _make_private(root_path, "scratch root")
    _make_private(os.path.join(root_path, name), "the folder")


def _open_root(path: str) -> int:
    _make_private(path, "scratch root")
    return os.open(os.path.join(path, ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def create(root_path: str, identifier: str, record: bytes) -> tuple[str, int]:
    """Make `<root>/<identifier>` with its folders and return its path and the held lock.

    The root's own lock keeps a janitor from seeing a directory whose record is not locked yet.
    """
    guard = _open_root(root_path)
    try:
        fcntl.flock(guard, fcntl.LOCK_SH)
        path = os.path.join(root_path, identifier)
        os.mkdir(path, 0o700)
        lock = os.open(
            os.path.join(path, "record"), os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600
        )
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.write(lock, record)
    finally:
        os.close(guard)
    for folder in FOLDERS:
        os.mkdir(os.path.join(path, folder), 0o700)
    return path, lock


def remove(path: str) -> str | None:
    """Remove the tree at `path`; return None, or why something of it is still there.

    Never follows a symbolic link and opens up folders that a test made unreadable.
    """
    problem: str | None = None
    # A member that was killed a moment ago may have left a folder half-written.
    for _ in range(3):
        problem = _remove_once(path)
        if problem is None:
            return None
    return problem


def _remove_once(path: str) -> str | None:
    problem: str | None = None
    for parent, folders, files in os.walk(path, topdown=True):
        for folder in folders:
            inner = os.path.join(parent, folder)
            if not os.path.islink(inner) and not os.access(inner, os.R_OK | os.W_OK | os.X_OK):
                try:
                    os.chmod(inner, 0o700)
                except OSError as error:
                    problem = str(error)
        del files
    for parent, folders, files in os.walk(path, topdown=False):
        for name in files:
            problem = _try(os.unlink, os.path.join(parent, name)) or problem
        for name in folders:
            inner = os.path.join(parent, name)
            act = os.unlink if os.path.islink(inner) else os.rmdir
            problem = _try(act, inner) or problem
    return _try(os.rmdir, path) or (problem if os.path.lexists(path) else None)


def _try(act: object, path: str) -> str | None:
    try:
        act(path)  # type: ignore[operator]
    except FileNotFoundError:
        return None
    except OSError as error:
        return str(error)
    return None


def abandoned(root_path: str) -> list[tuple[str, int]]:
    """Lock and return every scratch whose warden is dead, as (path, lock).

    The caller removes each one and closes the lock. A directory with no record, or one that
    cannot be opened, is not ours to judge and is left alone.
    """
    try:
        guard = _open_root(root_path)
    except OSError:
        return []
    found: list[tuple[str, int]] = []
    try:
        fcntl.flock(guard, fcntl.LOCK_EX)
        for name in sorted(os.listdir(root_path)):
            path = os.path.join(root_path, name)
            try:
                lock = os.open(
                    os.path.join(path, "record"), os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
                )
            except OSError:
                continue
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(lock)
                continue
            found.append((path, lock))
    finally:
        os.close(guard)
    return found
