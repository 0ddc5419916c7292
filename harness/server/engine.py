"""What every engine is, and the event loop that two of them share."""

import asyncio
import contextlib
import socket
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Protocol

Tell = Callable[[str], None]
_DRAIN_SECONDS = 0.5
# Closed transports tell their protocols in one of the next turns of the loop.
_LAST_TURNS = 3


class Engine(Protocol):
    """Serves on a listening socket and owns it from `run` on."""

    def run(self) -> None:
        """Serve until `stop` on the calling thread; raise what kept it from serving."""

    def stop(self) -> None:
        """Make `run` return, from any thread or signal handler, before it or after it too."""


class LoopEngine(ABC):
    """An engine on an event loop of its own, which no task and no transport outlives."""

    def __init__(
        self, app: Any, listener: socket.socket, *, nonce: str, grace_seconds: float, tell: Tell
    ) -> None:
        self.app = app
        self.listener = listener
        self.nonce = nonce
        self.grace_seconds = grace_seconds
        self.tell = tell
        self.stopping = asyncio.Event()
        self._stop_asked = False
        self._loop: asyncio.AbstractEventLoop | None = None

    @abstractmethod
    async def serve(self) -> None:
        """Serve until `stopping` is set; leave no connection behind."""

    def run(self) -> None:
        loop = self._loop = asyncio.new_event_loop()
        loop.set_exception_handler(self._on_exception)
        try:
            if not self._stop_asked:
                loop.run_until_complete(self._serve_bounded())
        finally:
            _finish(loop)

    async def _serve_bounded(self) -> None:
        """Serve; once stopped, cancel a start-up or a clean-up that does not come to its end."""
        serving = asyncio.create_task(self.serve())
        told = asyncio.create_task(self.stopping.wait())
        await asyncio.wait({serving, told}, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait({serving}, timeout=self.grace_seconds + _DRAIN_SECONDS)
        if not serving.done():
            self.tell("it did not end within its grace and was cancelled\n")
            serving.cancel()
            await asyncio.wait({serving}, timeout=_DRAIN_SECONDS)
        told.cancel()
        if serving.done() and not serving.cancelled():
            serving.result()

    def stop(self) -> None:
        self._stop_asked = True
        loop = self._loop
        if loop is not None:
            # A loop that is closed has nothing left to stop.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self.stopping.set)

    def _on_exception(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        self.tell(f"{context['message']}{f': {error!r}' if error is not None else ''}\n")


def _finish(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel what is left, let transports close, close the loop; executor threads are let go."""
    try:
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        if tasks:
            loop.run_until_complete(asyncio.wait(tasks, timeout=_DRAIN_SECONDS))
        loop.run_until_complete(loop.shutdown_asyncgens())
        for _ in range(_LAST_TURNS):
            loop.run_until_complete(asyncio.sleep(0))
    finally:
        loop.close()
