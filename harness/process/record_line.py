"""A warden's line to an owner that does not know it: news in a file, no orders but one.

A library starts the program whose place the warden takes, and asks it to end by closing its
standard input. The warden holds that descriptor too, reads nothing from it, and is told of its
end by the kernel.
"""

from __future__ import annotations

import os

from harness.process import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    import select
    from collections.abc import Callable


class RecordLine:
    """Appends news to the descriptor `record`; the end of `control` (-1: none) is the order."""

    pending = False

    def __init__(self, record: int, control: int, grace_seconds: float) -> None:
        self.control = control
        self.open = True
        self.refusal = ""
        self._record = record
        self._grace_seconds = grace_seconds

    def attach(self, poll: select.poll, lost: Callable[[], None]) -> None:
        """Be told of the end of `control` from now on; `lost` is never called."""
        del lost
        self._poll = poll
        if self.control >= 0:
            # A hang-up comes without being asked for; input is the program's, not ours.
            poll.register(self.control, 0)

    def orders(self) -> list[wire.Message]:
        """Return the one order there is; called when `control` has ended."""
        self._poll.unregister(self.control)
        self.control = -1
        self.tell({"event": "asked"})
        return [{"do": "end", "grace_seconds": self._grace_seconds}]

    def tell(self, message: wire.Message) -> None:
        """Append news; what cannot be written shows as a missing report."""
        if message["event"] == "not_started":
            self.refusal = message["error"]
        try:
            os.write(self._record, wire.pack(message))
        except OSError:
            return

    def tell_held(self) -> None:
        """Nothing is held back: the program writes where its starter reads."""

    def tell_output(self, data: bytes) -> None:
        """Never called: the program's output is not the warden's."""
        raise AssertionError(len(data))

    def drain(self) -> None:
        """Nothing waits."""

    def hang_up(self) -> None:
        """Note that the owner is gone; its end closes `control` as well."""
        self.open = False
        if self.control >= 0:
            self._poll.unregister(self.control)
            self.control = -1
