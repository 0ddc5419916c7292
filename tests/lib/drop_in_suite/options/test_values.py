"""What the options say, as the fixtures tell it."""

import json
import os
from time import monotonic

import pytest

pytestmark = pytest.mark.skipif("EXPECTED" not in os.environ, reason="asked for by name")
EXPECTED = json.loads(os.environ.get("EXPECTED", "{}"))


def test_values(page, device, base_url, browser_channel, browser_type_launch_args, output_path):
    assert device == EXPECTED["device"]
    assert base_url == EXPECTED["base_url"]
    assert browser_channel is None
    assert browser_type_launch_args.get("slow_mo") == EXPECTED["slow_mo"]
    assert output_path.endswith("/test-results/deep/test-values-py-test-values-chromium")
    assert "PlayBook" in page.evaluate("navigator.userAgent")


def test_slow_motion(page):
    page.set_content("<input>")
    began = monotonic()
    for key in "abcdef":
        page.keyboard.press(key)
    # Half of what six pauses take: node's timers may fire early.
    assert monotonic() - began >= 3 * EXPECTED["slow_mo"] / 1000


def test_a_relative_address(page, base_url):
    page.route("**/*", lambda route: route.fulfill(body="<title>routed</title>"))
    page.goto("/here")
    assert page.url == base_url + "/here"
