"""What pages said and asked for, as it is shown: bounded, credentials masked."""

from collections import deque
from dataclasses import dataclass

from harness.browser.masking import masked

KEPT = 200
_TEXT_CHARACTERS = 500


def shown(text: str) -> str:
    """Return text of a page as it is kept: masked, then cut."""
    return masked(text)[:_TEXT_CHARACTERS]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleEntry:
    """One console message; `where` is `url:line` of its origin, line counted from 1."""

    kind: str
    text: str
    where: str

    def __str__(self) -> str:
        return f"{self.text} ({self.where})"


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


class News:
    """The last KEPT of each kind, and how much there was of what the witness counts."""

    def __init__(self) -> None:
        self.console: deque[ConsoleEntry] = deque(maxlen=KEPT)
        # Kept apart, so that no flood of other news can push them out.
        self.console_errors: deque[ConsoleEntry] = deque(maxlen=KEPT)
        self.page_errors: deque[str] = deque(maxlen=KEPT)
        self.requests: deque[RequestEntry] = deque(maxlen=KEPT)
        self.failed_requests: deque[RequestEntry] = deque(maxlen=KEPT)
        # The URLs of pages whose renderer crashed.
        self.crashes: deque[str] = deque(maxlen=KEPT)
        self.request_count = 0
        self.navigation_count = 0
