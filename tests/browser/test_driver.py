"""Playwright's driver is owned, and so is what it launches without asking us."""

import os
import re
import signal
from pathlib import Path

import pytest

from harness.browser.binary import find
from tests.lib import witness
from tests.lib.events import wait_for_file, wait_until
from tests.lib.stage import Stage

pytestmark = pytest.mark.browser

OWN_LAUNCH = f"EXECUTABLE = {str(find().path)!r}\n"
HELPERS = """
import os, signal
import psutil

def driver():
    return next(
        process for process in psutil.Process().children(recursive=True)
        if "run-driver" in process.cmdline() and "harness-warden" not in process.cmdline()
    )

def stopped(process):
    # A process of many threads is stopped a moment after it was told to.
    process.suspend()
    while process.status() != psutil.STATUS_STOPPED:
        continue
"""


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """A suite of its own process, with an own launch and a way to find the driver."""
    pytester.makeini("[pytest]\naddopts = -p no:cacheprovider\n")
    pytester.makepyfile(helpers=OWN_LAUNCH + HELPERS)
    pytester.syspathinsert()
    return pytester


def test_a_browser_that_nobody_closed_ends_with_the_driver(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        from helpers import EXECUTABLE, driver

        def test_launches(playwright, tmp_path):
            playwright.chromium.launch(executable_path=EXECUTABLE).new_page()
            context = playwright.chromium.launch_persistent_context(
                tmp_path / "profile", executable_path=EXECUTABLE
            )
            context.pages[0].set_content("<title>kept</title>")
            assert context.pages[0].title() == "kept"
            assert "harness-warden" in driver().parent().cmdline()
        """
    )
    result = suite.runpytest_subprocess()
    result.assert_outcomes(passed=1)
    assert "left processes behind" not in result.stdout.str()
    assert "could not keep" not in result.stdout.str()


def test_a_driver_that_a_test_started_and_forgot_is_ended_and_named(
    suite: pytest.Pytester,
) -> None:
    suite.makepyfile(
        """
        from playwright.sync_api import sync_playwright
        from helpers import EXECUTABLE

        def test_forgets():
            sync_playwright().start().chromium.launch(executable_path=EXECUTABLE)
        """
    )
    result = suite.runpytest_subprocess("-W", "ignore")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "*tests left processes behind, now ended*",
            "pid * (still running): Playwright's driver",
        ]
    )
    assert "could not keep" not in result.stdout.str()


def test_a_stopped_driver_keeps_no_teardown_waiting_and_the_next_test_gets_a_fresh_one(
    suite: pytest.Pytester,
) -> None:
    suite.makepyfile(
        """
        from helpers import driver, stopped

        def test_stops_it(page):
            page.set_content("x")
            stopped(driver())
            assert False, "the test's own failure"

        def test_next(page):
            page.set_content("<title>fresh</title>")
            assert page.title() == "fresh"
        """
    )
    result = suite.runpytest_subprocess("-W", "ignore", timeout=100)
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(
        ["E *lanewright: Playwright's driver was stopped (SIGSTOP), so it was ended"]
    )


def test_a_stopped_driver_behind_a_page_that_a_fixture_asked_for_late_is_ended_too(
    suite: pytest.Pytester,
) -> None:
    suite.makepyfile(
        """
        import pytest
        from helpers import driver, stopped

        @pytest.fixture
        def late(request):
            return request.getfixturevalue("page")

        def test_stops_it(late):
            late.set_content("x")
            stopped(driver())
            assert False, "the test's own failure"
        """
    )
    result = suite.runpytest_subprocess("-W", "ignore", timeout=100)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["E *lanewright: Playwright's driver was stopped (SIGSTOP), so it was ended"]
    )


def test_a_test_that_uses_up_its_descriptors_breaks_no_promise(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        import os, resource

        HELD = []
        LIMITS = resource.getrlimit(resource.RLIMIT_NOFILE)

        def test_uses_them_up():
            resource.setrlimit(resource.RLIMIT_NOFILE, (64, LIMITS[1]))
            try:
                while True:
                    HELD.append(os.open("/", os.O_RDONLY))
            except OSError:
                pass

        def teardown_function():
            resource.setrlimit(resource.RLIMIT_NOFILE, LIMITS)
            for number in HELD:
                os.close(number)
        """
    )
    result = suite.runpytest_subprocess()
    result.assert_outcomes(passed=1)
    assert "could not keep" not in result.stdout.str()


def test_a_killed_driver_is_named_and_the_next_test_gets_a_fresh_one(
    suite: pytest.Pytester,
) -> None:
    suite.makepyfile(
        """
        from helpers import driver

        def test_killed(page):
            page.set_content("x")
            driver().kill()
            page.title()

        def test_next(page):
            page.set_content("<title>fresh</title>")
            assert page.title() == "fresh"

        def test_killed_behind_a_passing_test(page):
            page.set_content("x")
            driver().kill()

        def test_last(page):
            page.set_content("<title>fresh</title>")
            assert page.title() == "fresh"
        """
    )
    result = suite.runpytest_subprocess("-W", "ignore", timeout=100)
    result.assert_outcomes(failed=1, passed=3, errors=1)
    named = re.findall(
        r"Playwright's driver \(pid \d+\) was killed by signal 9", result.stdout.str()
    )
    assert len(set(named)) == 2


def test_a_forked_child_that_holds_the_drivers_input_keeps_no_run_from_ending(
    suite: pytest.Pytester,
) -> None:
    suite.makepyfile(
        """
        import ctypes, os, signal

        def test_forks(page):
            page.set_content("x")
            for fork in (os.fork, ctypes.PyDLL(None).fork):
                if fork() == 0:
                    signal.alarm(60)
                    signal.pause()
                    os._exit(1)
        """
    )
    result = suite.runpytest_subprocess("-W", "ignore", timeout=30)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*tests left processes behind, now ended*"])
    assert "Playwright's driver" not in result.stdout.str()
    assert "could not keep" not in result.stdout.str()


def test_the_runners_death_ends_what_the_driver_launched(
    suite: pytest.Pytester, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    suite.makepyfile(
        f"""
        import os, pathlib, signal
        import psutil
        from helpers import EXECUTABLE, driver, stopped

        def test_killed(playwright, page):
            playwright.chromium.launch(executable_path=EXECUTABLE).new_page()
            pids = [process.pid for process in psutil.Process().children(recursive=True)]
            stopped(driver())
            pathlib.Path({str(state)!r} + ".draft").write_text(" ".join(map(str, pids)))
            os.rename({str(state)!r} + ".draft", {str(state)!r})
            signal.pause()
        """
    )
    command = [os.sys.executable, "-m", "pytest", "-q"]  # type: ignore[attr-defined]
    root = tmp_path / "tmp"
    root.mkdir()
    environment = {**os.environ, "TMPDIR": str(root)}
    with Stage(command, cwd=suite.path, env=environment, log=tmp_path / "log") as stage:
        pids = [int(word) for word in wait_for_file(state, 60).split()]
        identities = [identity for pid in pids if (identity := witness.identity(pid))]
        assert len(identities) > 10
        stage.signal(signal.SIGKILL)
        stage.wait(20)
        wait_until(
            lambda: not any(map(witness.alive, identities)), 1.0, "everything below it to be gone"
        )
    assert [path.name for path in root.iterdir() if not path.name.startswith("lanewright-")] == []


def test_an_own_node_is_the_one_that_runs(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import playwright

    node = tmp_path / "its own node"
    node.symlink_to(Path(playwright.__file__).parent / "driver" / "node")
    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", str(node))
    monkeypatch.delenv("HARNESS_NODE", raising=False)
    suite.makepyfile(
        """
        import os
        from helpers import driver

        INNER = (
            "import os\\n"
            "from itertools import takewhile\\n"
            "from helpers import driver\\n"
            "def test_node(page):\\n"
            "    assert driver().cmdline()[0] == os.environ['HARNESS_NODE']\\n"
            "    mine = takewhile(lambda one: one.pid != os.getpid(), driver().parents())\\n"
            "    assert ['harness-warden' in one.cmdline() for one in mine] == [True]\\n"
        )

        def test_node(page):
            assert driver().cmdline()[0] == os.environ["HARNESS_NODE"]
            assert os.environ["HARNESS_NODE"].endswith("/its own node")

        def test_an_inner_run_has_no_warden_of_a_warden(pytester):
            pytester.makepyfile(INNER)
            pytester.runpytest_subprocess().assert_outcomes(passed=1)
        """
    )
    suite.makeconftest("pytest_plugins = ['pytester']")
    suite.runpytest_subprocess().assert_outcomes(passed=2)
