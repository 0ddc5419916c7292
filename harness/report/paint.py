"""Colour for people, or none."""

from dataclasses import dataclass

from harness.model.status import Status

_STATUS_CODES = {
    Status.PASSED: "32",
    Status.FAILED: "31",
    Status.TIMEOUT: "31",
    Status.CRASHED: "31",
    Status.INTERRUPTED: "33",
    Status.NOT_RUN: "33",
    Status.EMPTY: "33",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Paint:
    """Wraps text into SGR codes (ECMA-48) when `colour`; each call resets what it set."""

    colour: bool = False

    def strong(self, text: str) -> str:
        """Bold: a heading, or the command to type."""
        return self._sgr("1", text)

    def status(self, status: Status, text: str) -> str:
        """In the colour of a status."""
        return self._sgr(_STATUS_CODES[status], text)

    def _sgr(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text
