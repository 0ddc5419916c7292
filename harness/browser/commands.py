"""Counts what Playwright's client sends on behalf of a test. It sends nothing itself."""

import functools
from collections.abc import Callable, Mapping
from typing import Any
from weakref import WeakSet

# Between the client and its driver: no browser hears of it.
_BOOKKEEPING = frozenset(
    {"updateSubscription", "initialize", "zip", "addStackToTracingNoReply", "globToRegex",
     "asLocatorDescription", "dispose"}
)  # fmt: skip
_BOOKKEEPING_STARTS = ("__", "tracing", "trace", "har")
_MAKING = frozenset(
    {"launch", "launchServer", "launchPersistentContext", "connect", "connectOverCDP",
     "newContext", "newContextForReuse", "newPage", "newRequest", "newCDPSession",
     "newBrowserCDPSession", "detach", "close"}
)  # fmt: skip
_CDP_SESSION = "cdp-session@"


class CommandCounter:
    """Counts the messages on the Playwright connections that it has been shown.

    `commands` are calls of Playwright's API, `cdp_commands` those sent raw over a CDP session.
    While `in_fixture` is set, making and closing browsers, contexts, pages and sessions is not
    counted. What belongs to Playwright's own bookkeeping, recording included, never is.

    It hangs on one attribute of Playwright's own, the connection's `onmessage`. Where that is
    missing, or never called, `heard` stays False and nothing must be concluded from a zero.
    """

    def __init__(self) -> None:
        self.commands = 0
        self.cdp_commands = 0
        self.in_fixture = False
        self.heard = False
        self._connections: WeakSet[Any] = WeakSet()

    @property
    def total(self) -> int:
        """Both kinds together."""
        return self.commands + self.cdp_commands

    def begin_test(self) -> None:
        """Count from zero."""
        self.commands = self.cdp_commands = 0

    def watch(self, playwright: object) -> None:
        """Count on the connection of this `Playwright` from now on; never raises."""
        connection: Any = getattr(getattr(playwright, "_impl_obj", None), "_connection", None)
        send = getattr(connection, "onmessage", None)
        try:
            if not callable(send) or connection in self._connections:
                return
            self._connections.add(connection)
            connection.onmessage = functools.partial(self._passed_on, send)
        except (AttributeError, TypeError):
            return

    def _passed_on(self, send: Callable[[Any], Any], message: Any) -> Any:
        self.hear(message)
        return send(message)

    def hear(self, message: object) -> None:
        """Count one message of the wire protocol; one of another shape is none."""
        if not isinstance(message, Mapping):
            return
        parameters = message.get("params")
        inner = parameters.get("message") if isinstance(parameters, Mapping) else None
        if isinstance(inner, Mapping) and "guid" in inner:
            # A remote browser's message, on its way through the driver.
            self.hear(inner)
            return
        method, target = message.get("method"), message.get("guid")
        if not isinstance(method, str) or not isinstance(target, str):
            return
        self.heard = True
        if method in _BOOKKEEPING or method.startswith(_BOOKKEEPING_STARTS):
            return
        if self.in_fixture and method in _MAKING:
            return
        if method == "send" and target.startswith(_CDP_SESSION):
            self.cdp_commands += 1
        else:
            self.commands += 1
