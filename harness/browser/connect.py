"""Connect Playwright to an owned Chromium, and tell whether the connection still stands."""

import contextlib

from playwright.sync_api import Browser, BrowserType, Error, Playwright

from harness.browser.chromium import Chromium
from harness.errors import BrowserGone

CONNECT_SECONDS = 30.0


def connect(
    browser_type: BrowserType,
    chromium: Chromium,
    *,
    slow_mo: float | None = None,
    seconds: float = CONNECT_SECONDS,
) -> Browser:
    """Return a Playwright `Browser` over CDP, told that the browser is on this machine.

    Its `contexts` are empty, as after Playwright's own launch. Bounded by `seconds`, since a
    stopped renderer lets a connection hang for ever. Raises BrowserGone, with how the browser
    is and its last words, when it cannot be had.
    """
    try:
        browser = browser_type.connect_over_cdp(
            chromium.cdp_url,
            is_local=True,
            slow_mo=slow_mo,
            timeout=seconds * 1000,
            # Beside the profile, so that it goes with it however this process ends.
            artifacts_dir=chromium.scratch / "tmp",
        )
    except Error as error:
        how = chromium.died() or f"is {chromium.liveness()}"
        raise BrowserGone(
            f"Playwright could not connect to Chromium (pid {chromium.pid}), which {how}: "
            f"{error.message.splitlines()[0]}\n{chromium.last_words()}"
        ) from error
    _forget_default_context(browser)
    return browser


def _forget_default_context(browser: Browser) -> None:
    """Take the context that only a connection over CDP knows from the client's own lists.

    The driver keeps it; no page is in it, since the browser started without a window. A
    Playwright that keeps its lists elsewhere shows it again, which a test notices.
    """
    with contextlib.suppress(AttributeError):
        inner = browser._impl_obj
        for context in inner.contexts:
            inner._contexts.pop(context, None)
            inner._browser_type._contexts.pop(context, None)


def is_connected(remote: Browser | Playwright) -> bool:
    """Tell whether its browser, and the driver in between, can still be spoken to.

    Playwright itself notices only the first: `Browser.is_connected()` stays true when the driver
    is gone, for which there is no public word.
    """
    connection = getattr(remote._impl_obj, "_connection", None)
    if getattr(connection, "_closed_error", None) is not None:
        return False
    return not isinstance(remote, Browser) or remote.is_connected()
