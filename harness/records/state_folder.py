"""The folder in which a project keeps what the harness knows from one run to the next."""

import contextlib
import os
import tempfile
from pathlib import Path

STATE_FOLDER = ".harness"


def state_folder(root: Path) -> Path:
    """Make a project's state folder, which git ignores, and return it."""
    folder = root / STATE_FOLDER
    folder.mkdir(exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="ascii")
    return folder


def replace_file(path: Path, data: bytes) -> None:
    """Write a cache file: a reader finds the old one or the new one.

    Not synced: what a power cut may break is rebuilt.
    """
    number, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
