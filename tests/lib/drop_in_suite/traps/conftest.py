import os

import pytest


def pytest_configure(config):
    config.addinivalue_line("markers", "unit: a mark of the suite's own")


def pytest_collection_modifyitems(items):
    for item in items:
        if item.get_closest_marker("unit"):
            item.add_marker(pytest.mark.skip(reason="not today"))


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    return {**browser_type_launch_args, "executable_path": os.environ["SUITE_CHROMIUM"]}
