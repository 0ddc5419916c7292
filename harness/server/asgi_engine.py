"""Serves an ASGI application with uvicorn, which is an optional extra."""

import asyncio
import importlib
import socket
import traceback
from typing import Any

from harness.errors import PreconditionError, StartError
from harness.server.engine import LoopEngine, Tell
from harness.server.readiness import NONCE_HEADER


class AsgiEngine(LoopEngine):
    """An engine for an ASGI callable, its lifespan included where it has one."""

    def __init__(
        self, app: Any, listener: socket.socket, *, nonce: str, grace_seconds: float, tell: Tell
    ) -> None:
        super().__init__(app, listener, nonce=nonce, grace_seconds=grace_seconds, tell=tell)
        try:
            # By name: type checkers cannot be asked to have an optional package.
            self._uvicorn: Any = importlib.import_module("uvicorn")
        except ModuleNotFoundError as missing:
            raise PreconditionError(
                "an ASGI application needs uvicorn: pip install 'lanewright[asgi]'"
            ) from missing

    async def serve(self) -> None:
        """Serve until told to stop; requests get the grace and are then cancelled."""
        config = self._uvicorn.Config(
            self._told,
            interface="asgi3",
            headers=[(NONCE_HEADER, self.nonce)],
            log_config=None,
            access_log=False,
            proxy_headers=False,
            timeout_graceful_shutdown=self.grace_seconds,
        )
        server = self._uvicorn.Server(config)
        watching = asyncio.create_task(self._tell_to_exit(server))
        try:
            await server.serve(sockets=[self.listener])
        except SystemExit:
            raise StartError("the application's lifespan did not start") from None
        finally:
            watching.cancel()
            for connection in list(server.server_state.connections):
                if connection.transport is not None:
                    connection.transport.abort()

    async def _tell_to_exit(self, server: Any) -> None:
        await self.stopping.wait()
        server.should_exit = True

    async def _told(self, scope: Any, receive: Any, send: Any) -> None:
        async def told(message: Any) -> None:
            if message["type"] == "lifespan.startup.failed":
                self.tell(f"{message.get('message') or 'its lifespan failed to start'}\n")
            await send(message)

        try:
            await self.app(scope, receive, told)
        except Exception:
            # An application that knows no lifespan says so by raising (ASGI, "Lifespan").
            if scope["type"] != "lifespan":
                self.tell(traceback.format_exc())
            raise
