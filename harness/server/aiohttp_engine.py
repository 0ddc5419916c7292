"""Serves an aiohttp Application."""

import logging

from harness.server.engine import LoopEngine, Tell
from harness.server.readiness import NONCE_HEADER

# aiohttp takes no time at all for no bound at all.
_LEAST_SECONDS = 0.01


class AiohttpEngine(LoopEngine):
    """Serves an aiohttp Application. Its start-up and clean-up hooks run on this engine's loop."""

    async def serve(self) -> None:
        from aiohttp import web

        # A signal, not a middleware: a middleware never sees the 500 of an unexpected exception.
        async def add_nonce(_: web.Request, response: web.StreamResponse) -> None:
            response.headers[NONCE_HEADER] = self.nonce

        self.app.on_response_prepare.append(add_nonce)
        runner = web.AppRunner(
            self.app,
            access_log=None,
            logger=_telling_logger("aiohttp.server", self.tell),
            # It gives this long twice: to finish, then to take the cancellation.
            shutdown_timeout=max(self.grace_seconds / 2, _LEAST_SECONDS),
        )
        try:
            await runner.setup()
            await web.SockSite(runner, self.listener).start()
            await self.stopping.wait()
        finally:
            await runner.cleanup()


def _telling_logger(name: str, tell: Tell) -> logging.Logger:
    """Return a logger of nobody's but this engine's, whose records also go where `name`'s go."""

    class Telling(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            tell(f"{self.format(record)}\n")

    logger = logging.Logger(name)
    logger.parent = logging.getLogger(name)
    logger.addHandler(Telling(logging.WARNING))
    return logger
