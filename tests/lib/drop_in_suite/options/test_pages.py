"""Pages that pass and fail, for the options."""

import pytest


def test_passing(page):
    page.set_content("<title>x</title>")
    assert page.title() == "x"


def test_failing(page):
    page.set_content("<h1 style='height: 3000px'>x</h1>")
    raise AssertionError("on purpose")


def test_two_contexts(page, new_context):
    page.set_content("one")
    new_context().new_page().set_content("two")


def test_without_a_browser():
    pass


@pytest.mark.skip_browser("firefox")
def test_not_on_firefox(page, browser_name):
    assert browser_name == "chromium"


@pytest.mark.only_browser("firefox")
def test_only_on_firefox(page):
    pass
