"""What a read must not change."""

from pathlib import Path
from typing import NamedTuple


class Trace(NamedTuple):
    """The state of one file or folder; `content` is empty for a folder."""

    content: bytes
    mode: int
    mtime_ns: int
    ctime_ns: int


def trace(root: Path) -> dict[str, Trace]:
    """Return the state of `root` and of everything below it, by path."""
    return {str(path): _trace_of(path) for path in (root, *root.rglob("*"))}


def _trace_of(path: Path) -> Trace:
    content = path.read_bytes() if path.is_file() else b""
    status = path.stat()
    return Trace(content, status.st_mode, status.st_mtime_ns, status.st_ctime_ns)
