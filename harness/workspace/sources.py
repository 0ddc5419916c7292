"""The sources of a project, each read once and only when somebody asks for it."""

import hashlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Generic, TypeVar

T = TypeVar("T")

_DIGEST_BYTES = 16
_CHUNK_BYTES = 1 << 16


class SourceReader(Generic[T]):
    """Reads files below `root` and keeps what `understand` makes of their bytes.

    `understand` is given a digest and the bytes. Paths are `/`-separated and relative to `root`.
    `digests` and `folders` say what was asked for and found, empty for a file that is not there.
    """

    def __init__(self, root: Path, understand: Callable[[bytes, bytes], T]) -> None:
        self._prefix = str(root).rstrip("/") + "/"
        self._understand = understand
        self._known: dict[str, T | None] = {}
        self._sizes: dict[str, int] = {}
        self.digests: dict[str, bytes] = {}
        self.folders: dict[str, bool] = {}

    def facts(self, file: str) -> T | None:
        """Return what is known of a file; None when there is no such file.

        Raises OSError for one that is there and cannot be read.
        """
        if file not in self._known:
            data = _read(self._prefix + file)
            digest = self.digests[file] = _digest(data)
            self._known[file] = None if data is None else self._understand(digest, data)
            self._sizes[file] = len(data or b"")
        return self._known[file]

    def size_bytes(self, file: str) -> int:
        """Return the size of a file that was read, 0 for any other."""
        return self._sizes.get(file, 0)

    def is_folder(self, path: str) -> bool:
        """Whether there is a folder of that path."""
        if path not in self.folders:
            self.folders[path] = os.path.isdir(self._prefix + path)
        return self.folders[path]


def is_unchanged(root: Path, digests: Mapping[str, bytes], folders: Mapping[str, bool]) -> bool:
    """Whether files and folders below `root` are still what a `SourceReader` found."""
    prefix = str(root).rstrip("/") + "/"
    return all(os.path.isdir(prefix + path) is known for path, known in folders.items()) and all(
        _digest(_read(prefix + file)) == known for file, known in digests.items()
    )


def _read(path: str) -> bytes | None:
    try:
        number = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        chunks = [os.read(number, _CHUNK_BYTES)]
        while chunks[-1]:
            chunks.append(os.read(number, _CHUNK_BYTES))
        return b"".join(chunks)
    except IsADirectoryError:
        return None
    finally:
        os.close(number)


def _digest(data: bytes | None) -> bytes:
    return b"" if data is None else hashlib.blake2b(data, digest_size=_DIGEST_BYTES).digest()
