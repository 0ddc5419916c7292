"""A warden's end of the control socket: orders in, news out, and never blocked by its owner."""

from __future__ import annotations

import os
import select

from harness.process import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_CHUNK_BYTES = 65536
# What a silent owner may leave unread before output is held back, and how much of it is held:
# the oldest goes first, since a family's last words matter most.
_QUEUE_BYTES = 512 * 1024
_HELD_BYTES = 192 * 1024


class OwnerLine:
    """Queues what the owner has not read yet; the end of its socket is the end of the owner."""

    def __init__(self, control: int) -> None:
        self.control = control
        self.open = True
        self._decoder = wire.Decoder()
        self._outgoing = bytearray()
        self._held = bytearray()
        self._dropped_bytes = 0

    def attach(self, poll: select.poll, lost: Callable[[], None]) -> None:
        """Be polled from now on; `lost` is called once, when the owner hangs up."""
        self._poll = poll
        self._lost = lost
        self._watch()

    @property
    def pending(self) -> bool:
        """True while the owner has something left to read."""
        return self.open and bool(self._outgoing)

    def orders(self) -> list[wire.Message]:
        """Return what the owner has ordered since."""
        try:
            data = os.read(self.control, _CHUNK_BYTES)
        except BlockingIOError:
            return []
        except OSError:
            data = b""
        if not data:
            self.hang_up()
            return []
        return self._decoder.feed(data)

    def tell(self, message: wire.Message) -> None:
        """Queue news for the owner; what nobody is left to hear is dropped."""
        if self.open:
            self._outgoing += wire.pack(message)
            self.flush()

    def tell_output(self, data: bytes) -> None:
        """Queue output; of a flood that the owner does not read, the newest is kept."""
        self._held += data
        if len(self._outgoing) > _QUEUE_BYTES:
            excess = max(0, len(self._held) - _HELD_BYTES)
            del self._held[:excess]
            self._dropped_bytes += excess
        else:
            self.tell_held()

    def tell_held(self) -> None:
        """Queue what was held back, before news that must come after it."""
        data, self._held = bytes(self._held), bytearray()
        dropped, self._dropped_bytes = self._dropped_bytes, 0
        if data or dropped:
            self.tell({"event": "output", "data": data, "dropped_bytes": dropped})

    def flush(self) -> None:
        """Hand over as much as the socket takes now."""
        while self.pending:
            try:
                sent = os.write(self.control, self._outgoing[:_CHUNK_BYTES])
            except BlockingIOError:
                break
            except OSError:
                self.hang_up()
                return
            del self._outgoing[:sent]
        if self.open:
            self._watch()

    def drain(self) -> None:
        """Hand over more, and what was held back as soon as there is room for it."""
        self.flush()
        if self._held and len(self._outgoing) <= _QUEUE_BYTES:
            self.tell_held()

    def hang_up(self) -> None:
        """Treat the owner as gone from now on."""
        if self.open:
            self.open = False
            self._poll.unregister(self.control)
            self._lost()

    def _watch(self) -> None:
        wanted = select.POLLIN | (select.POLLOUT if self._outgoing else 0)
        self._poll.register(self.control, wanted)
