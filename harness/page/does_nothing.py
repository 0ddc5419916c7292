"""The page does nothing by itself, shown with two controls.

That no write was seen proves little where none could have been: the positive control shows that
the same page can write and that both witnesses see it; the negative control, with the page's
scripts blocked, shows that the positive control is able to fail.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from playwright.sync_api import Browser, CDPSession, Error

from harness.page.form import Form, submit, why_not_ready
from harness.page.opened import Opened, opened, settle
from harness.server.ingress import Ingress

TEXT = "a submission by the control"
WATCH_SECONDS = 1.0
_SETTLE_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class NothingReport:
    """What was measured. `faults` is empty when the page does nothing and both controls held.

    `on_load` are the declared writes that the server saw without any interaction,
    `watched_seconds` how long it was watched after the page's own load event.
    """

    faults: tuple[str, ...]
    on_load: tuple[str, ...]
    watched_seconds: float


class _Witness:
    """Counts the declared writes that the browser's network stack and the server have seen."""

    def __init__(self, ingress: Ingress, writes: Sequence[str]) -> None:
        self._ingress = ingress
        self._writes = frozenset(writes)
        self._from = len(ingress.seen)
        self._browser: list[str] = []

    def listen(self, session: CDPSession) -> None:
        session.on("Network.requestWillBeSent", self._on_request)
        session.send("Network.enable")

    def _on_request(self, event: dict[str, dict[str, str]]) -> None:
        request = event["request"]
        url = request["url"]
        if url.startswith(self._ingress.url + "/"):
            path = url[len(self._ingress.url) :].partition("?")[0]
            self._browser.append(f"{request['method']} {path}")

    @property
    def browser(self) -> list[str]:
        """Declared writes that the browser says it sent."""
        return [each for each in self._browser if each in self._writes]

    @property
    def server(self) -> list[str]:
        """Declared writes that reached the server since the witness was made."""
        seen = [f"{each.method} {each.path}" for each in self._ingress.seen[self._from :]]
        return [each for each in seen if each in self._writes]


def does_nothing(
    browser: Browser,
    ingress: Ingress,
    *,
    page: str,
    form: Form,
    writes: Sequence[str],
    deadline: float,
    watch_seconds: float = WATCH_SECONDS,
) -> NothingReport:
    """Open `page`, leave it alone, then run both controls.

    `writes` are method and path, such as `POST /api/turn`. Fails closed: a form, a listener or a
    cancelled event that is missing is a fault, since then nothing was shown.
    """
    faults: list[str] = []
    url = ingress.url + page
    on_load: tuple[str, ...] = ()
    watched = 0.0
    try:
        witness = _Witness(ingress, writes)
        with opened(browser, url, deadline=deadline) as found:
            session = found.context.new_cdp_session(found.page)
            began = time.monotonic()
            settle(found.page, ingress, deadline=_soon(deadline), quiet=watch_seconds)
            watched = time.monotonic() - began
            on_load = tuple(witness.server)
            faults += [f"{each} on load, without any interaction" for each in on_load]
            faults += _positive(found, session, ingress, form, writes, deadline)
        with opened(browser, url, deadline=deadline, blocked_scripts=True) as found:
            faults += _negative(found, ingress, form, writes, deadline)
    except Error as error:
        faults.append(error.message.splitlines()[0])
    return NothingReport(faults=tuple(faults), on_load=on_load, watched_seconds=watched)


def _positive(
    found: Opened,
    session: CDPSession,
    ingress: Ingress,
    form: Form,
    writes: Sequence[str],
    deadline: float,
) -> list[str]:
    reason = why_not_ready(found.page, session, form)
    if reason is not None:
        return [f"positive control: {reason}"]
    witness = _Witness(ingress, writes)
    witness.listen(session)
    if (reason := submit(found.page, form, TEXT)) is not None:
        return [f"positive control: {reason}"]
    settle(found.page, ingress, deadline=_soon(deadline))
    return [
        f"positive control: one submission, but {who} saw {len(saw)} writes"
        + (f": {', '.join(saw)}" if saw else "")
        for who, saw in (("the browser", witness.browser), ("the server", witness.server))
        if len(saw) != 1
    ]


def _negative(
    found: Opened, ingress: Ingress, form: Form, writes: Sequence[str], deadline: float
) -> list[str]:
    """With its scripts blocked the page must not be able to send: else the control proves nothing.

    A dispatched event never makes the browser itself submit, so nothing else can stand in.
    """
    session = found.context.new_cdp_session(found.page)
    blocked = [each for each in found.complaints if "ERR_BLOCKED_BY_CLIENT" in each.text]
    if not blocked:
        return ["negative control: the page names no script that could be blocked"]
    if why_not_ready(found.page, session, form) is not None:
        return []
    witness = _Witness(ingress, writes)
    cancelled = submit(found.page, form, TEXT) is None
    settle(found.page, ingress, deadline=_soon(deadline))
    if cancelled or witness.server:
        return ["negative control: the page still sends with its scripts blocked"]
    return []


def _soon(deadline: float) -> float:
    return min(deadline, time.monotonic() + _SETTLE_SECONDS)
