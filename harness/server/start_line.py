"""Where a server says it listens: the port in its own start line."""

import re

from harness.errors import UsageError
from harness.process.output import BoundedOutput

# A host in brackets is an IPv6 address.
DEFAULT = re.compile(r"https?://(?:\[[^\]\s]*\]|[^\s/:\[\]]+):(?P<port>\d{1,5})(?!\d)")
# Colours cut a port off from its host in the start lines of several development servers.
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_LONGEST_LINE_BYTES = 8 * 1024


def compiled(pattern: str | re.Pattern[str] | None) -> re.Pattern[str]:
    """Return the pattern to look for, DEFAULT for None.

    Raises UsageError for one that does not compile or has no group named `port`.
    """
    if pattern is None:
        return DEFAULT
    try:
        found = re.compile(pattern)
    except (re.error, TypeError) as error:
        raise UsageError(f"start_line={pattern!r} is no pattern of text: {error}") from None
    if "port" not in found.groupindex or not isinstance(found.pattern, str):
        raise UsageError(
            f"start_line={found.pattern!r} names no port: write the group (?P<port>\\d+)"
        )
    return found


class StartLine:
    """Reads a growing output for the first complete line that names a port."""

    def __init__(self, pattern: re.Pattern[str], output: BoundedOutput) -> None:
        self._pattern = pattern
        self._output = output
        self._read_bytes = 0
        self.port: int | None = None

    def heard(self) -> bool:
        """Read what is new; True once `port` is known. An incomplete line waits for its end."""
        new_bytes = self._output.total_bytes - self._read_bytes
        if self.port is None and new_bytes:
            self._read_bytes += new_bytes
            # The line that was incomplete last time is read again from its beginning.
            data = self._output.last_bytes(new_bytes + _LONGEST_LINE_BYTES)
            if len(data) < self._output.total_bytes:
                data = data[data.find(b"\n") + 1 :]
            self.port = port_in(data.decode("utf-8", "backslashreplace"), self._pattern)
        return self.port is not None


def port_in(text: str, pattern: re.Pattern[str]) -> int | None:
    """Return the port of the first match that lies in complete lines and is a port number."""
    complete = _ESCAPE.sub("", text[: text.rfind("\n") + 1])
    for found in pattern.finditer(complete):
        digits = found["port"]
        if digits and digits.isdecimal() and 0 < int(digits) < 65536:
            return int(digits)
    return None
