"""The handle of one owned server, whatever it runs on."""

from typing import Protocol, Self

from harness.process.report import ExitReport
from harness.process.sampling import ProcessSample


class Running(Protocol):
    """What runs a server: a process family, or a thread of this process.

    In a forked child every method is inert, and `close` may be called again after it raised.
    """

    @property
    def pid(self) -> int | None: ...

    def processes(self) -> list[ProcessSample]: ...

    def output(self) -> str: ...

    def died(self) -> str | None: ...

    def close(self) -> ExitReport | None: ...


class Server:
    """A server that this process owns, ready to answer on 127.0.0.1 since it was returned.

    Use as a context manager or call `close`. In a forked child every method is inert.
    """

    def __init__(self, running: Running, *, label: str, port: int, nonce: str) -> None:
        self._running = running
        self._label = label
        self._port = port
        self._nonce = nonce

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Server {self._label} at {self.url}>"

    @property
    def label(self) -> str:
        """What it is called in messages."""
        return self._label

    @property
    def url(self) -> str:
        """`http://127.0.0.1:PORT`, without a slash at its end."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def port(self) -> int:
        """The port on which it listens."""
        return self._port

    @property
    def nonce(self) -> str:
        """What its answers carry in `X-Harness-Nonce`; a command is given it in HARNESS_NONCE."""
        return self._nonce

    @property
    def pid(self) -> int | None:
        """The process that was started, also once it has ended; None on a thread of this one."""
        return self._running.pid

    def processes(self) -> list[ProcessSample]:
        """Return the live processes of its family; none for a thread, and none once closed."""
        return self._running.processes()

    def output(self) -> str:
        """Return what it has printed, bounded to its first and last words.

        Of a server on a thread: the tracebacks of its handlers.
        """
        return self._running.output()

    def died(self) -> str | None:
        """Say how it ended by itself (`exited with 3`), None while it runs or was closed.

        A leader that exits with 0 and leaves a process that serves has not died.
        """
        return self._running.died()

    def close(self) -> ExitReport | None:
        """End it and prove it gone; a family's exit report, None for a thread.

        On return no process of its family exists, its scratch is removed and its socket does
        not listen. On a thread, handlers get the grace and are then cut off: one that blocks
        keeps its daemon thread until it returns, which `output` then says. Raises
        OwnershipError when anything else is left. Calling it twice is harmless.
        """
        return self._running.close()
