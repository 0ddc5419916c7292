"""A bounded copy of what a family printed: its first and its last words."""

HEAD_BYTES = 64 * 1024
TAIL_BYTES = 192 * 1024


class BoundedOutput:
    """Keeps the first HEAD_BYTES and the last TAIL_BYTES, and counts what fell between."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self.total_bytes = 0
        self.dropped_bytes = 0

    def add(self, data: bytes, dropped_before_bytes: int = 0) -> None:
        """Append `data`; `dropped_before_bytes` were lost on the way just before it."""
        self.total_bytes += len(data) + dropped_before_bytes
        self.dropped_bytes += dropped_before_bytes
        room = HEAD_BYTES - len(self._head)
        if room > 0 and not self._tail and not self.dropped_bytes:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        excess = len(self._tail) - TAIL_BYTES
        if excess > 0:
            del self._tail[:excess]
            self.dropped_bytes += excess

    def text(self) -> str:
        """Return it decoded; undecodable bytes as `\\xNN`, the gap named where there is one."""
        head = self._head.decode("utf-8", "backslashreplace")
        tail = self._tail.decode("utf-8", "backslashreplace")
        if not self.dropped_bytes:
            return head + tail
        return f"{head}\n... {self.dropped_bytes} bytes left out ...\n{tail}"

    def last_bytes(self, count: int) -> bytes:
        """Return the last `count` bytes, fewer when they were not kept."""
        kept = bytes(self._tail) if self.dropped_bytes else bytes(self._head + self._tail)
        return kept[max(0, len(kept) - count) :]

    def last_lines(self, count: int = 20, width: int = 300) -> str:
        """Return its last words for a message: at most `count` lines of `width` characters."""
        lines = [line for line in self.text().splitlines() if line.strip()]
        return "\n".join(printable(line[:width]) for line in lines[-count:])


_LINES_SHOWN = 4


def printable(text: str) -> str:
    """Return text of a page or a server as a terminal may show it.

    Control characters, which could clear a screen or hide a line, come as `\\xNN`; lines after
    the first are indented, and no more than a few are kept.
    """
    lines = text.splitlines()
    kept = [
        "".join(
            character if character.isprintable() else ascii(character)[1:-1] for character in line
        )
        for line in lines[:_LINES_SHOWN]
    ]
    more = [f"... {len(lines) - _LINES_SHOWN} more lines"] if len(lines) > _LINES_SHOWN else []
    return "\n    ".join([*kept, *more])
