import os

import pytest


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args, browser_name, browser_channel):
    if browser_name != "chromium" or browser_channel:
        return browser_type_launch_args
    return {**browser_type_launch_args, "executable_path": os.environ["SUITE_CHROMIUM"]}
