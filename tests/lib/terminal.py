"""A terminal that tests can read: a screen of cells, and a program that runs on a pty."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from collections.abc import Mapping, Sequence

_TOKEN = re.compile(r"\x1b\[(\?25[hl])|\x1b\[(\d*)([A-Za-z])|([\r\n])|([^\x1b\r\n])|(\x1b.?)")


class Screen:
    """What a terminal shows after some output: the sequences that rich uses, and no other.

    `lines` holds everything from the first line on, also what would have scrolled away.
    """

    def __init__(self, columns: int = 80) -> None:
        self._columns = columns
        self._rows: list[list[str]] = [[]]
        self._row = self._column = 0
        self.cursor_visible = True
        self.widest = 0

    def feed(self, text: str) -> None:
        """Take output in; AssertionError for a sequence that is not known."""
        for token in _TOKEN.finditer(text):
            cursor, number, letter, move, character, unknown = token.groups()
            assert unknown is None, f"unknown sequence {unknown!r}"
            if cursor:
                self.cursor_visible = cursor.endswith("h")
            elif letter:
                self._control(letter, int(number or "1"), number)
            elif move == "\r":
                self._column = 0
            elif move == "\n":
                self._down()
            elif character:
                self._put(character)

    @property
    def lines(self) -> list[str]:
        """The lines without blanks at their ends."""
        return ["".join(row).rstrip() for row in self._rows]

    def _control(self, letter: str, count: int, number: str) -> None:
        if letter == "A":
            self._row = max(0, self._row - count)
        elif letter == "K":
            assert number == "2"
            self._rows[self._row] = []
        else:
            assert letter == "m", f"unknown control {letter}"

    def _down(self) -> None:
        self._row += 1
        if self._row == len(self._rows):
            self._rows.append([])

    def _put(self, character: str) -> None:
        if self._column == self._columns:
            self._column = 0
            self._down()
        row = self._rows[self._row]
        row += " " * (self._column + 1 - len(row))
        row[self._column] = character
        self._column += 1
        self.widest = max(self.widest, self._column)


def run_on_terminal(
    command: Sequence[str], environment: Mapping[str, str], columns: int = 80
) -> tuple[int, str]:
    """Run a program on a pty of 24 rows; return its exit code and all that it wrote."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=dict(environment)
    ) as process:
        os.close(theirs)
        output = bytearray()
        try:
            while data := os.read(ours, 65536):
                output += data
        except OSError:  # EIO: nobody holds the other side any more
            pass
        finally:
            os.close(ours)
    return process.returncode, output.decode()
