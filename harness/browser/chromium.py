"""The handle of one owned Chromium: its identity, how it is, and its end."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from harness.browser.binary import Binary
from harness.browser.endpoint import Endpoint
from harness.errors import BrowserGone
from harness.process.client import Family
from harness.process.report import ExitReport
from harness.process.sampling import ProcessSample, sample_descendants

LIVENESS_SECONDS = 1.0
_NOISE = ("dbus", "devtools listening")


class Liveness(StrEnum):
    """Whether the browser itself answers, whatever its pages do."""

    RESPONSIVE = "responsive"
    HUNG = "hung"
    DEAD = "dead"


class Chromium:
    """A Chromium that this process owns through a warden.

    Use as a context manager or call `close`. In a forked child every method is inert.
    """

    def __init__(self, family: Family, binary: Binary, endpoint: Endpoint) -> None:
        self._family = family
        self._endpoint = endpoint
        self._next_id = 1
        self._version: str | None = None
        self.binary = binary

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- identity -----------------------------------------------------------------------

    @property
    def pid(self) -> int:
        """The browser process, which leads its process group and session."""
        return self._family.pid

    @property
    def start_ticks(self) -> int:
        """When it started, in clock ticks since boot: with the pid, its identity."""
        assert self._family.leader is not None
        return self._family.leader.start_ticks

    @property
    def process_group(self) -> int:
        """The group of everything in the family that did not leave it."""
        return self._family.pid

    @property
    def warden_pid(self) -> int:
        """The process that owns the family."""
        return self._family.warden_pid

    @property
    def scratch(self) -> Path:
        """The directory that holds its profile and everything else it writes; ends with it."""
        assert self._family.scratch is not None
        return self._family.scratch

    @property
    def cdp_url(self) -> str:
        """The WebSocket URL of its browser-level CDP endpoint."""
        return self._endpoint.websocket_url

    @property
    def http_url(self) -> str:
        """The base URL of its `/json/version` and siblings."""
        return self._endpoint.http_url

    @property
    def version(self) -> str:
        """What it calls itself, such as `HeadlessChrome/156.0.8078.114`.

        Raises BrowserGone when it is dead or does not answer.
        """
        if self._version is None:
            answer = self.command("Browser.getVersion", seconds=10.0)
            self._version = str(answer["product"])
        return self._version

    def processes(self) -> list[ProcessSample]:
        """Return the family's live processes, the browser first, crash handlers included."""
        return sample_descendants(self._family.warden_pid)

    def output(self) -> str:
        """Return what it has printed, bounded to its first and last words."""
        self._family.poll()
        return self._family.output.text()

    def last_words(self, lines: int = 12) -> str:
        """Return its last printed lines, for a message; noise of every healthy start left out."""
        self._family.poll()
        kept = [
            line
            for line in self._family.output.last_lines(200).splitlines()
            if not any(noise in line.lower() for noise in _NOISE)
        ]
        return "\n".join(kept[-lines:])

    @property
    def inert(self) -> bool:
        """True in a forked child, to which the browser does not belong."""
        return self._family.inert

    # -- how it is ----------------------------------------------------------------------

    def died(self) -> str | None:
        """Say how it ended (`killed by signal 9 (SIGKILL)`), None while it runs."""
        return self._family.ended_as()

    def wait_until_dead(self, seconds: float) -> str | None:
        """Wait for its end; return how it ended, None when it still runs after `seconds`."""
        self._family.wait_for(lambda: self._family.leader_status is not None, seconds)
        return self.died()

    def liveness(self, seconds: float = LIVENESS_SECONDS) -> Liveness:
        """Ask the browser itself, past Playwright and past every page.

        A page that hangs does not keep the browser from answering; a stopped browser does.
        """
        if self.died() is not None:
            return Liveness.DEAD
        try:
            self.command("Browser.getVersion", seconds=seconds)
        except BrowserGone:
            return Liveness.DEAD if self.died() is not None else Liveness.HUNG
        return Liveness.RESPONSIVE

    def command(
        self, method: str, parameters: dict[str, Any] | None = None, *, seconds: float
    ) -> dict[str, Any]:
        """Send a browser-level CDP command over the debugging pipe; return its result.

        Raises BrowserGone when it is dead, does not answer within `seconds`, or refuses.
        """
        number = self._next_id
        self._next_id += 1
        request = {"id": number, "method": method, "params": parameters or {}}
        self._family.send_side(json.dumps(request).encode() + b"\0")
        answers: list[dict[str, Any]] = []

        def answered() -> bool:
            answers.extend(row for row in self._take_answers() if row.get("id") == number)
            return bool(answers) or self._family.leader_status is not None

        self._family.wait_for(answered, seconds)
        if not answers:
            how = self.died() or f"gave no answer to {method} within {seconds:g} s"
            raise BrowserGone(f"Chromium (pid {self.pid}) {how}")
        if "error" in answers[0]:
            raise BrowserGone(f"Chromium refused {method}: {answers[0]['error']}")
        result: dict[str, Any] = answers[0]["result"]
        return result

    def _take_answers(self) -> list[dict[str, Any]]:
        *complete, rest = bytes(self._family.side_data).split(b"\0")
        self._family.side_data[:] = rest
        return [json.loads(row) for row in complete]

    # -- end ----------------------------------------------------------------------------

    def close(self) -> ExitReport | None:
        """End the whole family, prove it gone, remove its scratch; return the exit report.

        Nothing in a scratch profile outlives it, so there is no polite end to wait for.
        Raises OwnershipError when something is left. Calling it twice is harmless.
        """
        return self._family.end()
