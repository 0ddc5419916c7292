"""Frames between an owner and its warden: four bytes of length, then a marshalled dict.

Both ends are the same interpreter started by the same owner, so `marshal` is safe here and
costs no import, which a warden's start-up time depends on.
"""

from __future__ import annotations

import marshal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Message = dict[str, Any]
else:
    Message = dict

_LENGTH_BYTES = 4
LARGEST_FRAME_BYTES = 16 * 1024 * 1024


def pack(message: Message) -> bytes:
    """Return one frame; the message holds only str, bytes, int, float, bool, None, list, dict."""
    body = marshal.dumps(message)
    return len(body).to_bytes(_LENGTH_BYTES, "big") + body


class Decoder:
    """Cuts a byte stream into messages, however the bytes are chopped."""

    def __init__(self) -> None:
        self._pending = bytearray()

    def feed(self, data: bytes) -> list[Message]:
        """Return the messages that `data` completes, in order.

        Raises ValueError for a length that no frame of ours has.
        """
        self._pending += data
        messages: list[Message] = []
        while len(self._pending) >= _LENGTH_BYTES:
            length = int.from_bytes(self._pending[:_LENGTH_BYTES], "big")
            if length > LARGEST_FRAME_BYTES:
                raise ValueError(f"a frame of {length} bytes: this is not our stream")
            end = _LENGTH_BYTES + length
            if len(self._pending) < end:
                break
            messages.append(marshal.loads(bytes(self._pending[_LENGTH_BYTES:end])))
            del self._pending[:end]
        return messages
