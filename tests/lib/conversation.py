"""Ask an aiohttp application over HTTP from a synchronous test."""

import asyncio
import json
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from multidict import CIMultiDictProxy

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One request."""

    path: str
    method: str = "GET"
    body: bytes | None = None
    content_type: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back."""

    status: int
    headers: CIMultiDictProxy[str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """Run `work` to its end on a thread of its own.

    Playwright's synchronous API keeps an event loop running on the main thread, so in a session
    that also has browser tests `asyncio.run` would be refused there.
    """
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(asyncio.run, work).result()


def converse(app: web.Application, *asks: Ask) -> list[Reply]:
    """Start `app` on an ephemeral port, put every question in order, and clean it up."""

    async def conversation() -> list[Reply]:
        async with TestClient(TestServer(app)) as client:
            return [await _reply(client, ask) for ask in asks]

    return run(conversation())


def answer(app: web.Application, ask: Ask) -> Reply:
    """Put one question to a freshly started `app`."""
    [reply] = converse(app, ask)
    return reply


async def _reply(client: TestClient[web.Request, web.Application], ask: Ask) -> Reply:
    headers = {"Content-Type": ask.content_type} if ask.content_type else {}
    async with client.request(ask.method, ask.path, data=ask.body, headers=headers) as response:
        return Reply(status=response.status, headers=response.headers, body=await response.read())
