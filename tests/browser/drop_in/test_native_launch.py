"""`--harness-native-launch`: Playwright launches, and everything else of ours stays."""

from pathlib import Path

import pytest

from tests.lib.drop_in import Suite

pytestmark = pytest.mark.browser

CONFTEST = """
import os, pytest

@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    return {**browser_type_launch_args, "executable_path": os.environ["SUITE_CHROMIUM"]}
"""
TESTS = """
import os, subprocess

def test_page(page):
    page.set_content("<title>native</title>")
    assert page.title() == "native"
    assert os.environ["HARNESS_RUN_TOKEN"]

def test_handle(chromium): pass

def test_failing(page):
    page.set_content("<script>console.error('said by the page')</script>")
    assert False

def test_leaving_something_behind():
    process = subprocess.Popen(["sleep", "603"], start_new_session=True)
    process.returncode = 0
"""


@pytest.mark.parametrize(
    "switch",
    ["--harness-native-launch", "--override-ini=harness_native_launch=true"],
    ids=["option", "ini"],
)
def test_playwright_launches_and_ownership_and_evidence_stay(tmp_path: Path, switch: str) -> None:
    run = Suite(tmp_path, {"conftest.py": CONFTEST, "test_it.py": TESTS}).ours(switch)
    assert run.outcomes == {
        "test_it.py::test_page[chromium]": "passed",
        "test_it.py::test_handle[chromium]": "error",
        "test_it.py::test_failing[chromium]": "failed",
        "test_it.py::test_leaving_something_behind": "passed",
    }, run.text
    assert "needs a Chromium that lanewright launched" in run.text
    assert "(chromium, --harness-native-launch is set)" in run.text
    assert "lanewright evidence" in run.text
    assert "said by the page" in run.text
    assert "tests left processes behind, now ended" in run.text
    assert "sleep 603" in run.text


def test_a_machine_without_a_sandbox_gets_playwrights_launch_and_is_told(tmp_path: Path) -> None:
    """Playwright gives no sandbox to anybody, so such a suite passes without the plugin."""
    picky = tmp_path / "picky"
    picky.write_text(
        '#!/bin/sh\ncase "$*" in *--remote-debugging-port=0*)'
        ' echo "No usable sandbox! Read the manual." >&2; exit 1;; esac\n'
        'exec "$SUITE_CHROMIUM" "$@"\n'
    )
    picky.chmod(0o755)
    suite = Suite(
        tmp_path,
        {
            "conftest.py": CONFTEST.replace('os.environ["SUITE_CHROMIUM"]', f'"{picky}"'),
            "test_it.py": "def test_it(page): page.set_content('x')\n",
        },
    )
    run = suite.ours()
    assert run.outcomes == {"test_it.py::test_it[chromium]": "passed"}, run.text
    assert "this machine gives Chromium no sandbox, so Playwright launched it" in run.text


def test_a_suite_that_names_no_browser_runs_on_the_one_that_is_found(tmp_path: Path) -> None:
    suite = Suite(
        tmp_path,
        {"test_it.py": "def test_it(browser, chromium): assert browser.contexts == []\n"},
    )
    assert suite.ours("--browser-channel=chromium").outcomes == {
        "test_it.py::test_it[chromium]": "passed"
    }
