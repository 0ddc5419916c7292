"""Read single facts of one process from `/proc`, light enough for a warden.

Every function returns None for a process that does not exist (ENOENT, ENOTDIR, ESRCH) and
lets any other OSError through: an entry that cannot be read is not a process that is gone.
"""

import os

ABSENT = (FileNotFoundError, NotADirectoryError, ProcessLookupError)
WARDEN_MARK = "harness-warden"
TOKEN_VARIABLE = "HARNESS_RUN_TOKEN"
FAMILY_VARIABLE = "HARNESS_FAMILY"


class Stat:
    """Fields of `/proc/<pid>/stat` (proc_pid_stat(5)); `start_ticks` since boot.

    A plain class: `typing` and `dataclasses` would double a warden's start-up time.
    """

    __slots__ = ("group", "parent", "pid", "session", "start_ticks", "state")

    def __init__(
        self, *, pid: int, state: str, parent: int, group: int, session: int, start_ticks: int
    ) -> None:
        self.pid = pid
        self.state = state
        self.parent = parent
        self.group = group
        self.session = session
        self.start_ticks = start_ticks


def parse_stat(text: bytes) -> Stat:
    """Parse one stat line; the command name may hold spaces and parentheses itself."""
    head, _, tail = text.rpartition(b")")
    fields = tail.split()
    return Stat(
        pid=int(head.split(b" ", 1)[0]),
        state=fields[0].decode(),
        parent=int(fields[1]),
        group=int(fields[2]),
        session=int(fields[3]),
        start_ticks=int(fields[19]),
    )


def _read(pid: int, name: str) -> bytes | None:
    try:
        with open(f"/proc/{pid}/{name}", "rb", buffering=0) as file:
            data = file.readall()
    except ABSENT:
        return None
    return data


def stat(pid: int) -> Stat | None:
    """Return the process's identity and kinship."""
    text = _read(pid, "stat")
    return parse_stat(text) if text else None


def command(pid: int) -> str | None:
    """Return its command line joined by spaces; empty for a zombie or a kernel thread."""
    raw = _read(pid, "cmdline")
    if raw is None:
        return None
    return raw.rstrip(b"\0").replace(b"\0", b" ").decode("utf-8", "backslashreplace")


def named(pid: int) -> str | None:
    """Return its command line, or as `ps` does its `[name]` where it has none.

    A zombie and a kernel thread have none, and for a moment whoever has just executed.
    """
    text = command(pid)
    if text != "":
        return text
    name = _read(pid, "comm")
    return None if name is None else f"[{name.rstrip().decode('utf-8', 'backslashreplace')}]"


def environment_value(pid: int, name: str) -> str | None:
    """Return one variable of the environment it was started with, None when it has none."""
    raw = _read(pid, "environ")
    if not raw:
        return None
    prefix = name.encode() + b"="
    for entry in raw.split(b"\0"):
        if entry.startswith(prefix):
            return entry[len(prefix) :].decode("utf-8", "backslashreplace")
    return None


def is_warden(pid: int) -> bool:
    """Tell whether the process is a warden of ours: it ends by itself with its owner."""
    raw = _read(pid, "cmdline")
    return raw is not None and f"\0{WARDEN_MARK}\0".encode() in raw


def all_pids() -> list[int]:
    """Return every process id that `/proc` shows now."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def children(pid: int) -> list[int]:
    """Return the direct children of a single-threaded process, zombies included."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", "rb", buffering=0) as file:
            return [int(word) for word in file.readall().split()]
    except ABSENT:
        # Kernels without CONFIG_PROC_CHILDREN have no such file.
        stats = (stat(other) for other in all_pids())
        return [entry.pid for entry in stats if entry is not None and entry.parent == pid]
