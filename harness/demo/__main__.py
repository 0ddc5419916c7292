"""`python -m harness.demo`: serve the demo on loopback until SIGTERM or SIGINT.

Standard output is exactly one line, written once connections are accepted and both signals
are handled. The exit code is 0 after either signal, 2 for bad usage, 5 when the port is taken.
"""

import argparse
import os
import socket
import sys
from collections.abc import Mapping
from pathlib import Path

from aiohttp import web

from harness.demo.app import create_app
from harness.errors import HarnessError, PreconditionError, UsageError

LISTEN_FD_VARIABLE = "HARNESS_LISTEN_FD"
NONCE_VARIABLE = "HARNESS_NONCE"

# Open connections get this long to finish; then they are closed.
_SHUTDOWN_SECONDS = 2.0


def main(arguments: list[str] | None = None) -> int:
    """Serve until told to stop; return the exit code."""
    options = _parser().parse_args(arguments)
    try:
        # The application first: a refused root must not leave a port that looks alive.
        app = create_app(options.root, nonce=os.environ.get(NONCE_VARIABLE) or None)
        with listening_socket(options.port, os.environ) as listener:
            web.run_app(
                app,
                sock=listener,
                access_log=None,
                shutdown_timeout=_SHUTDOWN_SECONDS,
                print=lambda _: print(start_line(listener), flush=True),
            )
    except HarnessError as problem:
        print(f"harness.demo: {problem}", file=sys.stderr)
        return problem.exit_code
    return 0


def listening_socket(port: int, environment: Mapping[str, str]) -> socket.socket:
    """Return the socket inherited as HARNESS_LISTEN_FD, else a new one on 127.0.0.1:`port`.

    Raises UsageError when the variable names no listening TCP socket, and PreconditionError
    when the port cannot be bound.
    """
    if inherited := environment.get(LISTEN_FD_VARIABLE):
        return _adopted(inherited)
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as problem:
        raise PreconditionError(
            f"port {port} cannot be bound: {problem.strerror}; use --port 0 for a free one"
        ) from problem


def start_line(listener: socket.socket) -> str:
    """Return the line that says where the demo is served."""
    host, port = listener.getsockname()[:2]
    return f"harness.demo: serving on http://{f'[{host}]' if ':' in host else host}:{port}/"


def _adopted(descriptor: str) -> socket.socket:
    problem = f"{LISTEN_FD_VARIABLE}={descriptor} is not a listening TCP socket"
    try:
        listener = socket.socket(fileno=int(descriptor))
    except (ValueError, OSError) as reason:
        raise UsageError(f"{problem}: {reason}") from reason
    if listener.family not in (socket.AF_INET, socket.AF_INET6) or not listener.getsockopt(
        socket.SOL_SOCKET, socket.SO_ACCEPTCONN
    ):
        listener.close()
        raise UsageError(f"{problem}: pass one that is bound and listens")
    listener.set_inheritable(False)
    return listener


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"{port} is not between 0 and 65535")
    return port


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m harness.demo", description="Serve the demo application on loopback."
    )
    parser.add_argument("--port", type=_port, default=0, help="port, 0 for a free one (default)")
    parser.add_argument("--root", type=Path, help="workspace folder (default: a fresh one)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
