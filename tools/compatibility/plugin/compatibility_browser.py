"""The same executable for every launch that asks pytest-playwright for its arguments."""

import os
from typing import Any

import pytest

BROWSER = "COMPATIBILITY_BROWSER"


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Add the browser to what pytest-playwright says."""
    return {**browser_type_launch_args, "executable_path": os.environ[BROWSER]}
