"""The pytest plugin `lanewright`: a Chromium and servers that are owned, lanes, evidence.

Installing the distribution is enough. The hooks stand in modules of one idea each, which are
registered here; fixtures come last, so that ours win over pytest-playwright's of the same
name, while a conftest's still win over ours.
"""

import pytest

from harness.pytest_plugin import lanes, session
from harness.pytest_plugin.session import SESSION


def pytest_configure(config: pytest.Config) -> None:
    """Read the configuration and register the modules that do the work."""
    lanes.declare(config)
    config.stash[SESSION] = session.HarnessSession.of(config)
    from harness.pytest_plugin import fixtures

    if not config.pluginmanager.has_plugin("playwright"):
        config.pluginmanager.register(fixtures, "lanewright-fixtures")
        return
    from harness.pytest_plugin import browser_fixtures, evidence, lifecycle, witness

    for module in (fixtures, browser_fixtures, lifecycle, evidence, witness):
        name = f"lanewright-{module.__name__.rpartition('.')[2]}"
        config.pluginmanager.register(module, name)


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
