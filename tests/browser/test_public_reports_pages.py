"""Pages, files and connections that were publicly reported to go wrong over CDP or in Playwright.

`docs/public-reports.md` names each report and the test that repeats it here.
"""

import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserType, Page, Playwright, expect

from harness.browser.chromium import Chromium, Liveness
from harness.browser.connect import connect
from harness.browser.launch import launch
from harness.errors import BrowserGone

GO_MILLISECONDS = 20_000
UPLOAD_BYTES = 60 * 1024 * 1024


@pytest.fixture
def chromium_type(playwright: Playwright) -> BrowserType:
    """Playwright's Chromium, whatever --browser says."""
    return playwright.chromium


@pytest.fixture
def own_chromium(scratch_root: Path) -> Iterator[Chromium]:
    """A Chromium of this test's own, in a scratch root of its own."""
    with launch() as chromium:
        yield chromium


@pytest.fixture
def site(tmp_path: Path, serve: Callable[..., Any]) -> str:
    """The URL of a folder with a few pages."""
    folder = tmp_path / "site"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.html").write_text(
            f"<title>{name}</title><a href=file.bin download>x</a>"
        )
    (folder / "file.bin").write_bytes(b"contents")
    return str(serve(folder).url)


def test_a_page_that_writes_a_database_does_not_keep_the_profile(
    chromium_type: BrowserType, own_chromium: Chromium, scratch_root: Path, site: str
) -> None:
    page = connect(chromium_type, own_chromium).new_page()
    page.goto(f"{site}/a.html")
    page.evaluate(
        """() => new Promise((resolve, reject) => {
            const opening = indexedDB.open("busy", 1);
            opening.onupgradeneeded = () => opening.result.createObjectStore("rows");
            opening.onerror = reject;
            opening.onsuccess = () => {
                let count = 0;
                const write = () => {
                    const turn = opening.result.transaction("rows", "readwrite");
                    turn.objectStore("rows").put("x".repeat(100000), count++);
                    turn.oncomplete = () => { if (count == 5) resolve(); write(); };
                };
                write();
            };
        })"""
    )
    own_chromium.close()
    assert list(scratch_root.glob("[!.]*")) == []


def test_a_killed_browser_leaves_nothing_in_the_temporary_folder(
    chromium_type: BrowserType, scratch_root: Path, monkeypatch: pytest.MonkeyPatch, site: str
) -> None:
    with tempfile.TemporaryDirectory(prefix="hn-", dir="/tmp") as folder:
        monkeypatch.setenv("TMPDIR", folder)
        with launch() as chromium:
            page = connect(chromium_type, chromium).new_page()
            page.goto(f"{site}/a.html")
            os.kill(chromium.pid, signal.SIGKILL)
            assert chromium.wait_until_dead(20.0) == "killed by signal 9 (SIGKILL)"
        assert os.listdir(folder) == []
        assert list(scratch_root.glob("[!.]*")) == []


def test_two_workers_of_xdist_never_share_a_page(pytester: pytest.Pytester, site: str) -> None:
    pytester.makepyfile(
        f"""
        import os, time
        from pathlib import Path
        import pytest

        @pytest.mark.parametrize("token", ["one", "two"])
        def test_token(page, token):
            page.goto({site!r} + "/a.html")
            page.evaluate("token => localStorage.setItem('token', token)", token)
            Path(token).touch()
            while not (Path("one").exists() and Path("two").exists()):
                time.sleep(0.01)
            page.reload()
            assert page.evaluate("localStorage.getItem('token')") == token
            assert os.environ["PYTEST_XDIST_WORKER"] in ("gw0", "gw1")
        """
    )
    result = pytester.runpytest_subprocess("-n", "2", "-p", "no:cacheprovider", "--timeout=60")
    result.assert_outcomes(passed=2)


def test_a_stopped_renderer_does_not_let_a_connection_hang(
    chromium_type: BrowserType, own_chromium: Chromium
) -> None:
    first = connect(chromium_type, own_chromium)
    session = first.new_browser_cdp_session()
    session.send("Target.createTarget", {"url": "data:text/html,<title>there</title>"})
    # Its title comes from its renderer, so that is one of those that are stopped.
    while "there" not in [
        target["title"] for target in session.send("Target.getTargets")["targetInfos"]
    ]:
        continue
    renderers = [
        one.pid for one in own_chromium.processes() if "--type=renderer" in " ".join(one.command)
    ]
    assert renderers
    for pid in renderers:
        os.kill(pid, signal.SIGSTOP)
    with pytest.raises(BrowserGone, match=r"which is responsive: .*Timeout 1000ms exceeded"):
        connect(chromium_type, own_chromium, seconds=1.0)
    assert own_chromium.liveness(seconds=20.0) is Liveness.RESPONSIVE
    own_chromium.close()


def test_going_back_works_over_cdp(page: Page, serve: Callable[..., Any], tmp_path: Path) -> None:
    """Served by somebody who permits the back-forward cache, which Playwright cannot follow."""
    for name in ("a", "b"):
        (tmp_path / f"{name}.html").write_text(f"<title>{name}</title>")
    files = ["-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", str(tmp_path)]
    url = serve([sys.executable, "-u", *files]).url
    page.goto(f"{url}/a.html")
    page.goto(f"{url}/b.html")
    page.go_back(timeout=GO_MILLISECONDS)
    expect(page).to_have_title("a")
    page.go_forward(timeout=GO_MILLISECONDS)
    expect(page).to_have_title("b")


def test_a_file_of_sixty_mebibytes_can_be_chosen(page: Page, tmp_path: Path) -> None:
    big = tmp_path / "big.bin"
    with big.open("wb") as file:
        file.truncate(UPLOAD_BYTES)
    page.set_content("<input type=file>")
    page.locator("input").set_input_files(big)
    assert page.evaluate("document.querySelector('input').files[0].size") == UPLOAD_BYTES


def test_a_saved_download_outlives_the_browser_and_its_temporary_file_does_not(
    chromium_type: BrowserType, scratch_root: Path, site: str, tmp_path: Path
) -> None:
    with launch() as chromium:
        browser = connect(chromium_type, chromium)
        page = browser.new_page()
        page.goto(f"{site}/a.html")
        with page.expect_download() as downloading:
            page.locator("a").click()
        download = downloading.value
        assert download.suggested_filename == "file.bin"
        temporary = Path(download.path())
        assert temporary.is_relative_to(chromium.scratch)
        download.save_as(tmp_path / "kept.bin")
        browser.close()
    assert (tmp_path / "kept.bin").read_bytes() == b"contents"
    assert not temporary.exists()


def test_closing_every_context_leaves_the_browser_usable(
    chromium_type: BrowserType, own_chromium: Chromium
) -> None:
    browser = connect(chromium_type, own_chromium)
    assert browser.contexts == []
    left = browser.new_context().new_page()
    for context in browser.contexts:
        context.close()
    assert left.is_closed()
    page = browser.new_page()
    page.set_content("<title>still here</title>")
    assert page.title() == "still here"
    own_chromium.close()


def test_the_page_of_a_test_is_never_in_the_default_context_which_takes_no_options(
    page: Page,
) -> None:
    browser = page.context.browser
    assert browser is not None
    assert browser.contexts == [page.context]
    assert page.viewport_size == {"width": 1280, "height": 720}
