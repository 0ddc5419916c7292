"""A suite as somebody would write it who has never heard of a harness."""

import os

import pytest
from playwright.sync_api import expect
from site_server import start_site  # type: ignore[import-not-found]

expect.set_options(timeout=4000)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args, request):
    named = {**browser_type_launch_args, "executable_path": os.environ["SUITE_CHROMIUM"]}
    return {**named, **getattr(request, "param", {})}


@pytest.fixture(scope="session")
def site():
    server = start_site()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
