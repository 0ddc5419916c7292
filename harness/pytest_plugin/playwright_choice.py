"""Which of Playwright's two pytest plugins runs: they refuse each other, and we bring one along.

pytest-playwright comes in as our dependency, pytest-playwright-asyncio only by somebody's choice,
and without us both together never ran: so where both are installed, the async one is meant.
"""

import importlib.util
import inspect
import os
from importlib.metadata import entry_points

import pytest

SYNC = "playwright"
ASYNC = "playwright-asyncio"
_SYNC_MODULE = "pytest_playwright.pytest_playwright"
_ASYNC_MODULE = "pytest_playwright_asyncio.pytest_playwright"
_ASYNC_OBJECTS = ("page", "context", "new_context", "browser", "launch_browser", "playwright")
_REFUSED = (
    "pytest-playwright and pytest-playwright-asyncio are both installed and refuse each other. "
    "Add '-p no:playwright' to pytest's addopts for an async suite, '-p no:playwright-asyncio' "
    "for a synchronous one."
)


def choose(pluginmanager: pytest.PytestPluginManager) -> None:
    """Leave pytest-playwright out where pytest-playwright-asyncio is loaded or will be.

    A plugin that the user switched off by `-p no:` stays off, one named by `-p` is asked for.
    Raises UsageError when the synchronous one is there already: its options cannot be taken
    back, and Playwright's own refusal would follow.
    """
    if pluginmanager.is_blocked(SYNC) or not _async_comes(pluginmanager):
        return
    if pluginmanager.has_plugin(SYNC) or pluginmanager.has_plugin(_SYNC_MODULE):
        raise pytest.UsageError(_REFUSED)
    pluginmanager.set_blocked(SYNC)
    pluginmanager.register(_LeftOut(), "lanewright-left-out")


def is_async(pluginmanager: pytest.PytestPluginManager) -> bool:
    """Tell whether pytest-playwright-asyncio is loaded, by its entry point or by its module."""
    return pluginmanager.has_plugin(ASYNC) or pluginmanager.has_plugin(_ASYNC_MODULE)


def _async_comes(pluginmanager: pytest.PytestPluginManager) -> bool:
    if is_async(pluginmanager):
        return True
    # Looking for the module first spares every other suite the reading of all metadata.
    return (
        not pluginmanager.is_blocked(ASYNC)
        and _is_autoloading(pluginmanager)
        and importlib.util.find_spec(_ASYNC_MODULE.partition(".")[0]) is not None
        and any(entry.value == _ASYNC_MODULE for entry in entry_points(group="pytest11"))
    )


def _is_autoloading(pluginmanager: pytest.PytestPluginManager) -> bool:
    config = pluginmanager.get_plugin("pytestconfig")
    known = getattr(config, "known_args_namespace", None)
    return not (
        os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
        or getattr(known, "disable_plugin_autoload", False)
    )


class _LeftOut:
    """Registered where we have left pytest-playwright out: says so, and guards that choice."""

    def pytest_report_header(self) -> str:
        return (
            "lanewright: pytest-playwright is left out, since pytest-playwright-asyncio is "
            "installed ('-p no:playwright-asyncio' chooses the other way)"
        )

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Refuse a suite that turns out to be synchronous.

        Its tests would never await what an async page returns, and pass.
        """
        tests = [item for item in session.items if isinstance(item, pytest.Function)]
        if any(inspect.iscoroutinefunction(test.function) for test in tests):
            return
        for test in tests:
            asked = [name for name in _ASYNC_OBJECTS if _is_asyncs(test, name)]
            if asked:
                raise pytest.UsageError(
                    f"{_REFUSED} {test.nodeid} is synchronous and asks for {asked[0]!r}."
                )


def _is_asyncs(test: pytest.Function, name: str) -> bool:
    """Tell whether the test itself asks for a fixture that pytest-playwright-asyncio defines."""
    if name not in inspect.signature(test.function).parameters:
        return False
    definitions = test._fixtureinfo.name2fixturedefs.get(name, ())
    return bool(definitions) and definitions[-1].func.__module__ == _ASYNC_MODULE
