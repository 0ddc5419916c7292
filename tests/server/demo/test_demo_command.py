"""`python -m harness.demo` says where it serves, serves there, and ends when told to."""

import os
import re
import select
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPResponse
from pathlib import Path

import pytest

pytestmark = pytest.mark.server

START_LINE = re.compile(r"harness\.demo: serving on http://127\.0\.0\.1:(\d+)/\n")
BOUND_SECONDS = 20


@contextmanager
def demo(
    *arguments: str, pass_fds: tuple[int, ...] = (), environment: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """Run the command; whatever happens, it is gone afterwards, and so is its workspace."""
    child = subprocess.Popen(
        [sys.executable, "-m", "harness.demo", *arguments],
        env={**os.environ, **(environment or {})},
        pass_fds=pass_fds,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield child
    finally:
        # Politely first: only a command that ends by itself removes its own workspace.
        child.terminate()
        try:
            child.communicate(timeout=BOUND_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            raise


def port_of(child: subprocess.Popen[str]) -> int:
    """Return the port of the start line; quote what the command said when there is none."""
    assert child.stdout
    readable, _, _ = select.select([child.stdout], [], [], BOUND_SECONDS)
    assert readable, "no start line within the bound"
    line = child.stdout.readline()
    found = START_LINE.fullmatch(line)
    assert found, line or child.communicate()[1]
    return int(found[1])


def get(port: int, path: str = "/api/root") -> HTTPResponse:
    answer: HTTPResponse = urllib.request.urlopen(
        f"http://127.0.0.1:{port}{path}", timeout=BOUND_SECONDS
    )
    return answer


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_it_serves_and_ends_with_0_when_signalled(number: signal.Signals, tmp_path: Path) -> None:
    with demo(environment={"TMPDIR": str(tmp_path)}) as child:
        with get(port_of(child), "/api/files") as answer:
            assert b"welcome.txt" in answer.read()
        assert list(tmp_path.iterdir()) != []
        child.send_signal(number)
        said, complained = child.communicate(timeout=BOUND_SECONDS)
        assert (child.returncode, said, complained) == (0, "", "")
        assert list(tmp_path.iterdir()) == []


def test_it_ends_although_a_client_keeps_its_connection(tmp_path: Path) -> None:
    with (
        demo("--root", str(tmp_path)) as child,
        socket.create_connection(("127.0.0.1", port_of(child))) as client,
    ):
        client.sendall(b"GET /api/root HTTP/1.1\r\nHost: demo\r\n\r\n")
        assert client.recv(15) == b"HTTP/1.1 200 OK"
        child.send_signal(signal.SIGTERM)
        assert child.wait(timeout=BOUND_SECONDS) == 0


def test_it_serves_the_named_root(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_bytes(b"1")
    with demo("--root", str(tmp_path)) as child, get(port_of(child), "/api/files") as answer:
        assert answer.read() == b'{"files": [{"name": "mine.txt", "size_bytes": 1}]}'


def test_it_serves_on_an_inherited_socket() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port, descriptor = listener.getsockname()[1], listener.fileno()
        with demo(
            pass_fds=(descriptor,), environment={"HARNESS_LISTEN_FD": str(descriptor)}
        ) as child:
            assert port_of(child) == port
            with get(port) as answer:
                assert answer.status == 200


def test_it_echoes_the_nonce_of_its_environment() -> None:
    with demo(environment={"HARNESS_NONCE": "n-4"}) as child, get(port_of(child)) as answer:
        assert answer.headers["X-Harness-Nonce"] == "n-4"


@pytest.mark.parametrize(
    ("arguments", "environment", "code", "complaint"),
    [
        (["--root", "/absent"], {}, 2, "not a folder: /absent"),
        (["--port", "65536"], {}, 2, "65536 is not between 0 and 65535"),
        ([], {"HARNESS_LISTEN_FD": "word"}, 2, "HARNESS_LISTEN_FD=word is not a listening"),
        ([], {"HARNESS_LISTEN_FD": "999"}, 2, "HARNESS_LISTEN_FD=999 is not a listening"),
        ([], {"HARNESS_LISTEN_FD": "0"}, 2, "HARNESS_LISTEN_FD=0 is not a listening"),
    ],
)
def test_bad_usage_is_refused_before_anything_is_served(
    arguments: list[str], environment: dict[str, str], code: int, complaint: str
) -> None:
    with demo(*arguments, environment=environment) as child:
        said, complained = child.communicate(timeout=BOUND_SECONDS)
    assert (child.returncode, said) == (code, "")
    assert complaint in complained
    assert "Traceback" not in complained


def test_a_taken_port_is_a_precondition() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with demo("--port", str(port)) as child:
            said, complained = child.communicate(timeout=BOUND_SECONDS)
    assert (child.returncode, said) == (5, "")
    assert f"port {port} cannot be bound" in complained
