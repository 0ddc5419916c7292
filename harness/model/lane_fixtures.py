"""Which fixtures of which plugins need a server or a browser: one table for all who ask."""

from collections.abc import Mapping
from types import MappingProxyType

from harness.model.identifiers import Lane

REPORT_VARIABLE = "HARNESS_COLLECTED_LANES"
"""Where `harness lanes --check` has a pytest write what it collected."""

PLAYWRIGHT_MODULES = ("pytest_playwright.", "pytest_playwright_asyncio.")
PLAYWRIGHT_FIXTURES = frozenset(
    {"page", "context", "new_context", "browser", "browser_type", "launch_browser", "playwright"}
)
OUR_MODULES = "harness.pytest_plugin."
OUR_FIXTURES: Mapping[str, Lane] = MappingProxyType(
    {
        "chromium": Lane.BROWSER,
        "cdp": Lane.BROWSER,
        "launch_browser": Lane.BROWSER,
        "serve": Lane.SERVER,
        "serve_session": Lane.SERVER,
        "own": Lane.SERVER,
    }
)
SERVER_FIXTURES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "live_server": ("pytest_django.", "pytest_flask."),
        "httpserver": ("pytest_httpserver.",),
        "aiohttp_client": ("pytest_aiohttp.",),
        "aiohttp_server": ("pytest_aiohttp.",),
    }
)
"""Name -> the beginnings of the modules whose fixture of that name starts a server."""


def lane_of_definition(name: str, module: str) -> Lane:
    """Return the lane of a fixture by the module that defines it; UNIT for everybody else's."""
    if name in PLAYWRIGHT_FIXTURES and module.startswith(PLAYWRIGHT_MODULES):
        return Lane.BROWSER
    if name in OUR_FIXTURES and module.startswith(OUR_MODULES):
        return OUR_FIXTURES[name]
    if name in SERVER_FIXTURES and module.startswith(SERVER_FIXTURES[name]):
        return Lane.SERVER
    return Lane.UNIT


def lane_of_name(name: str) -> Lane:
    """Return the lane of a fixture that the project itself does not define; UNIT if unknown."""
    if name in PLAYWRIGHT_FIXTURES:
        return Lane.BROWSER
    if name in SERVER_FIXTURES:
        return Lane.SERVER
    return OUR_FIXTURES.get(name, Lane.UNIT)
