"""What the fake servers do once they run; `fake_servers` says what each one promises."""

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from typing import NoReturn

LIFETIME_SECONDS = 300
BODY = "the fake server answers\n"
WRONG_NONCE = "somebody-elses-nonce"
_REQUEST_LIMIT_BYTES = 1 << 16


def ok_server(start_line: str = "1") -> NoReturn:
    listener = _listener()
    if start_line == "1":
        _say_where(listener)
    _serve(listener)


def ignores_sigterm() -> NoReturn:
    for polite in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(polite, signal.SIG_IGN)
    ok_server()


def forks_and_exits() -> NoReturn:
    listener = _listener()
    _in_a_new_session(lambda: _serve(listener))
    _say_where(listener)
    raise SystemExit(0)


def dies_at_once(code: str, words: str) -> NoReturn:
    sys.stderr.write(f"{words}\n")
    raise SystemExit(int(code))


def never_ready() -> NoReturn:
    _hang()


def prints_port_then_closes_it() -> NoReturn:
    listener = _listener()
    address = listener.getsockname()
    _say_where(listener)
    listener.close()
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(address)
        _say("closed")
        _hang()


def grandchild_holds_port() -> NoReturn:
    listener = _listener()
    middle = os.fork()
    if middle == 0:
        _in_a_new_session(lambda: _serve(listener))
        os._exit(0)
    os.waitpid(middle, 0)
    _say_where(listener)
    listener.close()
    _hang()


def floods_output(mebibytes: str) -> NoReturn:
    lines_per_mebibyte = (1 << 20) // 64
    for _ in range(int(mebibytes)):
        sys.stdout.write(("flood " * 10 + "fff\n") * lines_per_mebibyte)
    ok_server()


def answers_wrong_nonce() -> NoReturn:
    os.environ["HARNESS_NONCE"] = WRONG_NONCE
    ok_server()


def listens_on_inherited_fd() -> NoReturn:
    listener = socket.socket(fileno=int(os.environ["HARNESS_LISTEN_FD"]))
    listener.listen()
    _say_where(listener)
    _serve(listener)


def _in_a_new_session(serve: Callable[[], NoReturn]) -> None:
    """Fork a child that leaves the session and serves; returns once it has left."""
    left, leaving = os.pipe()
    if os.fork() == 0:
        os.setsid()
        signal.alarm(LIFETIME_SECONDS)  # a fork does not inherit it
        os.close(leaving)
        serve()
    os.close(leaving)
    os.read(left, 1)


def _listener() -> socket.socket:
    return socket.create_server(("127.0.0.1", 0))


def _say_where(listener: socket.socket) -> None:
    _say(f"serving on http://127.0.0.1:{listener.getsockname()[1]}/")


def _say(words: str) -> None:
    print(words, flush=True)


def _serve(listener: socket.socket) -> NoReturn:
    while True:
        connection, _ = listener.accept()
        # A thread each: a connection that sends nothing must not keep the others waiting.
        threading.Thread(target=_answer, args=(connection,), daemon=True).start()


def _answer(connection: socket.socket) -> None:
    request = b""
    with connection:
        try:
            while b"\r\n\r\n" not in request and len(request) < _REQUEST_LIMIT_BYTES:
                data = connection.recv(4096)
                if not data:
                    return
                request += data
            connection.sendall(_response(request.partition(b" ")[0]))
        except ConnectionError:
            return


def _response(method: bytes) -> bytes:
    status = "200 OK" if method == b"GET" else "405 Method Not Allowed"
    head = [
        f"HTTP/1.1 {status}",
        "Content-Type: text/plain; charset=utf-8",
        f"Content-Length: {len(BODY.encode())}",
        "Connection: close",
    ]
    if "HARNESS_NONCE" in os.environ:
        head.append(f"X-Harness-Nonce: {os.environ['HARNESS_NONCE']}")
    return "\r\n".join([*head, "", BODY]).encode()


def _hang() -> NoReturn:
    while True:
        signal.pause()


def main(behaviour: str, *arguments: str) -> NoReturn:
    """Behave as `behaviour` says, for at most LIFETIME_SECONDS."""
    signal.alarm(LIFETIME_SECONDS)
    behaviours: dict[str, Callable[..., NoReturn]] = {
        each.__name__: each
        for each in (
            ok_server,
            ignores_sigterm,
            forks_and_exits,
            dies_at_once,
            never_ready,
            prints_port_then_closes_it,
            grandchild_holds_port,
            floods_output,
            answers_wrong_nonce,
            listens_on_inherited_fd,
        )
    }
    behaviours[behaviour](*arguments)


if __name__ == "__main__":
    main(*sys.argv[1:])
