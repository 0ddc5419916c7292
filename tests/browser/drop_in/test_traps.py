"""What has bitten plugins of this kind: each ends as without the plugin."""

from pathlib import Path

import pytest

from tests.lib.drop_in import Suite

pytestmark = pytest.mark.browser

WITHOUT_INTERRUPT = ["sh", "-c", "trap '' INT; exec \"$@\"", "sh"]


def test_strict_marks_warnings_as_errors_and_a_shell_that_ignores_interrupts(
    tmp_path: Path,
) -> None:
    run = Suite(tmp_path, "traps").both("-k", "not browser", under=WITHOUT_INTERRUPT).agreed()
    assert run.outcomes == {
        "test_traps.py::test_a_parameter_called_page[chromium-a parameter]": "passed",
        "test_traps.py::test_with_the_suites_own_mark": "skipped",
        "test_traps.py::test_without_the_mark": "passed",
        "test_traps.py::test_a_page_while_every_warning_is_an_error[chromium]": "passed",
        "test_traps.py::test_the_loop_that_the_sync_api_leaves_running[chromium]": "passed",
        "test_traps.py::test_an_interrupt_that_the_shell_has_switched_off": "passed",
    }
    assert run.exit_code == 0


def test_a_suite_with_options_and_fixtures_of_its_own_and_no_playwright_plugin(
    tmp_path: Path,
) -> None:
    suite = Suite(
        tmp_path,
        {
            "pytest.ini": "[pytest]\naddopts = -p no:playwright -p no:timeout\n",
            "conftest.py": """
import os, pytest
from playwright.sync_api import sync_playwright

def pytest_addoption(parser):
    parser.addoption("--browser", default="chromium")
    parser.addoption("--headed", action="store_true")
    parser.addoption("--output", default="somewhere")
    parser.addoption("--timeout", type=int, default=7)

@pytest.fixture(scope="session")
def browser(pytestconfig):
    assert pytestconfig.getoption("--timeout") == 7
    with sync_playwright() as playwright:
        kind = getattr(playwright, pytestconfig.getoption("--browser"))
        browser = kind.launch(executable_path=os.environ["SUITE_CHROMIUM"],
                              headless=not pytestconfig.getoption("--headed"))
        yield browser
        browser.close()

@pytest.fixture
def page(browser):
    page = browser.new_page()
    yield page
    page.close()
""",
            "test_it.py": """
def test_page(page):
    page.set_content("<title>own</title>")
    assert page.title() == "own"

def test_failing(page):
    assert page.title() == "other"

def test_plain(): pass
""",
        },
    )
    run = suite.both().agreed()
    assert run.outcomes == {
        "test_it.py::test_page": "passed",
        "test_it.py::test_failing": "failed",
        "test_it.py::test_plain": "passed",
    }
    assert run.exit_code == 1


def test_plugins_named_by_hand_while_none_is_loaded_by_itself(tmp_path: Path) -> None:
    """Our module first or last: the browser is ours."""
    suite = Suite(
        tmp_path,
        {"test_it.py": "def test_it(page, chromium): assert chromium.died() is None\n"},
    )
    playwright, ours = (
        ("-p", "pytest_playwright.pytest_playwright"),
        ("-p", "harness.pytest_plugin"),
    )
    for order in ((*playwright, *ours), (*ours, *playwright)):
        run = suite.ours(*order, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
        assert run.outcomes == {"test_it.py::test_it[chromium]": "passed"}, run.text
