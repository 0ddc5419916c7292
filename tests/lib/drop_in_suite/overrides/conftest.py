"""Overrides at the root: each requests the one that it overrides."""

import os

import pytest

pytest_plugins = ["suite_plugin"]


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    return {
        **browser_type_launch_args,
        "executable_path": os.environ["SUITE_CHROMIUM"],
        "args": ["--user-agent=Root/1.0"],
    }


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args):
    return {**browser_context_args, "viewport": {"width": 333, "height": 222}}
