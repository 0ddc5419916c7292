"""What the conftest and the module override."""

import pytest


def test_names_of_ours_are_theirs(serve, serve_session, scratch, own, cdp, chromium):
    assert [serve, serve_session, scratch, own, cdp, chromium] == ["theirs"] * 6


def test_arguments_of_the_conftest(page):
    assert page.viewport_size == {"width": 333, "height": 222}
    assert page.evaluate("navigator.userAgent") == "Root/1.0"


@pytest.mark.browser_context_args(viewport={"width": 500, "height": 400})
def test_the_marker_wins_over_the_conftest(page):
    assert page.viewport_size == {"width": 500, "height": 400}


class TestClass:
    @pytest.fixture
    def page(self, page):
        page.set_content("<title>of the class</title>")
        return page

    @pytest.fixture
    def context(self, new_context):
        return new_context(locale="de-DE")

    def test_overrides_of_a_class(self, page):
        assert page.title() == "of the class"
        assert page.evaluate("navigator.language") == "de-DE"


def test_the_class_keeps_them_to_itself(page):
    assert page.title() == ""
