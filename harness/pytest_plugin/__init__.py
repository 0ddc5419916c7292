"""The pytest plugin `lanewright`: a Chromium and servers that are owned, lanes, evidence.

Installing the distribution is enough. The hooks stand in modules of one idea each, which are
registered here. Of the fixtures, those for every lane come first, so that everybody's of the
same name win over them; `launch_browser` comes last, to win over pytest-playwright's.
"""

import os
import sys

import pytest

from harness.pytest_plugin import lanes, native_launch, playwright_choice, precedence, session
from harness.pytest_plugin.session import SESSION


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Choose between Playwright's plugins before the second is loaded; claim one option.

    The fixtures are registered here, before a suite's own plugins.
    """
    from harness.pytest_plugin import fixtures

    _join_file_run(pluginmanager)
    playwright_choice.choose(pluginmanager)
    native_launch.declare(parser)
    pluginmanager.register(
        precedence.without_what_others_define(fixtures, pluginmanager), "lanewright-fixtures"
    )


def _join_file_run(pluginmanager: pytest.PytestPluginManager) -> None:
    """Where a runner started this process for one file, do as it is told."""
    if "HARNESS_FILE_RUN" in os.environ:
        from harness.pytest_plugin import file_run

        assignment = file_run.take_assignment()
        if assignment is not None:
            pluginmanager.register(file_run.FileRun(assignment), "lanewright-file-run")


def pytest_configure(config: pytest.Config) -> None:
    """Read the configuration and register the modules that do the work."""
    lanes.declare(config)
    config.stash[SESSION] = session.HarnessSession.of(config)
    if config.stash[SESSION].settings.max_browsers is not None:
        from harness.pytest_plugin import browser_lease

        config.pluginmanager.register(browser_lease, "lanewright-browser-lease")
    if not _drives_playwright(config.pluginmanager):
        if playwright_choice.is_async(config.pluginmanager):
            from harness.pytest_plugin import async_fixtures

            config.pluginmanager.register(async_fixtures, "lanewright-async-fixtures")
        return
    from harness.pytest_plugin import browser_fixtures, evidence, lifecycle, witness

    for module, name in (
        (lifecycle, "lifecycle"), (evidence, "evidence"), (witness, "witness"),
    ):  # fmt: skip
        config.pluginmanager.register(module, f"lanewright-{name}")
    config.pluginmanager.register(
        precedence.without_what_others_define(browser_fixtures, config.pluginmanager),
        "lanewright-browser_fixtures",
    )


def _drives_playwright(pluginmanager: pytest.PytestPluginManager) -> bool:
    """Tell whether pytest-playwright is there, by its entry point or by `-p` and its module."""
    module = sys.modules.get("pytest_playwright.pytest_playwright")
    return module is not None and pluginmanager.is_registered(module)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Give back what this session took from the process: the guard, the signal handlers."""
    state = config.stash.get(SESSION, None)
    if state is not None:
        state.stop()


pytest_collection_modifyitems = lanes.pytest_collection_modifyitems
pytest_collection_finish = session.pytest_collection_finish
pytest_sessionstart = session.pytest_sessionstart
pytest_sessionfinish = session.pytest_sessionfinish
pytest_testnodedown = session.pytest_testnodedown
pytest_terminal_summary = session.pytest_terminal_summary
