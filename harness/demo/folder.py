"""The workspace folder of the demo: what it lists and the one log that a turn appends to."""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SEED_NAME = "welcome.txt"
SEED_BYTES = b"Welcome to the demo workspace.\n"
TURN_LOG_NAME = "turns.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedFile:
    """A regular file below the root; `name` is its path from there, with forward slashes."""

    name: str
    size_bytes: int


@contextmanager
def fresh_folder() -> Iterator[Path]:
    """Yield a private folder (mode 0700) that holds the seed file; it is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="lanewright-demo-") as name:
        root = Path(name)
        (root / SEED_NAME).write_bytes(SEED_BYTES)
        yield root


def list_files(root: Path) -> list[ListedFile]:
    """Return every regular file below `root`, sorted by name.

    Only folders are opened, and no file: bytes, permissions, mtime and ctime stay what they
    were. A symbolic link is neither followed nor listed. What vanishes meanwhile is left out;
    any other OSError is raised, because a list with a silent gap would be a wrong list.
    """
    found = (
        ListedFile(name=path.relative_to(root).as_posix(), size_bytes=size_bytes)
        for path, size_bytes in _walk(root)
    )
    return sorted(found, key=lambda file: file.name)


def append_turn(root: Path, utterance: str) -> int:
    """Append one JSON line for `utterance` to the turn log and return its number, from 1.

    The log may not be a symbolic link: OSError is raised and nothing outside is written.
    Calls in one process must not overlap, or two turns may get the same number.
    """
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(root / TURN_LOG_NAME, flags, 0o644), "a+b") as log:
        log.seek(0)
        turn = sum(1 for _ in log) + 1
        log.write(json.dumps({"turn": turn, "utterance": utterance}).encode() + b"\n")
    return turn


def _walk(folder: Path) -> Iterator[tuple[Path, int]]:
    try:
        with os.scandir(folder) as scan:
            entries = list(scan)
    except FileNotFoundError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(folder / entry.name)
        elif entry.is_file(follow_symlinks=False):
            try:
                size_bytes = entry.stat(follow_symlinks=False).st_size
            except FileNotFoundError:
                continue
            yield folder / entry.name, size_bytes
