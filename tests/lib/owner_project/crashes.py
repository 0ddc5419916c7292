"""A browser or a page that crashes in a first test, and a second test that must work."""

import os
import signal

CRASH = os.environ["OWNER_SCENARIO"]


def test_crash(page, chromium):
    page.goto("data:text/html,<title>before</title>")
    if CRASH == "SIGSEGV":
        os.kill(chromium.pid, signal.SIGSEGV)
    if CRASH == "Browser.crash":
        page.context.browser.new_browser_cdp_session().send("Browser.crash")
    if CRASH == "chrome://crash":
        page.goto("chrome://crash")
    page.wait_for_selector("#never", timeout=20_000)


def test_next(page):
    page.goto("data:text/html,<title>after</title>")
    assert page.title() == "after"
