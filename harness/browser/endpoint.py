"""The debugging endpoint: what the browser says on standard error and what it writes to
`DevToolsActivePort` in its profile must agree."""

import re
import time
from dataclasses import dataclass
from pathlib import Path

from harness.errors import StartError

PORT_FILE = "DevToolsActivePort"
_ANNOUNCED = re.compile(r"DevTools listening on ws://(?P<host>[^\s/]+):(?P<port>\d+)(?P<path>/\S*)")
_PORT_FILE_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a browser listens, on this machine only."""

    port: int
    path: str

    @property
    def websocket_url(self) -> str:
        """The browser-level CDP endpoint."""
        return f"ws://127.0.0.1:{self.port}{self.path}"

    @property
    def http_url(self) -> str:
        """The base of `/json/version` and its siblings."""
        return f"http://127.0.0.1:{self.port}"


def announced(text: str) -> Endpoint | None:
    """Return the endpoint that standard error has announced, once its line is complete."""
    match = _ANNOUNCED.search(text)
    if match is None or "\n" not in text[match.end() :]:
        return None
    return Endpoint(port=int(match["port"]), path=match["path"])


def parse_port_file(text: str) -> Endpoint | None:
    """Return the endpoint of a complete port file: the port, then the path, a line each."""
    lines = text.splitlines()
    if len(lines) < 2 or not lines[0].isdigit() or not lines[1].startswith("/"):
        return None
    return Endpoint(port=int(lines[0]), path=lines[1])


def confirm(profile: Path, said: Endpoint, seconds: float = _PORT_FILE_SECONDS) -> Endpoint:
    """Return `said` once the port file in `profile` says the same.

    The browser writes the file right after it has spoken, and there is no event for that on
    every platform, so this looks again every millisecond. Raises StartError when the file
    says something else, or nothing within `seconds` (an unwritable profile).
    """
    until = time.monotonic() + seconds
    path = profile / PORT_FILE
    while True:
        try:
            written = parse_port_file(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError):
            written = None
        if written == said:
            return said
        if time.monotonic() > until:
            break
        time.sleep(0.001)
    if written is None:
        raise StartError(
            f"it announced port {said.port} but wrote no {PORT_FILE} to its profile within "
            f"{seconds:g} s: is {profile} writable?"
        )
    raise StartError(
        f"it announced port {said.port}{said.path} but its {PORT_FILE} says "
        f"{written.port}{written.path}"
    )
