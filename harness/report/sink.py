"""Where lines for people go."""

from typing import TextIO


class Sink:
    """Writes whole lines to a text stream and flushes after each call.

    A character that the stream's encoding has not comes as an escape, so that a run in an ASCII
    locale loses no line. Errors of the stream itself are raised.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def lines(self, *lines: str) -> None:
        """Write each line with its end."""
        text = "".join(f"{line}\n" for line in lines)
        encoding = self._stream.encoding or "utf-8"
        self._stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        self._stream.flush()
