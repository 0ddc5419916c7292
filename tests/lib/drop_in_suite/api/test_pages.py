"""What pages do: downloads, popups, files, routes, history, media."""

import pytest
from playwright.sync_api import Error, expect


def test_download(page, site, tmp_path):
    page.goto(site)
    with page.expect_download() as caught:
        page.evaluate("location.href = '/file'")
    download = caught.value
    assert download.suggested_filename == "report.txt"
    assert download.path().read_text() == "content"
    download.save_as(tmp_path / "kept.txt")
    assert (tmp_path / "kept.txt").read_text() == "content"
    assert download.failure() is None


@pytest.mark.browser_context_args(accept_downloads=False)
def test_a_download_that_is_not_accepted(page, site):
    page.goto(site)
    with page.expect_download() as caught:
        page.evaluate("location.href = '/file'")
    assert "accept_downloads=True" in caught.value.failure()


def test_popup(page, site):
    page.goto(site)
    with page.expect_popup() as caught:
        page.evaluate("window.open('/next')")
    expect(caught.value).to_have_title("Next")
    assert caught.value.opener() == page
    assert page.context.pages == [page, caught.value]


def test_the_first_request_of_a_popup_is_routed(page, context, site):
    context.route(
        "**/next",
        lambda route: route.fulfill(body="<title>routed</title>", content_type="text/html"),
    )
    page.goto(site)
    with page.expect_popup() as caught:
        page.evaluate("window.open('/next')")
    expect(caught.value).to_have_title("routed")


def test_a_file_of_sixty_megabytes_is_chosen_and_sent(page, site, tmp_path):
    large = tmp_path / "large.bin"
    with large.open("wb") as file:
        file.truncate(60 * 1024 * 1024)
    page.goto(f"{site}/upload")
    with page.expect_file_chooser() as caught:
        page.locator("input").click()
    assert not caught.value.is_multiple()
    caught.value.set_files(large)
    page.locator("button").click()
    page.wait_for_url("**/take")
    assert int(page.title()) > 60 * 1024 * 1024


def test_dialogs_are_dismissed_when_nobody_listens(page):
    assert page.evaluate("confirm('really?')") is False


def test_dialogs_are_answered_by_who_listens(page):
    page.on("dialog", lambda dialog: dialog.accept("the answer"))
    assert page.evaluate("prompt('what?')") == "the answer"


def test_route_and_abort(page, site):
    page.route("**/next", lambda route: route.abort())
    page.goto(site)
    with pytest.raises(Error, match="ERR_FAILED"):
        page.goto(f"{site}/next")


def test_console_and_page_errors(page):
    said, raised = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: raised.append(error.message))
    page.set_content(
        "<script>console.log('hello'); setTimeout(() => { throw Error('oh') })</script>"
    )
    page.wait_for_timeout(100)
    assert (said, raised) == (["hello"], ["oh"])


def test_history(page, site):
    page.goto(site)
    page.goto(f"{site}/next")
    page.go_back(timeout=5000)
    assert page.title() == "Start"
    page.go_forward(timeout=5000)
    assert page.title() == "Next"


def test_media(page):
    def query(media):
        return page.evaluate("media => matchMedia(media).matches", media)

    assert query("(hover: hover)")
    assert query("(pointer: fine)")
    assert query("(prefers-color-scheme: light)")
    page.emulate_media(color_scheme="dark", media="print")
    assert query("(prefers-color-scheme: dark)")
    assert query("print")


def test_viewport_screenshot_and_pdf(page):
    assert page.viewport_size == {"width": 1280, "height": 720}
    assert page.evaluate("[innerWidth, innerHeight, devicePixelRatio]") == [1280, 720, 1]
    assert page.screenshot().startswith(b"\x89PNG")
    assert page.pdf().startswith(b"%PDF")


def test_bindings_and_init_scripts(page):
    page.expose_function("double", lambda number: number * 2)
    page.add_init_script("window.early = 21")
    page.goto("about:blank")
    assert page.evaluate("double(early)") == 42


def test_a_crashed_page(page):
    with page.expect_event("crash"), pytest.raises(Error):
        page.goto("chrome://crash")
    with pytest.raises(Error, match="crash"):
        page.evaluate("1")


def test_after_a_crashed_page(page):
    assert page.evaluate("1 + 1") == 2


def test_clock(page):
    page.clock.install(time=0)
    assert page.evaluate("Date.now()") < 60_000


def test_a_websocket_is_routed(page, site):
    page.route_web_socket("ws://nowhere.test/", lambda ws: ws.send("hello"))
    page.goto(site)
    assert (
        page.evaluate(
            "new Promise(done => new WebSocket('ws://nowhere.test/').onmessage = e => done(e.data))"
        )
        == "hello"
    )


def test_an_aria_snapshot(page):
    page.set_content("<h1>Title</h1>")
    assert page.locator("body").aria_snapshot() == '- heading "Title" [level=1]'


def test_a_video_without_an_encoder_is_an_error(browser, tmp_path):
    with pytest.raises(Error, match="ffmpeg"):
        browser.new_context(record_video_dir=tmp_path).new_page()
