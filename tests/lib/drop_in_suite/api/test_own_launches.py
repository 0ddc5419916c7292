"""What a test body launches by itself is Playwright's own."""

import os

import pytest
from playwright.sync_api import Error

PROGRAM = os.environ["SUITE_CHROMIUM"]


def test_launch(playwright):
    browser = playwright.chromium.launch(executable_path=PROGRAM)
    assert browser.contexts == []
    assert browser.new_page().evaluate("1 + 1") == 2
    browser.close()


def test_launch_persistent_context(playwright, tmp_path):
    context = playwright.chromium.launch_persistent_context(
        tmp_path / "profile", executable_path=PROGRAM, locale="de-DE"
    )
    assert len(context.pages) == 1
    assert context.pages[0].evaluate("navigator.language") == "de-DE"
    context.close()
    assert (tmp_path / "profile" / "Default").is_dir()


def test_connect_over_cdp_to_nothing(playwright):
    with pytest.raises(Error, match="ECONNREFUSED"):
        playwright.chromium.connect_over_cdp("http://127.0.0.1:9")


@pytest.mark.parametrize("kind", ["firefox", "webkit"])
def test_a_browser_that_is_not_installed(playwright, kind):
    with pytest.raises(Error, match="Executable doesn't exist"):
        getattr(playwright, kind).launch()
