"""How a file run says that there is news of it."""

import contextlib
import os
import secrets
import socket
import sys
import tempfile

from harness.records.assignment import socket_address

_LONGEST_FOLDER = 60


class Doorbell:
    """A datagram socket on which file runs say that they have written something.

    `address` begins with `@` where it stands for a name that Linux keeps apart from files
    (unix(7), abstract), so that a runner that is killed leaves nothing; elsewhere it is a path.
    """

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        if sys.platform == "linux":
            self.address = f"@lanewright-{secrets.token_hex(8)}"
        else:
            # Its path must fit into a socket's address, which the run's own folder may not.
            self._folder = tempfile.TemporaryDirectory(prefix="harness-", dir=_short_folder())
            self.address = os.path.join(self._folder.name, "bell")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(socket_address(self.address))
        self._socket.setblocking(False)

    def fileno(self) -> int:
        """Return the descriptor that is readable when it rang."""
        return self._socket.fileno()

    def answer(self) -> None:
        """Take every ring."""
        with contextlib.suppress(BlockingIOError):
            while True:
                self._socket.recv(16)

    def close(self) -> None:
        """Remove it."""
        self._socket.close()
        if self._folder is not None:
            self._folder.cleanup()


def _short_folder() -> str | None:
    too_long = len(os.fsencode(tempfile.gettempdir())) > _LONGEST_FOLDER
    return "/tmp" if too_long and os.path.isdir("/tmp") else None
