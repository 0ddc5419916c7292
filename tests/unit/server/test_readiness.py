"""An answer is read from its head alone; what is no answer says why."""

import socket
import threading
import time
from collections.abc import Callable

import pytest

from harness.errors import StartError, UsageError
from harness.server.readiness import (
    Answer,
    NoAnswer,
    Stranger,
    ask,
    await_answer,
    check_path,
    parse_answer,
)

pytestmark = pytest.mark.unit


def nothing(*_: object) -> None:
    """Stand in for `alive`, `pause` and `judge` of a server that is well."""


@pytest.mark.parametrize(
    ("head", "answer"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\n", Answer(status=200, nonces=())),
        (b"HTTP/1.0 404\n\n", Answer(status=404, nonces=())),
        (b"HTTP/1.1 200 OK\r\nx-harness-nonce: n\r\n\r\n", Answer(status=200, nonces=("n",))),
        (
            b"HTTP/1.1 103 Early\r\nA: b\r\n\r\nHTTP/1.1 302 Found\r\n\r\n",
            Answer(status=302, nonces=()),
        ),
        (b"HTTP/1.1 100 Continue\r\n\r\n", None),
        (b"HTTP/1.1 200 OK\r\nA: b\r\n", None),
        (b"", None),
    ],
)
def test_the_final_head_is_the_answer(head: bytes, answer: Answer | None) -> None:
    assert parse_answer(head) == answer


@pytest.mark.parametrize("head", [b"SSH-2.0\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n", b"\r\n\r\n"])
def test_other_protocols_are_no_answer(head: bytes) -> None:
    with pytest.raises(NoAnswer, match="the answer is no HTTP"):
        parse_answer(head)


@pytest.mark.parametrize("path", ["health", "", "/a b", "/\r\nX: y", "/\u00fc"])
def test_a_path_that_cannot_be_sent_is_refused(path: str) -> None:
    with pytest.raises(UsageError, match="is no path"):
        check_path(path)


def test_a_closed_port_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(NoAnswer, match=f"nothing listens on port {port}"):
        ask(port, "/", time.monotonic() + 5, nothing)


def test_a_server_that_accepts_and_is_silent_is_given_up_at_the_bound() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        began = time.monotonic()
        with pytest.raises(NoAnswer, match="gave no answer"):
            ask(listener.getsockname()[1], "/", began + 0.3, nothing)
        assert 0.25 < time.monotonic() - began < 5


def test_a_death_is_noticed_while_an_answer_is_awaited() -> None:
    def dead() -> None:
        raise StartError("it exited with 3")

    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        pytest.raises(StartError, match="it exited with 3"),
    ):
        ask(listener.getsockname()[1], "/", time.monotonic() + 60, dead)


def answering(*heads: bytes) -> tuple[int, Callable[[], None]]:
    """Answer one connection after the other with these bytes; return the port and the end."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with listener:
            for head in heads:
                connection, _ = listener.accept()
                with connection:
                    connection.recv(65536)
                    connection.sendall(head)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    return listener.getsockname()[1], thread.join


def wait_for_answer(port: int, seconds: float, judge: Callable[[Answer], None] = nothing) -> None:
    await_answer(
        port=port,
        path="/",
        until=time.monotonic() + seconds,
        alive=nothing,
        pause=nothing,
        judge=judge,
    )


def test_a_busy_server_is_asked_again() -> None:
    port, end = answering(
        b"HTTP/1.1 503 Busy\r\n\r\n", b"nonsense\r\n\r\n", b"HTTP/1.1 404 No\r\n\r\n"
    )
    wait_for_answer(port, 20)
    end()


def test_the_last_problem_is_told_at_the_bound() -> None:
    port, end = answering(b"HTTP/1.1 503 Busy\r\n\r\n")
    with pytest.raises(StartError, match="it answered GET / with status 503"):
        wait_for_answer(port, 0.001)
    end()


def test_a_stranger_is_final() -> None:
    def judge(_: Answer) -> None:
        raise Stranger("another server answers")

    port, end = answering(b"HTTP/1.1 503 Busy\r\n\r\n")
    with pytest.raises(StartError, match="another server answers"):
        wait_for_answer(port, 20, judge)
    end()
