"""The sources of a project, each read once and only when somebody asks for it."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

T = TypeVar("T")


class SourceReader(Generic[T]):
    """Reads files below `root` and keeps what `understand` makes of their bytes.

    Paths are `/`-separated and relative to `root`. `size_bytes` is 0 for a file that was not read.
    """

    def __init__(self, root: Path, understand: Callable[[bytes], T]) -> None:
        self._prefix = str(root).rstrip("/") + "/"
        self._understand = understand
        self._known: dict[str, T | None] = {}
        self._sizes: dict[str, int] = {}
        self._folders: dict[str, bool] = {}

    def facts(self, file: str) -> T | None:
        """Return what is known of a file; None when there is no such file.

        Raises OSError for one that is there and cannot be read.
        """
        if file not in self._known:
            data = self._read(file)
            self._known[file] = None if data is None else self._understand(data)
            self._sizes[file] = len(data or b"")
        return self._known[file]

    def size_bytes(self, file: str) -> int:
        """Return the size of a file that was read."""
        return self._sizes.get(file, 0)

    def is_folder(self, path: str) -> bool:
        """Whether there is a folder of that path."""
        if path not in self._folders:
            self._folders[path] = os.path.isdir(self._prefix + path)
        return self._folders[path]

    def _read(self, file: str) -> bytes | None:
        try:
            with open(self._prefix + file, "rb", buffering=0) as opened:
                return opened.read()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
