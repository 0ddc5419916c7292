"""Opens a page in a context of its own, and keeps what it complains about."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from playwright.sync_api import Browser, BrowserContext, Error, Page, Request, Response

from harness.server.ingress import Ingress

QUIET_SECONDS = 0.25
_TEXT_CHARACTERS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """One thing that went wrong on a page, with the place that said so."""

    kind: Literal["console error", "exception", "failed request", "crash"]
    text: str
    source: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.text} ({self.source})"


@dataclass(slots=True)
class Opened:
    """An open page. `complaints` grows while it is open; `status` is that of its document."""

    page: Page
    context: BrowserContext
    status: int | None = None
    complaints: list[Complaint] = field(default_factory=list)


@contextmanager
def opened(
    browser: Browser,
    url: str,
    *,
    deadline: float,
    service_workers: Literal["allow", "block"] = "allow",
    blocked_scripts: bool = False,
) -> Iterator[Opened]:
    """Open `url` and wait for its own load event; the context is closed afterwards.

    `deadline` is in time.monotonic(). With `blocked_scripts` no script that the page names by a
    URL is fetched. Raises playwright's Error when the document cannot be had in time.
    """
    context = browser.new_context(service_workers=service_workers)
    try:
        context.set_default_timeout(milliseconds_until(deadline))
        if blocked_scripts:
            context.route("**/*", _abort_scripts)
        page = context.new_page()
        found = Opened(page=page, context=context)
        _listen(found)
        answer = page.goto(url, wait_until="load", timeout=milliseconds_until(deadline))
        found.status = None if answer is None else answer.status
        yield found
    finally:
        context.close()


def milliseconds_until(deadline: float) -> float:
    """Return what is left, at least a moment: Playwright takes 0 for no bound at all."""
    return max(1.0, (deadline - time.monotonic()) * 1000)


def settle(page: Page, ingress: Ingress, *, deadline: float, quiet: float = QUIET_SECONDS) -> bool:
    """Wait until the server has answered everything and was asked nothing for `quiet` seconds.

    False when that has not come by `deadline`.
    """
    while time.monotonic() < deadline:
        before = len(ingress.seen)
        page.wait_for_timeout(min(quiet * 1000, milliseconds_until(deadline)))
        if ingress.in_flight == 0 and len(ingress.seen) == before:
            return True
    return False


def _listen(found: Opened) -> None:
    page, add = found.page, found.complaints.append

    def on_response(response: Response) -> None:
        if response.status >= 400:
            request = response.request
            text = f"{request.method} answered with {response.status}"
            add(Complaint(kind="failed request", text=text, source=request.url))

    def on_failed(request: Request) -> None:
        text = f"{request.method} {request.failure or 'failed'}"
        add(Complaint(kind="failed request", text=text, source=request.url))

    page.on(
        "console",
        lambda message: (
            add(
                Complaint(
                    kind="console error",
                    text=_short(message.text),
                    source=f"{message.location['url'] or page.url}:"
                    f"{message.location['lineNumber'] + 1}",
                )
            )
            if message.type == "error"
            else None
        ),
    )
    page.on("pageerror", lambda error: add(_exception(error, page.url)))
    page.on("crash", lambda _: add(Complaint(kind="crash", text="the page died", source=page.url)))
    found.context.on("response", on_response)
    found.context.on("requestfailed", on_failed)


def _exception(error: Error, url: str) -> Complaint:
    frames = [line.strip() for line in (error.stack or "").splitlines() if "://" in line]
    source = frames[0].removeprefix("at ") if frames else url
    return Complaint(kind="exception", text=_short(f"{error.name}: {error.message}"), source=source)


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _TEXT_CHARACTERS else words[: _TEXT_CHARACTERS - 1] + "…"


def _abort_scripts(route: object) -> None:
    from playwright.sync_api import Route

    assert isinstance(route, Route)
    if route.request.resource_type == "script":
        route.abort("blockedbyclient")
    else:
        route.continue_()
