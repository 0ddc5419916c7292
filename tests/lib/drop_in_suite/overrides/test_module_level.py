"""Overrides of a module."""

import pytest


@pytest.fixture
def context(context):
    context.add_init_script("window.mine = 42")
    return context


@pytest.fixture
def page(context):
    page = context.new_page()
    page.goto("about:blank")
    yield page
    page.close()


@pytest.fixture(scope="module")
def browser_context_args(browser_context_args):
    return {**browser_context_args, "locale": "fr-FR"}


def test_overrides_of_a_module(page):
    assert page.evaluate("[window.mine, navigator.language]") == [42, "fr-FR"]
    assert page.viewport_size == {"width": 333, "height": 222}
