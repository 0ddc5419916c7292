"""pytest-playwright's fixtures on our browser, and two of our own: `chromium` and `cdp`.

Only `launch_browser` is overridden, so that a suite's own `browser`, `context` or `page`, and
everything that pytest-playwright does with them, stays as it is; and the folder in which it
keeps a test's artefacts until the test has ended, which must not outlive a killed run.
"""

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserType, CDPSession, Error, Page

from harness.browser import binary
from harness.browser.chromium import Chromium
from harness.config.ci import in_ci
from harness.errors import PreconditionError
from harness.pytest_plugin import native_launch
from harness.pytest_plugin.browser_lease import hold
from harness.pytest_plugin.pool import BrowserPool, LaunchFailed, is_ours_to_launch
from harness.pytest_plugin.session import SESSION

NO_BROWSER = "lanewright: no Chromium was found; `harness doctor` says where it was looked for"
_ANSWER_MILLISECONDS = 1000
# What Chromium prints when the kernel refuses it; Playwright launches without a sandbox.
NO_SANDBOX = "No usable sandbox!"
WITHOUT_SANDBOX = (
    "lanewright: this machine gives Chromium no sandbox, so Playwright launched it, without one"
)
POOL = pytest.StashKey[BrowserPool]()


def pool_of(config: pytest.Config) -> BrowserPool:
    """Return this process's browsers."""
    if POOL not in config.stash:
        config.stash[POOL] = BrowserPool(config.stash[SESSION].settings)
    return config.stash[POOL]


@pytest.fixture(scope="session")
def launch_browser(
    launch_browser: Callable[..., Browser],
    browser_type_launch_args: dict[str, Any],
    browser_type: BrowserType,
    connect_options: dict[str, Any] | None,
    pytestconfig: pytest.Config,
) -> Iterator[Callable[..., Browser]]:
    """Launch browsers like pytest-playwright's fixture of this name, under a warden each.

    What is not ours to launch (`connect_options` of the suite, another browser, an option
    without meaning over CDP, a program that the suite names and that is missing, a machine
    that gives Chromium no sandbox) goes to the fixture that this one overrides, with
    everything under `--harness-native-launch`. Without any browser the tests are skipped by
    name, or fail under `CI`.
    """
    stock = launch_browser
    pool = pool_of(pytestconfig)
    native = native_launch.asked_for(pytestconfig)

    def launch(**options: Any) -> Browser:
        merged = {**browser_type_launch_args, **options}
        if not connect_options:
            # For a test whose lane does not show that it drives a browser.
            hold(pytestconfig)
        if native or connect_options or not is_ours_to_launch(browser_type.name, merged):
            return pool.watch(stock(**options))
        try:
            return pool.launch(browser_type, merged)
        except PreconditionError:
            if _is_named_by_the_suite(merged):
                return pool.watch(stock(**options))
            # A missing browser must fail there instead of skip.
            if in_ci(os.environ):
                raise
            pytest.skip(NO_BROWSER)
        except LaunchFailed as error:
            if NO_SANDBOX not in str(error):
                raise
            pytestconfig.stash[SESSION].notes.add(WITHOUT_SANDBOX)
            return pool.watch(stock(**options))

    yield launch
    pool.close_all()


def _is_named_by_the_suite(options: Mapping[str, Any]) -> bool:
    """Tell whether the missing browser is the suite's own choice, which Playwright answers."""
    chosen = options.get("executable_path") or options.get("channel") not in (None, "chromium")
    return bool(chosen) and not os.environ.get(binary.VARIABLE)


@pytest.fixture(scope="session")
def _pw_artifacts_folder(pytestconfig: pytest.Config) -> tempfile.TemporaryDirectory[str]:
    scratch = pytestconfig.stash[SESSION].need_guard().scratch
    folder = tempfile.TemporaryDirectory(prefix="playwright-pytest-", dir=scratch)
    # The artefacts of the last test are taken out of it after every fixture has been torn down.
    pytestconfig.add_cleanup(folder.cleanup)
    return folder


@pytest.fixture
def chromium(browser: Browser, pytestconfig: pytest.Config) -> Chromium:
    """The owned Chromium behind `browser`: pid, start time, group, version, CDP URL, processes."""
    handle = pool_of(pytestconfig).chromium_of(browser)
    if handle is None:
        raise pytest.UsageError(
            "the fixture 'chromium' needs a Chromium that lanewright launched; this browser came "
            f"from Playwright itself ({browser.browser_type.name}, "
            f"{native_launch.reason(pytestconfig)})"
        )
    return handle


@pytest.fixture
def cdp(page: Page) -> Iterator[CDPSession]:
    """A raw CDP session for `page`, detached after the test.

    That of a page that does not answer ends with its page.
    """
    session = page.context.new_cdp_session(page)
    yield session
    with contextlib.suppress(Error):
        # Detaching waits for the page without a bound, so the page has to answer first.
        session.send("Runtime.evaluate", {"expression": "0"}, timeout=_ANSWER_MILLISECONDS)
        session.detach()
