"""What the pages of a browser said and asked for: bounded, for evidence of a failure."""

from collections import deque
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    Response,
    WebError,
)

KEPT = 200
_TEXT_CHARACTERS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleEntry:
    """One console message; `where` is `url:line` of its origin, line counted from 1."""

    kind: str
    text: str
    where: str


@dataclass(slots=True, kw_only=True)
class RequestEntry:
    """One request and its outcome so far: a status, a failure text, or neither while pending."""

    method: str
    url: str
    resource_type: str
    status: int | None = None
    failure: str | None = None

    @property
    def failed(self) -> bool:
        """True for a network failure and for a status from 400 on."""
        return self.failure is not None or (self.status is not None and self.status >= 400)

    def __str__(self) -> str:
        outcome = self.failure or (str(self.status) if self.status else "pending")
        return f"{self.method} {self.url} ({self.resource_type}): {outcome}"


class Recorder:
    """Listens to every context of the browsers it watches; keeps the last KEPT of each kind.

    Handlers do no call to the browser, so that they cost a test nothing but the event itself.
    """

    def __init__(self) -> None:
        self.console: deque[ConsoleEntry] = deque(maxlen=KEPT)
        # Kept apart, so that no flood of other news can push them out.
        self.console_errors: deque[ConsoleEntry] = deque(maxlen=KEPT)
        self.failed_requests: deque[RequestEntry] = deque(maxlen=KEPT)
        self.page_errors: deque[str] = deque(maxlen=KEPT)
        self.requests: deque[RequestEntry] = deque(maxlen=KEPT)
        self._watching = False
        self._pages: list[Page] = []
        # Keyed by the object itself: Playwright hands out the same wrapper for one request.
        self._pending: dict[Request, RequestEntry] = {}

    def watch(self, browser: Browser) -> None:
        """Record every context that `browser` has or will have."""
        self._watching = True
        browser.on("context", self._on_context)
        for context in browser.contexts:
            self._on_context(context)

    @property
    def watches(self) -> bool:
        """True once a browser has been given to it."""
        return self._watching

    def begin_test(self) -> None:
        """Forget what belongs to earlier tests; pages that are still open stay known."""
        self.console.clear()
        self.console_errors.clear()
        self.failed_requests.clear()
        self.page_errors.clear()
        self.requests.clear()
        self._pending.clear()
        self._pages = [page for page in self._pages if not page.is_closed()]

    @property
    def pages(self) -> list[Page]:
        """The open pages, oldest first."""
        return [page for page in self._pages if not page.is_closed()]

    def last_url(self) -> str | None:
        """The URL of the page that was opened last, or of the last navigation that was asked."""
        if self.pages:
            return self.pages[-1].url
        for entry in reversed(self.requests):
            if entry.resource_type == "document":
                return entry.url
        return None

    def _on_context(self, context: BrowserContext) -> None:
        context.on("console", self._on_console)
        context.on("weberror", self._on_page_error)
        context.on("request", self._on_request)
        context.on("response", self._on_response)
        context.on("requestfailed", self._on_request_failed)
        context.on("page", self._on_page)
        self._pages += context.pages

    def _on_page(self, page: Page) -> None:
        self._pages.append(page)

    def _on_console(self, message: ConsoleMessage) -> None:
        place: dict[str, Any] = dict(message.location)
        line = place.get("lineNumber", 0) + 1
        entry = ConsoleEntry(
            kind=message.type,
            text=message.text[:_TEXT_CHARACTERS],
            where=f"{place.get('url') or '-'}:{line}",
        )
        self.console.append(entry)
        if entry.kind == "error":
            self.console_errors.append(entry)

    def _on_page_error(self, error: WebError) -> None:
        raised = error.error
        text = raised.stack or str(raised)
        self.page_errors.append(text[:_TEXT_CHARACTERS])

    def _on_request(self, request: Request) -> None:
        entry = RequestEntry(
            method=request.method,
            url=request.url[:_TEXT_CHARACTERS],
            resource_type=request.resource_type,
        )
        self.requests.append(entry)
        self._pending[request] = entry
        if len(self._pending) > 2 * KEPT:
            del self._pending[next(iter(self._pending))]

    def _on_response(self, response: Response) -> None:
        entry = self._pending.pop(response.request, None)
        if entry is not None:
            entry.status = response.status
            if entry.failed:
                self.failed_requests.append(entry)

    def _on_request_failed(self, request: Request) -> None:
        entry = self._pending.pop(request, None)
        if entry is None:
            entry = RequestEntry(
                method=request.method, url=request.url, resource_type=request.resource_type
            )
            self.requests.append(entry)
        entry.failure = request.failure or "failed"
        self.failed_requests.append(entry)
