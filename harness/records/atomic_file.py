"""A file that is written whole or not at all."""

import contextlib
import os
import secrets
from pathlib import Path


def write_bytes(path: Path, data: bytes) -> None:
    """Write so that a reader finds the old file or the new one, also after a power cut.

    Missing folders are made; others may read the file as far as the umask permits. Raises
    OSError, and then leaves what was there before.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name[:100]}.{secrets.token_hex(4)}")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
