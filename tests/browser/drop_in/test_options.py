"""pytest-playwright's options: the same outcomes, the same words, the same files."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.lib.drop_in import Suite

pytestmark = pytest.mark.browser

PAGES = "test_pages.py"
CHROMIUM = {
    f"{PAGES}::test_passing[chromium]": "passed",
    f"{PAGES}::test_failing[chromium]": "failed",
    f"{PAGES}::test_two_contexts[chromium]": "passed",
    f"{PAGES}::test_without_a_browser": "passed",
    f"{PAGES}::test_not_on_firefox[chromium]": "passed",
    f"{PAGES}::test_only_on_firefox[chromium]": "skipped",
}
# One picture element per point: pytest-playwright drops a picture that takes five seconds.
DEVICE = "Blackberry PlayBook"
IN_A_FOLDER = "deep/test-pages-py-test"


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """A few pages, of which one fails."""
    return Suite(tmp_path, "options")


def test_everything_on(suite: Suite) -> None:
    expected = {"device": DEVICE, "base_url": "http://site.test", "slow_mo": 60}
    run = suite.both(
        "--tracing=on", "--screenshot=on", "--full-page-screenshot", f"--device={DEVICE}",
        "--base-url=http://site.test", "--slowmo=60", "--output=test-results/deep",
        EXPECTED=json.dumps(expected),
    ).agreed()  # fmt: skip
    assert run.outcomes == CHROMIUM | {
        "test_values.py::test_values[chromium]": "passed",
        "test_values.py::test_slow_motion[chromium]": "passed",
        "test_values.py::test_a_relative_address[chromium]": "passed",
    }
    assert run.artefacts == [
        f"{IN_A_FOLDER}-failing-chromium/test-failed-1.png",
        f"{IN_A_FOLDER}-failing-chromium/trace.zip",
        f"{IN_A_FOLDER}-not-on-firefox-chromium/test-finished-1.png",
        f"{IN_A_FOLDER}-not-on-firefox-chromium/trace.zip",
        f"{IN_A_FOLDER}-passing-chromium/test-finished-1.png",
        f"{IN_A_FOLDER}-passing-chromium/trace.zip",
        f"{IN_A_FOLDER}-two-contexts-chromium/test-finished-1.png",
        f"{IN_A_FOLDER}-two-contexts-chromium/test-finished-2.png",
        f"{IN_A_FOLDER}-two-contexts-chromium/trace-1.zip",
        f"{IN_A_FOLDER}-two-contexts-chromium/trace-2.zip",
        "deep/test-values-py-test-a-relative-address-chromium/test-finished-1.png",
        "deep/test-values-py-test-a-relative-address-chromium/trace.zip",
        "deep/test-values-py-test-slow-motion-chromium/test-finished-1.png",
        "deep/test-values-py-test-slow-motion-chromium/trace.zip",
        "deep/test-values-py-test-values-chromium/test-finished-1.png",
        "deep/test-values-py-test-values-chromium/trace.zip",
    ]


def test_kept_after_a_failure_and_spread_over_xdist_workers(suite: Suite) -> None:
    run = suite.both(
        "--tracing=retain-on-failure", "--screenshot=only-on-failure",
        "-n2", "--dist=loadfile", PAGES,
    ).agreed()  # fmt: skip
    assert run.outcomes == CHROMIUM
    assert run.artefacts == [
        "test-pages-py-test-failing-chromium/test-failed-1.png",
        "test-pages-py-test-failing-chromium/trace.zip",
    ]
    assert "2 workers" in run.text


@pytest.mark.soak
def test_tests_of_one_file_on_two_workers(suite: Suite) -> None:
    run = suite.both("-n2", PAGES, "-v").agreed()
    assert run.outcomes == CHROMIUM
    assert run.artefacts == []
    assert "[gw0]" in run.text
    assert "[gw1]" in run.text


@pytest.mark.soak
def test_a_video_without_an_encoder_is_an_error_of_the_fixture(suite: Suite) -> None:
    pair = suite.both("--video=on", PAGES, "-k", "passing or without")
    run = pair.agreed()
    assert run.outcomes == {
        f"{PAGES}::test_passing[chromium]": "error",
        f"{PAGES}::test_without_a_browser": "passed",
    }
    for one in (pair.stock, pair.ours):
        assert "ffmpeg" in one.text


@pytest.mark.soak
def test_several_browsers_of_which_one_is_not_installed(suite: Suite) -> None:
    pair = suite.both("--browser=chromium", "--browser=firefox", PAGES)
    run = pair.agreed()
    assert run.outcomes == CHROMIUM | {
        f"{PAGES}::test_passing[firefox]": "error",
        f"{PAGES}::test_failing[firefox]": "error",
        f"{PAGES}::test_two_contexts[firefox]": "error",
        f"{PAGES}::test_not_on_firefox[firefox]": "skipped",
        f"{PAGES}::test_only_on_firefox[firefox]": "error",
    }
    for one in (pair.stock, pair.ours):
        assert "Executable doesn't exist" in one.text


def test_an_unknown_channel_is_playwrights_own_error(suite: Suite) -> None:
    pair = suite.both("--browser-channel=not-a-channel", PAGES, "-k", "passing")
    assert pair.agreed().outcomes == {f"{PAGES}::test_passing[chromium]": "error"}
    for one in (pair.stock, pair.ours):
        assert 'Unsupported chromium channel "not-a-channel"' in one.text


@pytest.mark.soak
def test_a_window_without_a_display_is_an_error(suite: Suite) -> None:
    run = suite.both("--headed", PAGES, "-k", "passing").agreed()
    assert run.outcomes == {f"{PAGES}::test_passing[chromium]": "error"}


@pytest.mark.skipif(shutil.which("xvfb-run") is None, reason="xvfb-run is not installed")
def test_a_window_on_a_display(suite: Suite) -> None:
    run = suite.both("--headed", PAGES, "-k", "passing", under=["xvfb-run", "-a"]).agreed()
    assert run.outcomes == {f"{PAGES}::test_passing[chromium]": "passed"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--browser=no-browser"], "--browser: invalid choice: 'no-browser'"),
        (["--playwright-debug=cli"], "requires disabled output capture"),
        (["--playwright-debug=cli", "-s", "-n2"], "requires a single worker"),
    ],
    ids=["browser", "debug with capture", "debug with workers"],
)
def test_what_is_refused_before_the_first_test(
    suite: Suite, arguments: Sequence[str], words: str
) -> None:
    pair = suite.both(*arguments)
    assert pair.agreed().exit_code == 4
    for one in (pair.stock, pair.ours):
        assert words in one.text


def test_a_run_that_stops_early_ends_with_the_same_code(tmp_path: Path) -> None:
    """An interrupt by the test itself, after a failure that `-x` would have stopped at."""
    suite = Suite(
        tmp_path,
        {
            "test_it.py": """
def test_before(): pass
def test_interrupting(): raise KeyboardInterrupt
def test_after(): pass
"""
        },
    )
    run = suite.both().agreed()
    assert run.outcomes == {"test_it.py::test_before": "passed"}
    assert run.exit_code == 2


def test_several_browsers_are_collected_in_the_same_order(suite: Suite) -> None:
    pair = suite.both("--collect-only", "-q", "--browser=chromium", "--browser=firefox", PAGES)
    pair.agreed()
    collected = [
        [line for line in one.text.splitlines() if "::" in line] for one in (pair.stock, pair.ours)
    ]
    assert collected[0] == collected[1]
    assert [line.partition("::")[2] for line in collected[1][3:6]] == [
        "test_not_on_firefox[chromium]",
        "test_only_on_firefox[chromium]",
        "test_passing[firefox]",
    ]
