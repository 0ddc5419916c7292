"""Every fixture that pytest-playwright publishes, with its published value."""

import os

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect


def test_kinds(page, context, browser, browser_type, playwright):
    assert type(page) is Page
    assert type(context) is BrowserContext
    assert type(browser) is Browser
    assert page.context == context
    assert context.browser == browser
    assert browser.browser_type == browser_type == playwright.chromium


def test_names(browser_name, browser_channel, is_chromium, is_firefox, is_webkit, device, base_url):
    assert browser_name == "chromium"
    assert browser_channel is None
    assert (is_chromium, is_firefox, is_webkit) == (True, False, False)
    assert device is None
    assert base_url is None


def test_output_path(output_path):
    assert output_path.endswith(os.path.join("test-results", "test-fixtures-py-test-output-path"))


def test_headless_by_default(page):
    assert "HeadlessChrome" in page.evaluate("navigator.userAgent")


def test_new_context_takes_arguments_and_closes(new_context):
    first = new_context(user_agent="agent1")
    assert first.new_page().evaluate("navigator.userAgent") == "agent1"
    first.close()
    assert new_context(user_agent="agent2").new_page().evaluate("navigator.userAgent") == "agent2"


@pytest.mark.browser_context_args(user_agent="marked", locale="de-DE", timezone_id="Asia/Tokyo")
def test_marker_gives_context_arguments(page):
    assert page.evaluate("navigator.userAgent") == "marked"
    assert page.evaluate("navigator.language") == "de-DE"
    zone = "Intl.DateTimeFormat().resolvedOptions().timeZone"
    assert page.evaluate(zone) == "Asia/Tokyo"


def test_the_marker_is_cleared_again(page):
    assert page.evaluate("navigator.userAgent") != "marked"


@pytest.mark.parametrize("number", [1, 2])
def test_parametrized(page, number):
    page.set_content(f"<h1>{number}</h1>")
    expect(page.locator("h1")).to_have_text(str(number))


@pytest.mark.parametrize(
    "browser_type_launch_args",
    [{"args": ["--user-agent=UA1"]}, {"args": ["--user-agent=UA2"]}],
    ids=["ua1", "ua2"],
    indirect=True,
)
def test_launch_arguments_by_parametrization(page, browser_type_launch_args):
    agent = browser_type_launch_args["args"][0].split("=")[1]
    assert page.evaluate("navigator.userAgent") == agent


@pytest.mark.skip_browser("chromium")
def test_skipped_by_marker(page):
    raise AssertionError


@pytest.mark.only_browser("firefox")
def test_skipped_by_the_other_marker(page):
    raise AssertionError


@pytest.mark.only_browser("chromium")
def test_only_here(page):
    pass


@pytest.fixture(scope="session")
def shared_page(browser):
    context = browser.new_context()
    yield context.new_page()
    context.close()


def test_a_session_fixture_on_the_browser(shared_page):
    shared_page.set_content("<p>kept</p>")


def test_the_session_fixture_keeps_its_page(shared_page):
    assert shared_page.text_content("p") == "kept"


def test_expect_obeys_the_timeout_of_the_conftest(page):
    with pytest.raises(AssertionError, match="4000ms"):
        expect(page.locator("#never")).to_be_visible()


def test_a_soft_assertion_fails(page):
    page.set_content("<p>hello</p>")
    expect.soft(page.locator("p")).to_have_text("other", timeout=100)


def test_a_failing_body_and_a_soft_assertion(page):
    page.set_content("<p>hello</p>")
    expect.soft(page.locator("p")).to_have_text("other", timeout=100)
    raise RuntimeError("the body")


def test_plain():
    pass


def test_failing(page):
    page.set_content("x")
    raise AssertionError("on purpose")


@pytest.fixture
def broken(page):
    raise RuntimeError("on purpose")


def test_an_error_in_a_fixture(broken):
    pass


@pytest.fixture
def broken_later(page):
    yield
    raise RuntimeError("on purpose")


def test_an_error_in_a_teardown(broken_later):
    pass


@pytest.mark.xfail(reason="on purpose", strict=True)
def test_expected_to_fail(page):
    page.locator("h1").click(timeout=50)


def test_skipping_in_the_body(page):
    pytest.skip("on purpose")
