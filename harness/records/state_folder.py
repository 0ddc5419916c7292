"""The folder in which a project keeps what the harness knows from one run to the next."""

import contextlib
import os
import tempfile
from pathlib import Path

from harness.errors import PreconditionError

STATE_FOLDER = ".harness"


def state_folder(root: Path) -> Path:
    """Make a project's state folder, which git ignores, and return it.

    A symbolic link to a folder is followed, and nothing is added to what lies there. Raises
    PreconditionError when it cannot be made.
    """
    folder = root / STATE_FOLDER
    try:
        folder.mkdir(exist_ok=True)
        ignore = folder / ".gitignore"
        if not folder.is_symlink() and not ignore.exists():
            ignore.write_text("*\n", encoding="ascii")
    except FileExistsError:
        raise PreconditionError(
            f"{folder} is no folder, and the harness keeps its records in one of that name: move "
            "it away"
        ) from None
    except OSError as error:
        raise PreconditionError(
            f"{folder} cannot be made: {error.strerror}. The harness keeps its records there: make "
            f"{root} writable, or run in a copy"
        ) from error
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
