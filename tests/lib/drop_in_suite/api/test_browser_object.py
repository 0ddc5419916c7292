"""What a test may ask of `browser`, and what it may do to one."""

import json
import os

import pytest
from playwright.sync_api import Error


@pytest.fixture
def own(launch_browser):
    browser = launch_browser()
    yield browser
    browser.close()


def test_a_new_browser_has_no_context(own):
    assert own.contexts == []


def test_contexts_come_and_go(own):
    first, second = own.new_context(), own.new_context()
    assert own.contexts == [first, second]
    first.close()
    assert own.contexts == [second]
    page = own.new_page()
    assert own.contexts == [second, page.context]
    page.close()
    assert own.contexts == [second]


def test_the_context_event(own):
    heard = []
    own.on("context", lambda context: heard.extend([context]))
    assert heard == [own.new_context()]


def test_facts(browser, browser_type):
    assert browser.version.split(".")[0].isdigit()
    assert browser.is_connected()
    assert browser.browser_type.name == "chromium"
    assert browser_type.name == "chromium"


def test_close_disconnects_once_and_ends_the_pages(own):
    heard = []
    own.on("disconnected", lambda browser: heard.extend([browser]))
    page = own.new_page()
    own.close()
    assert heard == [own]
    assert not own.is_connected()
    assert page.is_closed()
    with pytest.raises(Error):
        own.new_page()
    own.close()
    assert heard == [own]


def test_close_with_a_reason(own):
    page = own.new_page()
    own.close(reason="the reason")
    with pytest.raises(Error, match="has been closed"):
        page.title()


def test_a_browser_is_a_context_manager(launch_browser):
    with launch_browser() as browser:
        browser.new_page()
    assert not browser.is_connected()


def test_closing_through_a_context(own):
    context = own.new_context()
    context.browser.close()
    assert not own.is_connected()


def test_a_browser_level_cdp_session(browser):
    session = browser.new_browser_cdp_session()
    assert session.send("Browser.getVersion")["product"].endswith(browser.version)
    session.detach()


def test_a_page_level_cdp_session(page):
    session = page.context.new_cdp_session(page)
    assert session.send("Runtime.evaluate", {"expression": "6 * 7"})["result"]["value"] == 42


def test_a_cdp_trace(browser, page, tmp_path):
    path = tmp_path / "cdp.json"
    browser.start_tracing(page=page, path=path)
    page.set_content("x")
    content = browser.stop_tracing()
    assert json.loads(content)["traceEvents"]
    assert path.read_bytes() == content


def test_binding_a_browser_to_an_endpoint(own):
    assert own.bind("a session")["endpoint"]
    own.unbind()


def test_a_positional_page_is_refused(launch_browser):
    with pytest.raises(Error, match="Arguments can not specify page to be opened"):
        launch_browser(args=["http://127.0.0.1/"])


def test_a_profile_in_the_arguments_is_refused(launch_browser):
    with pytest.raises(Error, match="user_data_dir"):
        launch_browser(args=["--user-data-dir=/tmp/mine"])


def test_a_debugging_pipe_in_the_arguments_is_refused(launch_browser):
    with pytest.raises(Error, match="manages remote debugging connection itself"):
        launch_browser(args=["--remote-debugging-pipe"])


def test_a_port_in_the_arguments_can_be_connected_to(launch_browser, playwright, tmp_path):
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    browser = launch_browser(args=[f"--remote-debugging-port={port}"])
    second = playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{port}")
    assert second.version == browser.version
    second.close()
    browser.close()


def test_arguments_arrive(launch_browser):
    browser = launch_browser(args=["--user-agent=Mine/1.0"])
    assert browser.new_page().evaluate("navigator.userAgent") == "Mine/1.0"
    browser.close()


def test_a_default_argument_can_be_ignored(launch_browser):
    browser = launch_browser(ignore_default_args=["--hide-scrollbars"])
    assert browser.contexts == []
    browser.close()


def test_traces_go_where_they_are_asked_to(launch_browser, tmp_path):
    browser = launch_browser(traces_dir=str(tmp_path / "traces"))
    context = browser.new_context()
    context.tracing.start(name="mine", snapshots=True)
    context.new_page()
    assert (tmp_path / "traces" / "mine.trace").is_file()
    context.tracing.stop()
    browser.close()


def test_downloads_go_where_they_are_asked_to(launch_browser, site, tmp_path):
    browser = launch_browser(downloads_path=str(tmp_path / "downloads"))
    page = browser.new_page()
    page.goto(site)
    with page.expect_download() as caught:
        page.evaluate("location.href = '/file'")
    assert caught.value.path().parent == tmp_path / "downloads"
    browser.close()


def test_environment_arrives(launch_browser):
    browser = launch_browser(env={**os.environ, "TZ": "Asia/Tokyo"})
    zone = "Intl.DateTimeFormat().resolvedOptions().timeZone"
    assert browser.new_page().evaluate(zone) == "Asia/Tokyo"
    browser.close()


def test_a_program_that_is_missing_is_an_error(launch_browser):
    with pytest.raises(Error, match="/no/such/browser"):
        launch_browser(executable_path="/no/such/browser")


def test_a_channel_that_is_unknown_is_an_error(launch_browser):
    with pytest.raises(Error, match="Unsupported chromium channel"):
        launch_browser(executable_path=None, channel="not-a-channel")


def test_a_program_that_is_no_browser_is_an_error(launch_browser):
    with pytest.raises(Error):
        launch_browser(executable_path="/bin/false")


def test_an_option_that_does_not_exist_is_an_error(launch_browser):
    with pytest.raises(TypeError, match="no_such_option"):
        launch_browser(no_such_option=1)
