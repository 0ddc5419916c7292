"""Listens to the pages of a browser and keeps what they said and asked for, per test."""

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Frame,
    Page,
    Request,
    Response,
    WebError,
)

from harness.browser.news import KEPT, ConsoleEntry, News, RequestEntry, shown

# What Chromium shows for a navigation that did not come to a document.
_ERROR_PAGE = "chrome-error:"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opening:
    """When a page was opened: in which test, and in which `begin_test` of it."""

    test: str
    turn: int


class Recorder:
    """Listens to every context of the browsers it watches, in one test after the other.

    What pages of the present test said is in `own`; what pages said that an earlier test has
    opened, in `earlier`. Handlers make no call to the browser, so that they cost a test
    nothing but the event itself.
    """

    def __init__(self) -> None:
        self.own = News()
        self.earlier = News()
        self._watching = False
        self._now = _Opening(test="", turn=0)
        # Weak, but with the closed ones: their last news may come late. Oldest first.
        self._openings: WeakKeyDictionary[Page, _Opening] = WeakKeyDictionary()
        # Keyed by the object itself: Playwright hands out the same wrapper for one request.
        self._pending: dict[Request, tuple[News, RequestEntry]] = {}

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

    def begin_test(self, test: str) -> None:
        """Start afresh for `test`; pages that are still open are an earlier test's from now on."""
        self._now = _Opening(test=test, turn=self._now.turn + 1)
        self.own, self.earlier = News(), News()
        self._pending.clear()

    @property
    def pages(self) -> list[Page]:
        """The open pages that this test has opened, oldest first."""
        return [page for page, opening in self._open() if opening == self._now]

    @property
    def earlier_pages(self) -> list[tuple[Page, str]]:
        """The open pages of earlier tests, oldest first, each with the test that opened it."""
        return [(page, opening.test) for page, opening in self._open() if opening != self._now]

    def last_url(self) -> str | None:
        """The URL of this test's last page, or of the last document that was asked for."""
        if pages := self.pages:
            return shown(pages[-1].url)
        for entry in reversed(self.own.requests):
            if entry.resource_type == "document":
                return entry.url
        return None

    def _open(self) -> list[tuple[Page, _Opening]]:
        return [item for item in self._openings.items() if not item[0].is_closed()]

    def _news_of(self, page: Page | None) -> News:
        """Return where news of a page belong; a page that nobody knows yet is a new one."""
        opening = self._now if page is None else self._openings.get(page, self._now)
        return self.own if opening == self._now else self.earlier

    # -- events -------------------------------------------------------------------------

    def _on_context(self, context: BrowserContext) -> None:
        context.on("console", self._on_console)
        context.on("weberror", self._on_page_error)
        context.on("request", self._on_request)
        context.on("response", self._on_response)
        context.on("requestfailed", self._on_request_failed)
        context.on("framenavigated", self._on_navigated)
        context.on("page", self._on_page)
        for page in context.pages:
            self._on_page(page)

    def _on_page(self, page: Page) -> None:
        self._openings[page] = self._now
        page.on("crash", self._on_crash)

    def _on_crash(self, page: Page) -> None:
        self._news_of(page).crashes.append(shown(page.url))

    def _on_navigated(self, frame: Frame) -> None:
        if not frame.url.startswith(_ERROR_PAGE):
            self._news_of(frame.page).navigation_count += 1

    def _on_console(self, message: ConsoleMessage) -> None:
        place: dict[str, Any] = dict(message.location)
        line = place.get("lineNumber", 0) + 1
        entry = ConsoleEntry(
            kind=message.type,
            text=shown(message.text),
            where=f"{shown(place.get('url') or '-')}:{line}",
        )
        news = self._news_of(message.page)
        news.console.append(entry)
        if entry.kind == "error":
            news.console_errors.append(entry)

    def _on_page_error(self, error: WebError) -> None:
        raised = error.error
        self._news_of(error.page).page_errors.append(shown(raised.stack or str(raised)))

    def _on_request(self, request: Request) -> None:
        news = self._news_of(_page_of(request))
        news.request_count += 1
        self._add_request(news, request)

    def _add_request(self, news: News, request: Request) -> RequestEntry:
        entry = RequestEntry(
            method=request.method, url=shown(request.url), resource_type=request.resource_type
        )
        news.requests.append(entry)
        self._pending[request] = news, entry
        if len(self._pending) > 2 * KEPT:
            del self._pending[next(iter(self._pending))]
        return entry

    def _on_response(self, response: Response) -> None:
        news, entry = self._pending.pop(response.request, (None, None))
        if news is not None and entry is not None:
            entry.status = response.status
            if entry.failed:
                news.failed_requests.append(entry)

    def _on_request_failed(self, request: Request) -> None:
        news, entry = self._pending.pop(request, (None, None))
        if news is None or entry is None:
            news = self._news_of(_page_of(request))
            entry = self._add_request(news, request)
            del self._pending[request]
        entry.failure = request.failure or "failed"
        news.failed_requests.append(entry)


def _page_of(request: Request) -> Page | None:
    """Return the page that asked, None for a service worker's and a page that is being made."""
    try:
        return request.frame.page
    except Error:
        return None
