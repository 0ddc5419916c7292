import pytest


@pytest.fixture(scope="session")
def launch_browser(launch_browser):
    return lambda **options: launch_browser(**{"args": ["--user-agent=Launch/1.0"], **options})


@pytest.fixture(scope="session")
def browser(launch_browser):
    browser = launch_browser()
    yield browser
    browser.close()
