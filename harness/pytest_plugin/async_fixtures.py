"""`chromium` and `cdp` in an async suite, where no browser is launched by us: refused clearly."""

from typing import NoReturn

import pytest

_WHY = (
    "the fixture {name!r} needs a browser that lanewright launched; under "
    "pytest-playwright-asyncio Playwright launches them itself{instead}"
)


@pytest.fixture
def chromium() -> NoReturn:
    """Not to be had over the async API."""
    raise pytest.UsageError(_WHY.format(name="chromium", instead=""))


@pytest.fixture
def cdp() -> NoReturn:
    """Not to be had over the async API, which has a CDP session of its own."""
    instead = ": use 'await page.context.new_cdp_session(page)'"
    raise pytest.UsageError(_WHY.format(name="cdp", instead=instead))
