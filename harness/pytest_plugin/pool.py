"""The browsers that one pytest process has launched, each with its Playwright connection."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, BrowserType, Error

from harness.browser.chromium import Chromium, Liveness
from harness.browser.connect import connect, is_connected
from harness.browser.launch import LaunchOptions, launch
from harness.browser.recorder import Recorder
from harness.config.schema import Config
from harness.errors import BrowserGone, StartError
from harness.pytest_plugin.deathwatch import DeathWatch

# What we launch with ourselves. Anything else is served by Playwright's own launch.
_OWN_OPTIONS = frozenset(
    {"headless", "executable_path", "channel", "args", "env", "slow_mo", "timeout",
     "handle_sigint", "handle_sigterm", "handle_sighup"}
)  # fmt: skip
_PLAYWRIGHT_JUDGES = ("--user-data-dir", "--remote-debugging-pipe", "--remote-debugging-port")


class LaunchFailed(StartError, Error):
    """A browser that did not come up; for a suite that catches it, Playwright's own `Error`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Owned:
    """A Playwright `Browser` and the Chromium behind it."""

    browser: Browser
    chromium: Chromium


class BrowserPool:
    """Launches browsers for a session, hears what their pages say, and replaces dead ones."""

    def __init__(self, settings: Config) -> None:
        self._settings = settings
        self.recorder = Recorder()
        self._owned: list[Owned] = []
        self._deaths = DeathWatch()

    def launch(self, browser_type: BrowserType, options: Mapping[str, Any]) -> Browser:
        """Return a connected browser, launched under a warden with Playwright's launch options.

        Raises PreconditionError without a browser, LaunchFailed with the browser's own words
        when it does not come up; nothing is left then.
        """
        try:
            chromium = launch(self._launch_options(options))
            try:
                browser = connect(browser_type, chromium, slow_mo=options.get("slow_mo"))
            except BaseException:
                chromium.close()
                raise
        except (StartError, BrowserGone) as error:
            raise LaunchFailed(str(error)) from error
        self._owned.append(Owned(browser=browser, chromium=chromium))
        self._end_with(browser, chromium)
        self._deaths.watch(browser, chromium)
        return self.watch(browser)

    def watch(self, browser: Browser) -> Browser:
        """Record what the browser's pages say, whoever launched it; return it."""
        self.recorder.watch(browser)
        return browser

    def chromium_of(self, browser: Browser) -> Chromium | None:
        """Return the Chromium behind a browser, None when Playwright launched it itself."""
        for owned in self._owned:
            if owned.browser == browser:
                return owned.chromium
        return None

    def dead(self) -> list[Chromium]:
        """Return the owned Chromiums that have ended without having been asked to."""
        return [
            owned.chromium
            for owned in self._owned
            if not owned.chromium.inert and owned.chromium.died() is not None
        ]

    def disconnected(self) -> list[Chromium]:
        """Return the owned Chromiums whose Playwright connection has ended."""
        return [
            owned.chromium
            for owned in self._owned
            if not owned.chromium.inert and not is_connected(owned.browser)
        ]

    def end_hung(self) -> list[Chromium]:
        """End the owned Chromiums that do not answer; their pages could not be closed either.

        Nor could those of a browser that answers while a process of it is stopped.
        """
        hung = [one for one in self.living() if _has_stopped(one) or _hangs(one)]
        for chromium in hung:
            chromium.close()
        return hung

    def living(self) -> list[Chromium]:
        """Return the owned Chromiums of this process."""
        return [owned.chromium for owned in self._owned if not owned.chromium.inert]

    def close_all(self) -> None:
        """End every browser that nobody has closed."""
        for owned in list(self._owned):
            self._forget(owned.chromium)
            owned.chromium.close()
        self._deaths.stop()

    def discard_dead(self) -> None:
        """Bury the dead: prove their families gone and forget them."""
        for chromium in self.dead():
            self._forget(chromium)
            chromium.close()

    def _end_with(self, browser: Browser, chromium: Chromium) -> None:
        """Over CDP `Browser.close()` only disconnects; make it end the browser as it says."""
        disconnect = browser.close

        def close(*arguments: Any, **named: Any) -> None:
            if chromium.inert:
                return
            self._forget(chromium)
            try:
                if is_connected(browser):
                    disconnect(*arguments, **named)
            finally:
                chromium.close()

        browser.close = close  # type: ignore[method-assign]

    def _forget(self, chromium: Chromium) -> None:
        self._deaths.forget(chromium)
        self._owned = [owned for owned in self._owned if owned.chromium is not chromium]

    def _launch_options(self, options: Mapping[str, Any]) -> LaunchOptions:
        timeout_milliseconds = options.get("timeout")
        environment = options.get("env")
        return LaunchOptions(
            headless=options.get("headless", True) is not False,
            executable_path=options.get("executable_path"),
            channel=options.get("channel"),
            arguments=(*(options.get("args") or ()), *self._settings.browser_args),
            environment=None
            if environment is None
            else {name: str(value) for name, value in environment.items()},
            zygote=self._settings.zygote,
            private_home=self._settings.private_home,
            start_seconds=timeout_milliseconds / 1000
            if timeout_milliseconds
            else self._settings.browser_start_seconds,
            bound_key="the launch option timeout"
            if timeout_milliseconds
            else "browser_start_seconds in [tool.harness]",
        )


def _has_stopped(chromium: Chromium) -> bool:
    return any(process.stopped for process in chromium.processes())


def _hangs(chromium: Chromium) -> bool:
    return chromium.liveness() is Liveness.HUNG


def is_ours_to_launch(browser_name: str, options: Mapping[str, Any]) -> bool:
    """Tell whether a launch means the same over CDP.

    Not ours: another browser than Chromium, an option that has no meaning over CDP, and
    arguments that Playwright must judge (positional ones, a profile, a debugging switch).
    """
    given = {name for name, value in options.items() if value is not None}
    arguments = tuple(options.get("args") or ())
    return (
        browser_name == "chromium"
        and not os.environ.get("PWDEBUG")
        and given <= _OWN_OPTIONS
        and all(
            isinstance(argument, str)
            and argument.startswith("-")
            and not argument.startswith(_PLAYWRIGHT_JUDGES)
            for argument in arguments
        )
    )
