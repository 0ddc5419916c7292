import pytest


@pytest.fixture(scope="session")
def launch_browser(browser_type, browser_type_launch_args):
    def launch():
        browser = browser_type.launch(**browser_type_launch_args)
        browser.replaced = True
        return browser

    return launch


@pytest.fixture(scope="session")
def browser(launch_browser):
    browser = launch_browser()
    yield browser
    browser.close()
