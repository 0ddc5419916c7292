"""A witness in front of a server: a reverse proxy that notes every request that passes it.

What a browser says it has asked for and what a server was asked are two things: a worker, a
beacon or a service worker asks without a page's knowledge. Here every request passes.
"""

import hashlib
import threading
import zlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Self

import aiohttp
from aiohttp import web
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from harness.server.handle import Server
from harness.server.serving import serve

_READY = "/.well-known/harness-ingress"
_KEPT_BODY_BYTES = 64 * 1024
_HASHED_BYTES = 64 * 1024 * 1024
_MESSAGE_BYTES = 64 * 1024 * 1024
# RFC 9110, 7.6.1: what concerns one connection only.
_HOP_BY_HOP = frozenset(
    {
        "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te",
        "trailer", "transfer-encoding", "upgrade", "proxy-connection",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One request that reached the server, and what came back.

    `target` is the request target as sent, `destination` its Sec-Fetch-Dest, empty where the
    browser sent none. `status` is 0 while no answer has begun, or when none came. `sha256` is of
    the decoded body that passed, None while it passes or when it was too long or in a coding
    that cannot be undone.
    """

    number: int
    method: str
    target: str
    destination: str
    body: bytes
    status: int = 0
    sha256: str | None = None

    @property
    def path(self) -> str:
        """The target without its query."""
        return self.target.partition("?")[0]

    def __str__(self) -> str:
        return f"{self.method} {self.target}"


class Ingress:
    """The witness of one server. Use as a context manager, or call `close`."""

    def __init__(self, upstream: str, *, start_seconds: float = 15.0) -> None:
        self._upstream = upstream.rstrip("/")
        self._lock = threading.Lock()
        self._seen: list[Seen] = []
        self._in_flight = 0
        self._server: Server = serve(
            self._app(), ready=_READY, start_seconds=start_seconds, grace_seconds=0.0,
            label=f"the witness of {upstream}",
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop listening; what was seen stays."""
        self._server.close()

    @property
    def url(self) -> str:
        """Its own origin, which stands for the server's."""
        return self._server.url

    @property
    def upstream(self) -> str:
        """The origin of the server behind it."""
        return self._upstream

    @property
    def seen(self) -> list[Seen]:
        """Every request so far, in the order of arrival."""
        with self._lock:
            return list(self._seen)

    @property
    def in_flight(self) -> int:
        """How many requests wait for an answer or its body; streams of events do not count."""
        with self._lock:
            return self._in_flight

    def errors(self) -> str:
        """Tracebacks of the witness itself; empty when it worked."""
        return self._server.output()

    # -- on the server's thread -----------------------------------------------------------

    def _app(self) -> web.Application:
        app = web.Application(client_max_size=0)
        session: dict[str, aiohttp.ClientSession] = {}

        async def client(_: web.Application) -> AsyncIterator[None]:
            async with aiohttp.ClientSession(
                auto_decompress=False,
                cookie_jar=aiohttp.DummyCookieJar(),
                connector=aiohttp.TCPConnector(limit=0),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=10),
                skip_auto_headers=("User-Agent", "Accept", "Accept-Encoding", "Content-Type"),
            ) as made:
                session["client"] = made
                yield

        async def relay(request: web.Request) -> web.StreamResponse:
            if request.path == _READY:
                return web.Response(text="ready")
            if request.headers.get("Upgrade", "").lower() == "websocket":
                return await self._relay_socket(request, session["client"])
            return await self._relay(request, session["client"])

        app.cleanup_ctx.append(client)
        app.router.add_route("*", "/{any:.*}", relay)
        return app

    def _note(self, request: web.Request, body: bytes) -> int:
        with self._lock:
            number = len(self._seen)
            self._seen.append(
                Seen(
                    number=number,
                    method=request.method,
                    target=request.raw_path,
                    destination=request.headers.get("Sec-Fetch-Dest", ""),
                    body=body[:_KEPT_BODY_BYTES],
                )
            )
        return number

    def _update(self, number: int, *, status: int, sha256: str | None = None) -> None:
        with self._lock:
            old = self._seen[number]
            self._seen[number] = Seen(
                number=number, method=old.method, target=old.target,
                destination=old.destination, body=old.body, status=status, sha256=sha256,
            )  # fmt: skip

    def _count(self, change: int) -> None:
        with self._lock:
            self._in_flight += change

    async def _relay(
        self, request: web.Request, client: aiohttp.ClientSession
    ) -> web.StreamResponse:
        body = await request.read()
        number = self._note(request, body)
        self._count(+1)
        counted = True
        try:
            async with client.request(
                request.method,
                URL(self._upstream + request.raw_path, encoded=True),
                headers=self._forwarded(request.headers),
                data=body or None,
                allow_redirects=False,
            ) as answer:
                self._update(number, status=answer.status)
                response = web.StreamResponse(status=answer.status, reason=answer.reason)
                response.headers.extend(self._returned(answer.headers, answer.status))
                await response.prepare(request)
                if answer.content_type == "text/event-stream":
                    self._count(-1)
                    counted = False
                digest = _Digest(answer.headers.get("Content-Encoding", ""))
                async for chunk in answer.content.iter_any():
                    digest.add(chunk)
                    await response.write(chunk)
                await response.write_eof()
                self._update(number, status=answer.status, sha256=digest.hex())
                return response
        except aiohttp.ClientError as problem:
            return web.Response(status=502, text=f"no answer from {self._upstream}: {problem}")
        finally:
            if counted:
                self._count(-1)

    async def _relay_socket(
        self, request: web.Request, client: aiohttp.ClientSession
    ) -> web.StreamResponse:
        number = self._note(request, b"")
        offered = request.headers.get("Sec-WebSocket-Protocol", "")
        protocols = tuple(word.strip() for word in offered.split(",") if word.strip())
        headers = {
            name: value
            for name, value in self._forwarded(request.headers).items()
            if not name.lower().startswith("sec-websocket")
        }
        try:
            upstream = await client.ws_connect(
                URL(self._upstream + request.raw_path, encoded=True),
                headers=headers,
                protocols=protocols,
                max_msg_size=_MESSAGE_BYTES,
            )
        except aiohttp.WSServerHandshakeError as refused:
            self._update(number, status=refused.status)
            return web.Response(status=refused.status)
        except aiohttp.ClientError as problem:
            return web.Response(status=502, text=f"no answer from {self._upstream}: {problem}")
        self._update(number, status=101)
        async with upstream:
            chosen = (upstream.protocol,) if upstream.protocol else ()
            downstream = web.WebSocketResponse(protocols=chosen, max_msg_size=_MESSAGE_BYTES)
            await downstream.prepare(request)
            await _pump_both(downstream, upstream)
            return downstream

    def _forwarded(self, headers: CIMultiDictProxy[str]) -> CIMultiDict[str]:
        kept = _without_hop_by_hop(headers)
        kept.popall("Content-Length", None)
        if "Accept-Encoding" in kept:
            # Codings that the standard library can undo, to compare what has passed.
            kept["Accept-Encoding"] = "gzip, deflate"
        return kept

    def _returned(self, headers: Mapping[str, str], status: int) -> CIMultiDict[str]:
        kept = _without_hop_by_hop(headers)
        location = kept.get("Location", "")
        if location.startswith(self._upstream + "/") or location == self._upstream:
            kept["Location"] = self.url + location[len(self._upstream) :]
        if status in (204, 304):
            kept.popall("Content-Length", None)
        return kept


async def _pump_both(
    downstream: web.WebSocketResponse, upstream: "aiohttp.ClientWebSocketResponse"
) -> None:
    """Pass messages on in both directions until either side closes."""
    import asyncio

    async def pump(
        source: "web.WebSocketResponse | aiohttp.ClientWebSocketResponse",
        target: "web.WebSocketResponse | aiohttp.ClientWebSocketResponse",
    ) -> None:
        async for message in source:
            if message.type is aiohttp.WSMsgType.TEXT:
                await target.send_str(message.data)
            elif message.type is aiohttp.WSMsgType.BINARY:
                await target.send_bytes(message.data)

    pumps = [
        asyncio.ensure_future(pump(downstream, upstream)),
        asyncio.ensure_future(pump(upstream, downstream)),
    ]
    await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
    for one in pumps:
        one.cancel()
    await asyncio.gather(*pumps, return_exceptions=True)
    await downstream.close()


def _without_hop_by_hop(headers: Mapping[str, str]) -> CIMultiDict[str]:
    dropped = _HOP_BY_HOP | {
        word.strip().lower() for word in headers.get("Connection", "").split(",") if word.strip()
    }
    return CIMultiDict(
        (name, value) for name, value in headers.items() if name.lower() not in dropped
    )


class _Digest:
    """The hash of a body with its content coding undone."""

    def __init__(self, coding: str) -> None:
        self._sum = hashlib.sha256()
        self._left = _HASHED_BYTES
        match coding.strip().lower():
            case "" | "identity":
                self._decoder = None
            case "gzip" | "x-gzip" | "deflate":
                self._decoder = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
            case _:
                self._left = -1

    def add(self, chunk: bytes) -> None:
        if self._left < 0:
            return
        try:
            data = chunk if self._decoder is None else self._decoder.decompress(chunk)
        except zlib.error:
            self._left = -1
            return
        self._left -= len(data)
        self._sum.update(data)

    def hex(self) -> str | None:
        return None if self._left < 0 else self._sum.hexdigest()
