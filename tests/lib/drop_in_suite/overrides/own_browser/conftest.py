import pytest


@pytest.fixture(scope="session")
def browser(playwright, browser_type_launch_args):
    browser = playwright.chromium.launch(**browser_type_launch_args)
    browser.mine = True
    yield browser
    browser.close()
