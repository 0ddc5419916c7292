"""A program that uses the harness without pytest: one server, one browser, one page."""

import os

import moments
from playwright.sync_api import sync_playwright

from harness.browser.connect import connect
from harness.browser.launch import LaunchOptions, launch
from harness.server.serving import serve


def main():
    """Drive a page until the end comes from outside."""
    moments.exit_when_told(0)
    options = LaunchOptions(zygote=os.environ["OWNER_ZYGOTE"] == "true")
    with (
        sync_playwright() as playwright,
        moments.forks_ended(),
        serve(moments.SERVER) as server,
    ):
        moments.publish("household-0", pid=os.getpid(), server=server.pid, port=server.port)
        with launch(options) as chromium:
            page = connect(playwright.chromium, chromium).new_page()
            page.goto(server.url)
            moments.wait_in_page(0, page, chromium)
    return 0
