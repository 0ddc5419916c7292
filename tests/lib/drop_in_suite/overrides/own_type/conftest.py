import pytest


@pytest.fixture(scope="session")
def browser_type(playwright):
    return playwright.chromium


@pytest.fixture(scope="session")
def browser_name():
    return "mine"
