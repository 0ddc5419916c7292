"""Ready means an answer: one bounded GET, and whose answer it is."""

import io
import select
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException, parse_headers

from harness.errors import StartError, UsageError
from harness.server.ports import LOOPBACK

NONCE_HEADER = "X-Harness-Nonce"
_HEAD_LIMIT_BYTES = 64 * 1024
_LOOK_UP_SECONDS = 0.2
_FIRST_PAUSE_SECONDS = 0.005
_LONGEST_PAUSE_SECONDS = 0.1
_SERVER_FAULT = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The head of a response; `nonces` are the values of X-Harness-Nonce, normally one."""

    status: int
    nonces: tuple[str, ...]


class NoAnswer(Exception):
    """There is no answer yet; the message says why. Another try may have one."""


class Stranger(Exception):
    """The answer is somebody else's for certain; no other try will change that."""


def check_path(ready: str) -> str:
    """Return a readiness path that can be sent; UsageError for one that cannot."""
    if not ready.startswith("/") or not ready.isascii() or not ready.isprintable() or " " in ready:
        raise UsageError(f'ready={ready!r} is no path: write one like "/" or "/health?full=1"')
    return ready


def ask(port: int, path: str, until: float, alive: Callable[[], None]) -> Answer:
    """Return the head of the answer to one GET; no redirect is followed.

    `alive` is called now and then and may raise. Raises NoAnswer when there is none before
    `until` (monotonic) or when the answer is no HTTP.
    """
    request = (
        f"GET {path} HTTP/1.1\r\nHost: {LOOPBACK}:{port}\r\nAccept: */*\r\n"
        "Accept-Encoding: identity\r\nUser-Agent: lanewright\r\nConnection: close\r\n\r\n"
    )
    try:
        with socket.create_connection((LOOPBACK, port), timeout=_left(until)) as connection:
            connection.sendall(request.encode("ascii"))
            return _read_answer(connection, until, alive)
    except ConnectionRefusedError as error:
        raise NoAnswer(f"nothing listens on port {port}") from error
    except TimeoutError as error:
        raise NoAnswer(f"port {port} accepted a connection and gave no answer") from error
    except OSError as error:
        raise NoAnswer(f"port {port}: {error.strerror or error}") from error


def parse_answer(head: bytes) -> Answer | None:
    """Return the final answer in `head`, None while it is incomplete.

    Interim answers (1xx, RFC 9110 section 15.2) are passed over, bare line feeds are taken
    (RFC 9112 section 2.2). Raises NoAnswer for bytes that are no HTTP.
    """
    rest = head.replace(b"\r\n", b"\n")
    while b"\n\n" in rest:
        block, _, rest = rest.partition(b"\n\n")
        line, _, fields = block.partition(b"\n")
        words = line.split(b" ", 2)
        if not line.startswith(b"HTTP/") or len(words) < 2 or not words[1].isdigit():
            raise NoAnswer(f"the answer is no HTTP: {line[:80]!r}")
        status = int(words[1])
        if 100 <= status < 200 and status != 101:
            continue
        try:
            headers = parse_headers(io.BytesIO(fields + b"\n\n"))
        except HTTPException as error:
            raise NoAnswer(f"the answer's headers cannot be read: {error}") from error
        return Answer(status=status, nonces=tuple(headers.get_all(NONCE_HEADER, ())))
    return None


def await_answer(
    *,
    port: int,
    path: str,
    until: float,
    alive: Callable[[], None],
    pause: Callable[[float], None],
    judge: Callable[[Answer], None],
) -> None:
    """Ask until there is an answer of `judge`'s liking with a status below 500.

    `judge` raises NoAnswer to ask again and Stranger to give up; `alive` raises whatever says
    that no answer will come; `pause` waits for so many seconds, or less when something
    happens. Raises StartError with the last problem at `until` (monotonic), or a stranger's.
    """
    seconds = _FIRST_PAUSE_SECONDS
    while True:
        alive()
        try:
            answer = ask(port, path, until, alive)
            judge(answer)
            if answer.status < _SERVER_FAULT:
                return
            problem = f"it answered GET {path} with status {answer.status}"
        except NoAnswer as nothing:
            problem = str(nothing)
        except Stranger as stranger:
            raise StartError(str(stranger)) from None
        if time.monotonic() + seconds >= until:
            raise StartError(problem)
        pause(seconds)
        seconds = min(seconds * 2, _LONGEST_PAUSE_SECONDS)


def _read_answer(connection: socket.socket, until: float, alive: Callable[[], None]) -> Answer:
    head = b""
    poller = select.poll()
    poller.register(connection, select.POLLIN)
    while True:
        left = _left(until)
        if not poller.poll(min(left, _LOOK_UP_SECONDS) * 1000):
            if left <= _LOOK_UP_SECONDS:
                raise TimeoutError
            alive()
            continue
        data = connection.recv(8192)
        head += data
        if (answer := parse_answer(head)) is not None:
            return answer
        if not data:
            raise NoAnswer("the connection was closed before there was an answer")
        if len(head) > _HEAD_LIMIT_BYTES:
            raise NoAnswer(f"the answer's head is longer than {_HEAD_LIMIT_BYTES} bytes")
        if time.monotonic() >= until:
            raise TimeoutError


def _left(until: float) -> float:
    return max(0.001, until - time.monotonic())
