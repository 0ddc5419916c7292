"""Last, since it takes the browser from everybody who comes after it."""

import pytest
from playwright.sync_api import Error


def test_closing_the_sessions_browser(browser):
    browser.close()
    assert not browser.is_connected()


def test_after_the_sessions_browser_was_closed(browser):
    with pytest.raises(Error, match="has been closed"):
        browser.new_page()
