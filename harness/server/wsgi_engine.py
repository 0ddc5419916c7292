"""Serves a WSGI application: `wsgiref`, one daemon thread per connection.

A browser opens connections that it may never use; a server with a single thread would wait
on one of these while the next request waits on the server.
"""

import contextlib
import io
import os
import select
import socket
import sys
import threading
import traceback
from collections.abc import Iterator
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import ServerHandler, WSGIRequestHandler, WSGIServer

from harness.server.engine import Tell
from harness.server.readiness import NONCE_HEADER

_REQUEST_LINE_BYTES = 65536
_LINGER_SECONDS = 1.0
_LINGER_BYTES = 1024 * 1024


class WsgiEngine:
    """An engine for a WSGI callable. Requests are handled at once, each on its own thread."""

    def __init__(
        self, app: Any, listener: socket.socket, *, nonce: str, grace_seconds: float, tell: Tell
    ) -> None:
        self._server = _Server(listener, nonce, tell)
        self._server.set_app(app)
        self._grace_seconds = grace_seconds
        self._wake_read, self._wake_write = os.pipe()
        self._lock = threading.Lock()
        self._open = True

    def run(self) -> None:
        """Serve until `stop`; then give open requests the grace and cut their connections."""
        poller = select.poll()
        poller.register(self._wake_read, select.POLLIN)
        poller.register(self._server.socket, select.POLLIN)
        try:
            while not any(number == self._wake_read for number, _ in poller.poll()):
                self._server.handle_request()
        finally:
            self._server.server_close()
            self._server.end_connections(self._grace_seconds)
            with self._lock:
                self._open = False
                os.close(self._wake_read)
                os.close(self._wake_write)

    def stop(self) -> None:
        """Make `run` return; harmless when it has."""
        # A signal handler may interrupt the very section that closes the pipe.
        if self._lock.acquire(blocking=False):
            try:
                if self._open:
                    os.write(self._wake_write, b"x")
            finally:
                self._lock.release()


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True

    def __init__(self, listener: socket.socket, nonce: str, tell: Tell) -> None:
        super().__init__(("127.0.0.1", 0), _RequestHandler, bind_and_activate=False)
        self.socket.close()
        # A client that is gone before it is accepted must not hold up the next one.
        listener.setblocking(False)
        self.socket = listener
        self.server_name, self.server_port = self.server_address = listener.getsockname()
        self.setup_environ()
        self.nonce = nonce
        self.tell = tell
        self._changed = threading.Condition()
        self._connections: set[socket.socket] = set()
        self._busy = 0

    def get_request(self) -> Any:
        request, address = super().get_request()
        # Some systems pass on that the listener does not block.
        request.setblocking(True)
        return request, address

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._changed:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Close so that the answer arrives: a body that nobody read would reset the connection."""
        with contextlib.suppress(OSError):
            request.shutdown(socket.SHUT_WR)
            request.settimeout(_LINGER_SECONDS)
            left = _LINGER_BYTES
            while left > 0 and (data := request.recv(65536)):
                left -= len(data)
        with self._changed:
            self._connections.discard(request)
            self._changed.notify_all()
        self.close_request(request)

    @contextlib.contextmanager
    def busy(self) -> Iterator[None]:
        """Count one request while it is being answered."""
        with self._changed:
            self._busy += 1
        try:
            yield
        finally:
            with self._changed:
                self._busy -= 1
                self._changed.notify_all()

    def end_connections(self, grace_seconds: float) -> None:
        """Wait for open requests, bounded; then cut every connection."""
        with self._changed:
            ended = self._changed.wait_for(lambda: self._busy == 0, grace_seconds)
            if not ended:
                self.tell(f"{self._busy} requests were still being handled and were cut off\n")
            for connection in self._connections:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            if ended:
                self._changed.wait_for(lambda: not self._connections, _LINGER_SECONDS)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Tell what failed; a client that went away is no failure."""
        if not isinstance(sys.exception(), ConnectionError):
            self.tell(traceback.format_exc())


class _RequestHandler(WSGIRequestHandler):
    server: _Server

    def get_stderr(self) -> Any:
        return _Telling(self.server.tell)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: requests are no output of the application's."""

    def handle(self) -> None:
        self.raw_requestline = self.rfile.readline(_REQUEST_LINE_BYTES + 1)
        if len(self.raw_requestline) > _REQUEST_LINE_BYTES:
            self.requestline = self.request_version = self.command = ""
            self.send_error(414)
            return
        if not self.raw_requestline or not self.parse_request():
            return
        with self.server.busy():
            app: Any = self.server.get_app()
            out: Any = self.wfile
            answer = _Answer(
                self.rfile, out, self.get_stderr(), self.get_environ(), multithread=True
            )
            answer.nonce = self.server.nonce
            answer.request_handler = self
            answer.run(app)


class _Answer(ServerHandler):
    nonce = ""
    # What its base classes have and typeshed does not know of, or knows too narrowly.
    request_handler: WSGIRequestHandler
    headers: Any

    def cleanup_headers(self) -> None:
        """Add the nonce to whatever is about to be sent, the answer to an exception included."""
        super().cleanup_headers()
        self.headers[NONCE_HEADER] = self.nonce


class _Telling(io.TextIOBase):
    """`wsgi.errors`, a text stream (PEP 3333)."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell

    def write(self, text: str, /) -> int:
        self._tell(text)
        return len(text)
