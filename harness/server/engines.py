"""Which engine serves what."""

import socket
from typing import Any, assert_never

from harness.server.engine import Engine, Tell
from harness.server.targets import Application, ApplicationKind, Folder


def engine_for(
    target: Application | Folder,
    listener: socket.socket,
    *,
    nonce: str,
    grace_seconds: float,
    tell: Tell,
) -> Engine:
    """Return the engine of an application or folder.

    Every response carries `nonce`. Open requests get `grace_seconds` once it is stopped.
    `tell` is called, from any thread, with the traceback of a handler that failed. Raises
    PreconditionError when a package is missing.
    """
    if isinstance(target, Folder):
        from harness.server.aiohttp_engine import AiohttpEngine
        from harness.server.static_files import create_app

        app: Any = create_app(target.path)
        return AiohttpEngine(app, listener, nonce=nonce, grace_seconds=grace_seconds, tell=tell)
    kind = _kind(target.kind)
    engine: Engine = kind(target.app, listener, nonce=nonce, grace_seconds=grace_seconds, tell=tell)
    return engine


def _kind(kind: ApplicationKind) -> Any:
    match kind:
        case ApplicationKind.AIOHTTP:
            from harness.server.aiohttp_engine import AiohttpEngine

            return AiohttpEngine
        case ApplicationKind.WSGI:
            from harness.server.wsgi_engine import WsgiEngine

            return WsgiEngine
        case ApplicationKind.ASGI:
            from harness.server.asgi_engine import AsgiEngine

            return AsgiEngine
        case _ as never:
            assert_never(never)
