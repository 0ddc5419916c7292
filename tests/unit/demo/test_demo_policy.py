"""Every response carries the policy, and no path leads out of the static folder."""

import asyncio
from pathlib import Path

import pytest
from aiohttp.test_utils import TestClient, TestServer

from harness.demo import app as demo_app
from harness.demo.app import create_app
from harness.demo.headers import headers_for
from tests.lib.conversation import Ask, answer, run

pytestmark = pytest.mark.unit

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types default"
)


@pytest.mark.parametrize(
    ("method", "path", "status", "caching"),
    [
        ("GET", "/", 200, "no-cache"),
        ("HEAD", "/", 200, "no-cache"),
        ("GET", "/static/main.js", 200, "no-cache"),
        ("GET", "/static/absent.js", 404, "no-cache"),
        ("GET", "/static/", 403, "no-cache"),
        ("GET", "/absent", 404, "no-cache"),
        ("GET", "/api/root", 200, "no-store"),
        ("GET", "/api/files", 200, "no-store"),
        ("GET", "/api/absent", 404, "no-store"),
        ("POST", "/api/turn", 400, "no-store"),
        ("PUT", "/api/turn", 405, "no-store"),
    ],
)
def test_a_response_carries_policy_and_caching(
    method: str, path: str, status: int, caching: str, workspace: Path
) -> None:
    reply = answer(create_app(workspace), Ask(path=path, method=method))
    assert reply.status == status
    assert reply.headers["Content-Security-Policy"] == POLICY
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    assert reply.headers["Cache-Control"] == caching
    assert "X-Harness-Nonce" not in reply.headers


def test_a_body_that_is_too_big_carries_the_policy(workspace: Path) -> None:
    reply = answer(
        create_app(workspace),
        Ask(path="/api/turn", method="POST", body=b" " * 5000, content_type="application/json"),
    )
    assert (reply.status, reply.headers["Content-Security-Policy"]) == (413, POLICY)


def test_an_unexpected_exception_carries_the_policy(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: Path) -> None:
        raise RuntimeError("the disk is on fire")

    monkeypatch.setattr(demo_app, "list_files", broken)
    reply = answer(create_app(workspace), Ask(path="/api/files"))
    assert (reply.status, reply.headers["Content-Security-Policy"]) == (500, POLICY)
    assert b"fire" not in reply.body


def test_a_revalidated_file_carries_the_policy(workspace: Path) -> None:
    async def revalidate() -> tuple[int, str]:
        async with TestClient(TestServer(create_app(workspace))) as client:
            first = await client.get("/static/main.js")
            headers = {"If-None-Match": first.headers["ETag"]}
            second = await client.get("/static/main.js", headers=headers)
            return second.status, second.headers["Content-Security-Policy"]

    assert run(revalidate()) == (304, POLICY)


@pytest.mark.parametrize("path", ["/", "/api/root", "/absent"])
def test_the_nonce_is_echoed_on_every_response(path: str, workspace: Path) -> None:
    reply = answer(create_app(workspace, nonce="n-17"), Ask(path=path))
    assert reply.headers["X-Harness-Nonce"] == "n-17"


def test_only_the_api_forbids_storing() -> None:
    assert headers_for("/api/files", nonce=None)["Cache-Control"] == "no-store"
    assert headers_for("/apiary", nonce=None)["Cache-Control"] == "no-cache"


@pytest.mark.parametrize(
    "target",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e%2fapp.py",
        "/static/%2e%2e%5capp.py",
        "/static/..%252fapp.py",
        "/static//etc/passwd",
        "/static/%2fetc%2fpasswd",
        "/static/main.js/../../app.py",
        "/static/main.js%00",
        "/../app.py",
        "/api/files/../../app.py",
    ],
)
def test_no_path_leads_out_of_the_static_folder(target: str, workspace: Path) -> None:
    async def send() -> bytes:
        # By hand: an HTTP client would tidy the path before it sends it.
        async with TestServer(create_app(workspace)) as server:
            reader, writer = await asyncio.open_connection(server.host, server.port)
            writer.write(f"GET {target} HTTP/1.0\r\nHost: demo\r\n\r\n".encode())
            answer = await reader.read()
            writer.close()
            await writer.wait_closed()
            return answer

    head, _, body = run(send()).partition(b"\r\n\r\n")
    assert head.split()[1] in (b"403", b"404")
    assert f"Content-Security-Policy: {POLICY}".encode() in head
    assert b"create_app" not in body
    assert b"root:" not in body
