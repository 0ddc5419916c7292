"""Runs that were publicly reported to hang, to lose their teardown or to poison what comes after.

`docs/public-reports.md` names each report and the test that repeats it here.
"""

import re
import signal
import sys
from pathlib import Path

import pytest

from tests.lib.events import wait_until
from tests.lib.quiet import quiet
from tests.lib.script_owner import running_script

pytestmark = pytest.mark.browser

END_SECONDS = 60.0
STOP_SECONDS = 5.0
PNG = b"\x89PNG"
PYTEST = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]

_INTERRUPTS_ITSELF = """
import signal, socket
import pytest

@pytest.fixture
def interruptible(page):
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    yield page
    page.context.close()
    open("closed", "w").close()

def test_goto(interruptible):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        publish(pid=os.getpid())
        interruptible.goto(f"http://127.0.0.1:{silent.getsockname()[1]}/")
"""


def test_an_interrupt_inside_a_playwright_call_lets_the_next_call_return(tmp_path: Path) -> None:
    with running_script(tmp_path, _INTERRUPTS_ITSELF, command=PYTEST) as owner:
        facts = owner.facts()
        # Playwright loses the answer to a command during the sending of which it was interrupted.
        wait_until(quiet([facts["pid"]]), END_SECONDS, "the call to wait")
        owner.stage.signal(signal.SIGTERM)
        code = owner.stage.wait(END_SECONDS)
        assert code == pytest.ExitCode.INTERRUPTED, owner.stage.output()[-6000:]
        assert owner.left_behind(facts) == []
    assert (tmp_path / "closed").exists()


_PHOTOGRAPHS = """
import signal
import pytest

@pytest.fixture
def photographed(page):
    page.set_content("x")
    yield page
    page.screenshot(path="picture.png")

def test_waits(photographed):
    publish()
    signal.pause()
"""


def test_ctrl_c_reaches_no_browser_so_that_a_teardown_can_photograph_it(tmp_path: Path) -> None:
    with running_script(tmp_path, _PHOTOGRAPHS, command=PYTEST) as owner:
        facts = owner.facts()
        owner.stage.signal_group(signal.SIGINT)
        assert owner.stage.wait(END_SECONDS) == pytest.ExitCode.INTERRUPTED
        assert owner.left_behind(facts) == []
    assert (tmp_path / "picture.png").read_bytes().startswith(PNG)


_STOPS_AT_EXIT = """
import asyncio, atexit
from harness.browser.launch import launch
from playwright.async_api import async_playwright

chromium = launch()
loop = asyncio.new_event_loop()

async def start():
    playwright = await async_playwright().start()
    browser = await playwright.chromium.connect_over_cdp(chromium.cdp_url, is_local=True)
    await (await browser.new_page()).goto("about:blank")
    return playwright

def stop():
    loop.run_until_complete(playwright.stop())
    print("stopped")

playwright = loop.run_until_complete(start())
atexit.register(stop)
publish()
"""


def test_playwright_that_is_stopped_at_exit_does_not_keep_the_process(tmp_path: Path) -> None:
    with running_script(tmp_path, _STOPS_AT_EXIT) as owner:
        facts = owner.facts()
        assert owner.stage.wait(STOP_SECONDS) == 0
        assert owner.left_behind(facts) == []
        assert owner.stage.output() == "stopped\n"


_TEARS_DOWN_SLOWLY = """
import time
import pytest

@pytest.fixture(scope="module")
def slow():
    yield
    publish()
    time.sleep(float(os.environ["SECONDS"]))
    open("torn-down", "w").close()

def test_fails(page, slow):
    page.set_content("x")
    assert page.title() == "a title that it does not have"
"""


@pytest.mark.parametrize("seconds", [0.5, pytest.param(10, marks=pytest.mark.soak)])
def test_a_slow_teardown_of_an_xdist_worker_is_not_cut_short(
    tmp_path: Path, seconds: float
) -> None:
    command = [*PYTEST, "-n", "2"]
    with running_script(
        tmp_path, _TEARS_DOWN_SLOWLY, command=command, SECONDS=str(seconds)
    ) as owner:
        facts = owner.facts()
        assert owner.stage.wait(END_SECONDS) == pytest.ExitCode.TESTS_FAILED
        assert owner.left_behind(facts) == []
    assert (tmp_path / "torn-down").exists()


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """A suite of its own process."""
    pytester.makeini("[pytest]\naddopts = -p no:cacheprovider\n")
    return pytester


def test_an_expectation_on_a_crashed_page_fails_at_once_and_the_next_test_passes(
    suite: pytest.Pytester,
) -> None:
    suite.makepyfile(
        """
        from playwright.sync_api import Error, expect

        def test_crash(page):
            page.set_content("x")
            try:
                page.goto("chrome://crash")
            except Error:
                pass
            expect(page.locator("h1")).to_be_visible(timeout=600_000)

        def test_next(page):
            page.set_content("<h1>fine</h1>")
            expect(page.locator("h1")).to_have_text("fine")
        """
    )
    result = suite.runpytest_subprocess("--timeout=60")
    result.assert_outcomes(failed=1, passed=1)
    assert "Target crashed" in result.stdout.str()
    assert re.search(r"browser: Chromium pid \d+, responsive", result.stdout.str())


def test_asyncio_runs_beside_the_sync_fixtures_in_a_thread_of_its_own_only(
    suite: pytest.Pytester,
) -> None:
    suite.makepyfile(
        """
        import asyncio
        from concurrent.futures import ThreadPoolExecutor
        import pytest

        async def answer():
            return 42

        def test_same_thread(page):
            coroutine = answer()
            with pytest.raises(RuntimeError, match="running event loop"):
                asyncio.run(coroutine)
            coroutine.close()

        def test_other_thread(page):
            with ThreadPoolExecutor(1) as pool:
                assert pool.submit(asyncio.run, answer()).result(20) == 42
        """
    )
    suite.runpytest_subprocess("--timeout=60").assert_outcomes(passed=2)
