"""An application or a folder is served on a thread of this process, which ends in bounded time."""

import asyncio
import importlib.util
import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from harness.errors import PreconditionError, StartError, UsageError
from harness.server.serving import serve
from tests.lib import witness
from tests.lib.events import wait_until
from tests.lib.http import fetch

needs_uvicorn = pytest.mark.skipif(
    importlib.util.find_spec("uvicorn") is None, reason="uvicorn is an extra"
)


@pytest.fixture(autouse=True)
def threads_end() -> Iterator[None]:
    """Fail a test that leaves a serving thread behind, but for one that a handler blocks."""
    yield
    left = [each.name for each in threading.enumerate() if each.name.startswith("harness server")]
    assert left == []


def wsgi(environ: Any, start_response: Any) -> list[bytes]:
    if environ["PATH_INFO"] == "/broken":
        raise LookupError("no such page")
    size = int(environ.get("CONTENT_LENGTH") or 0)
    body = environ["wsgi.input"].read(size) if environ["PATH_INFO"] == "/read" else b"-"
    start_response("200 OK", [("X-Harness-Nonce", "its own"), ("X-Query", environ["QUERY_STRING"])])
    return [b"wsgi ", body]


def aiohttp_app() -> web.Application:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(text="aiohttp")

    async def broken(_: web.Request) -> web.Response:
        raise LookupError("no such page")

    app = web.Application()
    app.router.add_get("/", answer)
    app.router.add_get("/broken", broken)
    return app


async def asgi(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})
        return
    if scope["path"] == "/broken":
        raise LookupError("no such page")
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"asgi"})


@pytest.mark.parametrize(
    ("app", "body"),
    [
        (aiohttp_app(), b"aiohttp"),
        (aiohttp_app, b"aiohttp"),
        (wsgi, b"wsgi -"),
        (lambda: wsgi, b"wsgi -"),
        pytest.param(asgi, b"asgi", marks=needs_uvicorn),
    ],
    ids=["aiohttp", "aiohttp factory", "WSGI", "WSGI factory", "ASGI"],
)
def test_an_application_is_served_on_a_port_of_its_own(app: Any, body: bytes) -> None:
    with serve(app) as server:
        reply = fetch(server.port)
        assert (reply.status, reply.body) == (200, body)
        assert reply.headers["x-harness-nonce"] == server.nonce
        assert (server.pid, server.processes(), server.died()) == (None, [], None)
    assert not witness.is_listening(server.port)
    assert server.close() is None


@pytest.mark.parametrize(
    "app",
    [aiohttp_app, wsgi, pytest.param(asgi, marks=needs_uvicorn)],
    ids=["aiohttp", "WSGI", "ASGI"],
)
def test_a_handler_that_fails_is_told_and_its_answer_carries_the_nonce(app: Any) -> None:
    with serve(app) as server:
        reply = fetch(server.port, "/broken")
        assert (reply.status, reply.headers["x-harness-nonce"]) == (500, server.nonce)
        wait_until(lambda: "LookupError: no such page" in server.output(), 20, "the traceback")
        assert fetch(server.port).status == 200


def test_a_wsgi_application_reads_its_request() -> None:
    with serve(wsgi) as server:
        assert fetch(server.port, "/read", method="POST", body=b"x" * 100_000).body[-3:] == b"xxx"
        reply = fetch(server.port, "/ignored?a=b", method="POST", body=b"x" * 1_000_000)
        assert (reply.body, reply.headers["x-query"]) == (b"wsgi -", "a=b")


def test_idle_connections_hold_up_no_request_and_no_end() -> None:
    for app in (wsgi, aiohttp_app):
        with serve(app, grace_seconds=60) as server:
            idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(4)]
            assert fetch(server.port).status == 200
            began = time.monotonic()
            server.close()
            assert time.monotonic() - began < 30
            for each in idle:
                each.close()


def hang_in_the_background(port: int) -> threading.Thread:
    """Send a request that is not answered, and wait for its end without caring how it ends."""

    def ask() -> None:
        with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
            connection.sendall(b"GET /hang HTTP/1.1\r\nHost: a\r\n\r\n")
            try:
                connection.recv(1)
            except ConnectionError:
                return

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    return thread


def test_a_handler_that_waits_for_ever_is_cancelled() -> None:
    entered, cancelled = threading.Event(), threading.Event()

    async def hang(_: web.Request) -> web.Response:
        entered.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        raise AssertionError

    app = web.Application()
    app.router.add_get("/hang", hang)
    with serve(app, grace_seconds=0.2) as server:
        client = hang_in_the_background(server.port)
        assert entered.wait(20)
        began = time.monotonic()
        server.close()
        assert time.monotonic() - began < 10
    assert cancelled.is_set()
    client.join(20)
    assert not client.is_alive()
    assert not witness.is_listening(server.port)


@needs_uvicorn
def test_an_asgi_handler_that_waits_for_ever_is_cancelled() -> None:
    entered = threading.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            raise RuntimeError("no lifespan here")
        if scope["path"] == "/hang":
            entered.set()
            await asyncio.Event().wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    with serve(app, grace_seconds=0.2) as server:
        client = hang_in_the_background(server.port)
        assert entered.wait(20)
        server.close()
    client.join(20)
    assert not client.is_alive()
    assert not witness.is_listening(server.port)


def test_a_wsgi_handler_that_blocks_is_cut_off() -> None:
    entered, release = threading.Event(), threading.Event()

    def app(environ: Any, start_response: Any) -> list[bytes]:
        if environ["PATH_INFO"] == "/hang":
            entered.set()
            release.wait(60)
        start_response("200 OK", [])
        return [b""]

    with serve(app, grace_seconds=0.2) as server:
        client = hang_in_the_background(server.port)
        assert entered.wait(20)
        began = time.monotonic()
        server.close()
        assert time.monotonic() - began < 10
    client.join(20)
    assert not client.is_alive()
    assert not witness.is_listening(server.port)
    assert "1 requests were still being handled" in server.output()
    release.set()


def test_a_handler_that_blocks_the_loop_is_named_and_the_port_is_free() -> None:
    entered, release = threading.Event(), threading.Event()

    async def block(_: web.Request) -> web.Response:
        entered.set()
        release.wait(60)
        return web.Response()

    app = web.Application()
    app.router.add_get("/hang", block)
    server = serve(app, grace_seconds=0.1)
    client = hang_in_the_background(server.port)
    assert entered.wait(20)
    began = time.monotonic()
    server.close()
    assert time.monotonic() - began < 10
    assert not witness.is_listening(server.port)
    assert "release.wait(60)" in server.output()
    release.set()
    client.join(20)
    wait_until(
        lambda: not any(each.name.startswith("harness server") for each in threading.enumerate()),
        20,
        "the thread to end by itself",
    )


def test_an_application_that_does_not_start_is_quoted_at_once() -> None:
    async def refuse(_: web.Application) -> None:
        raise LookupError("no settings")

    app = web.Application()
    app.on_startup.append(refuse)
    with pytest.raises(StartError) as failed:
        serve(app, start_seconds=300)
    assert "it ended (LookupError: no settings) before it was ready" in str(failed.value)


@needs_uvicorn
def test_a_lifespan_that_does_not_start_is_quoted() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "lifespan.startup.failed", "message": "no settings"})

    with pytest.raises(StartError, match="no settings"):
        serve(app, start_seconds=300)


def test_an_application_that_never_gets_ready_is_given_up_at_its_bound() -> None:
    async def dawdle(_: web.Application) -> None:
        await asyncio.Event().wait()

    app = web.Application()
    app.on_startup.append(dawdle)
    began = time.monotonic()
    with pytest.raises(StartError, match="gave no answer"):
        serve(app, start_seconds=0.3, grace_seconds=0.1)
    assert time.monotonic() - began < 20


def test_without_uvicorn_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "uvicorn", None)
    with pytest.raises(PreconditionError, match=r"pip install 'lanewright\[asgi\]'"):
        serve(asgi)


@pytest.mark.parametrize(
    "options",
    [
        {"environment": {"A": "1"}},
        {"directory": "/"},
        {"inherit_socket": True},
        {"start_line": "(?P<port>1)"},
    ],
    ids=str,
)
def test_options_of_a_process_are_refused(options: dict) -> None:
    with pytest.raises(UsageError, match="it runs on a thread of this process"):
        serve(wsgi, **options)


def test_a_forked_child_neither_ends_it_nor_keeps_its_port() -> None:
    read, write = os.pipe()
    forked_read, forked_write = os.pipe()
    with serve(wsgi) as server:
        child = os.fork()
        if child == 0:
            os.close(write)
            server.close()
            os.write(forked_write, b"!")
            os.read(read, 1)
            os._exit(0)
        os.close(read)
        assert os.read(forked_read, 1) == b"!"
        assert fetch(server.port).status == 200
    assert not witness.is_listening(server.port)
    for number in (write, forked_read, forked_write):
        os.close(number)
    assert os.waitpid(child, 0)[1] == 0


# -- a folder -------------------------------------------------------------------------------


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "secret.txt").write_text("secret")
    site = tmp_path / "site"
    (site / "sub dir").mkdir(parents=True)
    (site / "empty").mkdir()
    (site / "index.html").write_text("<p>home")
    (site / "app.mjs").write_text("export {}")
    (site / "app.mjs.gz").write_bytes(b"stale")
    (site / "sub dir" / "index.html").write_text("<p>sub")
    (site / "link.txt").symlink_to(tmp_path / "secret.txt")
    return site


def test_a_folder_serves_its_files_as_they_are_now(site: Path) -> None:
    with serve(site) as server:
        home = fetch(server.port)
        assert (home.status, home.body) == (200, b"<p>home")
        assert home.headers["content-type"] == "text/html; charset=utf-8"
        assert home.headers["cache-control"] == "no-store"
        assert home.headers["x-harness-nonce"] == server.nonce
        module = fetch(server.port, "/app.mjs")
        assert (module.body, module.headers["content-type"]) == (
            b"export {}",
            "text/javascript; charset=utf-8",
        )
        (site / "index.html").write_text("<p>new")
        assert fetch(server.port).body == b"<p>new"
        assert fetch(server.port, "/", method="HEAD").body == b""
        assert fetch(server.port, "/", method="POST").status == 405


def test_a_folder_inside_is_its_index_under_a_slash(site: Path) -> None:
    with serve(site) as server:
        assert fetch(server.port, "/sub%20dir/").body == b"<p>sub"
        moved = fetch(server.port, "/sub%20dir?a=b")
        assert (moved.status, moved.headers["location"]) == (301, "/sub%20dir/?a=b")
        assert fetch(server.port, "/empty/").status == 404
        assert fetch(server.port, "/index.html/").status == 404


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/%2e%2e%2fsecret.txt",
        "/sub%20dir/../../secret.txt",
        "/..%5csecret.txt",
        "//etc/passwd",
        "/%00",
        "/link.txt",
    ],
)
def test_no_path_leaves_the_folder(site: Path, path: str) -> None:
    with serve(site) as server:
        reply = fetch(server.port, path)
        assert reply.status == 404
        assert b"secret" not in reply.body
        assert reply.headers["x-harness-nonce"] == server.nonce


def test_a_folder_without_an_index_is_ready_all_the_same(tmp_path: Path) -> None:
    with serve(tmp_path) as server:
        assert fetch(server.port).status == 404
