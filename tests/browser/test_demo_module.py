"""`python -m harness.demo` serves the page that the application object serves."""

import sys
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect


def test_the_command_serves_the_page(page: Page, serve_session: Callable[..., Any]) -> None:
    server = serve_session([sys.executable, "-m", "harness.demo", "--port", "0"])
    page.goto(server.url)
    files = page.get_by_role("list", name="Files").get_by_role("listitem")
    expect(files).to_have_text(["welcome.txt 31 bytes"])
    expect(page.get_by_role("status", name="Total, added up by a worker")).to_have_text("31 bytes")
