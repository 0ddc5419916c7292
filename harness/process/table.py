"""A process table for error messages: bounded, and honest when there is none."""

import os
from pathlib import Path

from harness.process.procfs import ABSENT, parse_stat

ROWS = 60


def describe() -> str:
    """Return this user's processes, one a line, at most ROWS; or why they cannot be listed.

    Never raises: it is called while an error is being told.
    """
    try:
        pids = sorted(int(name) for name in os.listdir("/proc") if name.isdigit())
    except OSError as error:
        return f"no process table: {error}"
    rows: list[str] = []
    unreadable: list[str] = []
    for pid in pids:
        try:
            row = _row(pid)
        except ABSENT:
            continue
        except OSError as error:
            unreadable.append(f"{pid:5} cannot be read: {error}")
            continue
        if row is not None:
            rows.append(row)
    if not rows:
        return f"no process table: {unreadable[0] if unreadable else '/proc is empty'}"
    rows += unreadable
    shown = rows[:ROWS]
    more = [f"... and {len(rows) - ROWS} more"] if len(rows) > ROWS else []
    return "\n".join(["  PID  PPID  PGID S COMMAND", *shown, *more])


def _row(pid: int) -> str | None:
    folder = Path("/proc", str(pid))
    if folder.stat().st_uid != os.getuid():
        return None
    entry = parse_stat((folder / "stat").read_bytes())
    words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").strip()
    command = words.decode("utf-8", "backslashreplace")[:120]
    return f"{entry.pid:5} {entry.parent:5} {entry.group:5} {entry.state} {command}"
