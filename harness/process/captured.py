"""What a process has written into a file that nobody can name: pytest's own capture."""

import contextlib
import os
import stat


def unseen_output(pid: int, known: int | None = None, most_bytes: int = 65536) -> bytes:
    """Return the end of what a live process has written to 1 and 2, where these are files.

    `known` is the inode of the file that everybody can read anyway. Returns nothing on a platform
    without `/proc`, for a process that is gone, and for a pipe or a terminal.
    """
    found = []
    seen = {known}
    for number in (1, 2):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/fd/{number}", "rb") as file:
            facts = os.fstat(file.fileno())
            if stat.S_ISREG(facts.st_mode) and facts.st_ino not in seen:
                seen.add(facts.st_ino)
                file.seek(max(0, facts.st_size - most_bytes))
                found.append(file.read(most_bytes))
    return b"".join(found)
