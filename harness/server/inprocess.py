"""A server on a daemon thread of this process."""

import atexit
import contextlib
import os
import secrets
import socket
import sys
import threading
import time
import traceback

from harness.errors import HarnessError, StartError
from harness.process.output import BoundedOutput
from harness.process.report import clause
from harness.process.sampling import ProcessSample
from harness.server import ports, readiness
from harness.server.engines import engine_for
from harness.server.handle import Server
from harness.server.targets import Application, Folder

# Beyond the grace: cancelling what is left and closing what was open.
_END_SECONDS = 2.0


class ThreadServer:
    """An engine on a thread, on a listening socket that was bound for it."""

    pid = None

    def __init__(self, target: Application | Folder, *, nonce: str, grace_seconds: float) -> None:
        self._owner_pid = os.getpid()
        self._grace_seconds = grace_seconds
        self._output = BoundedOutput()
        self._output_lock = threading.Lock()
        self._lock = threading.RLock()
        self._failure: str | None = None
        self._closed = False
        self._listener = ports.bind_loopback()
        self.port: int = self._listener.getsockname()[1]
        try:
            self._engine = engine_for(
                target, self._listener, nonce=nonce, grace_seconds=grace_seconds, tell=self._tell
            )
            self._thread = threading.Thread(
                target=self._run, name=f"harness server on port {self.port}", daemon=True
            )
            _live.add(self)
            self._thread.start()
        except BaseException:
            _live.discard(self)
            self._listener.close()
            raise

    @property
    def inert(self) -> bool:
        """True in a forked child, which has no such thread."""
        return os.getpid() != self._owner_pid

    def processes(self) -> list[ProcessSample]:
        """Return none: it has no process of its own."""
        return []

    def output(self) -> str:
        """Return the tracebacks of its handlers, bounded."""
        with self._output_lock:
            return self._output.text()

    def last_lines(self) -> str:
        """Return its last words for a message."""
        with self._output_lock:
            return self._output.last_lines()

    def died(self) -> str | None:
        """Say how its thread ended by itself, None while it serves or was closed."""
        if self._closed or self.inert or self._thread.is_alive():
            return None
        return f"ended ({self._failure})" if self._failure else "ended by itself"

    def close(self) -> None:
        """End the thread; bounded also when a handler blocks it for good."""
        if self.inert:
            return
        with self._lock:
            if self._closed:
                return
            self._engine.stop()
            if self._thread is not threading.current_thread():
                self._thread.join(self._grace_seconds + _END_SECONDS)
            self._closed = True
            if self._thread.is_alive():
                self._tell(f"its thread does not end; it is here:\n{_stack_of(self._thread)}")
                # Closing it would pull the descriptor from under the thread that polls it.
                with contextlib.suppress(OSError):
                    self._listener.shutdown(socket.SHUT_RDWR)
            else:
                self._listener.close()
            _live.discard(self)

    def forget(self) -> None:
        """In a forked child: let go of the socket, so that the port ends with the parent."""
        with contextlib.suppress(OSError):
            os.close(self._listener.detach())

    def _run(self) -> None:
        try:
            self._engine.run()
        except HarnessError as error:
            self._failure = str(error)
        except BaseException as error:
            self._failure = f"{type(error).__name__}: {error}"
            self._tell(traceback.format_exc())
        finally:
            # Whoever waits for an answer learns at once that there will be none.
            self._listener.close()

    def _tell(self, text: str) -> None:
        with self._output_lock:
            self._output.add(text.encode("utf-8", "backslashreplace"))


def start(
    target: Application | Folder,
    *,
    label: str,
    ready: str,
    start_seconds: float,
    bound_key: str,
    grace_seconds: float,
) -> Server:
    """Serve on a thread of this process; return once it answers with its own nonce.

    Raises StartError, quoting what its handlers raised, when it does not within its bound.
    """
    nonce = secrets.token_hex(16)
    began = time.monotonic()
    running = ThreadServer(target, nonce=nonce, grace_seconds=grace_seconds)

    def check_alive() -> None:
        how = running.died()
        if how is not None:
            raise StartError(f"it {clause(how)} before it was ready")

    def judge(answer: readiness.Answer) -> None:
        if nonce not in answer.nonces:
            raise readiness.Stranger(f"another server answers on port {running.port}")

    try:
        readiness.await_answer(
            port=running.port,
            path=ready,
            until=began + start_seconds,
            alive=check_alive,
            pause=time.sleep,
            judge=judge,
        )
    except StartError as problem:
        seconds = time.monotonic() - began
        running.close()
        words = running.last_lines()
        raise StartError(
            f"{label} was not ready after {seconds:.1f} s "
            f"(its bound is {start_seconds:g} s: {bound_key}): {problem}\n"
            + (f"Its last words:\n{words}" if words else "It said nothing.")
        ) from None
    except BaseException:
        running.close()
        raise
    return Server(running, label=label, port=running.port, nonce=nonce)


def _stack_of(thread: threading.Thread) -> str:
    frame = sys._current_frames().get(thread.ident or 0)
    return "".join(traceback.format_stack(frame)) if frame is not None else ""


_live: set[ThreadServer] = set()


def _close_all_at_exit() -> None:
    for server in tuple(_live):
        with contextlib.suppress(HarnessError):
            server.close()


def _forget_all_in_child() -> None:
    for server in tuple(_live):
        server.forget()
    _live.clear()


atexit.register(_close_all_at_exit)
os.register_at_fork(after_in_child=_forget_all_in_child)
