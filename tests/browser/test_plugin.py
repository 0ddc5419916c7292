"""The plugin in somebody else's suite: pytest-playwright's fixtures on our browser."""

import os
import re

import pytest

pytestmark = pytest.mark.browser


def test_the_fixtures_of_pytest_playwright_run_on_an_owned_chromium(
    suite: pytest.Pytester,
) -> None:
    suite.makepyfile(
        """
        import os

        def test_all(page, context, browser, new_context, browser_type, playwright,
                     chromium, cdp, scratch):
            page.set_content("<title>Hello</title>")
            assert page.title() == "Hello"
            assert page.context == context
            assert context.browser == browser
            assert browser.browser_type == browser_type == playwright.chromium
            other = new_context(locale="de-DE").new_page()
            assert other.evaluate("navigator.language") == "de-DE"
            assert browser.version in chromium.version
            assert os.getpgid(chromium.pid) == chromium.process_group == chromium.pid
            assert cdp.send("Runtime.evaluate", {"expression": "1 + 1"})["result"]["value"] == 2
            assert scratch.is_dir()
            assert list(scratch.iterdir()) == []
        """
    )
    suite.runpytest_subprocess().assert_outcomes(passed=1)


KILLED = """
    import os, signal
    import pytest

    def test_killed(page, chromium):
        os.kill(chromium.pid, signal.SIGKILL)
        page.evaluate("new Promise(() => {})")

    def test_next(page, chromium):
        page.set_content("<title>fresh</title>")
        assert page.title() == "fresh"
        assert chromium.died() is None
"""


def test_a_killed_browser_fails_its_test_at_once_and_the_next_gets_a_fresh_one(
    suite: pytest.Pytester,
) -> None:
    suite.makepyfile(KILLED)
    result = suite.runpytest_subprocess("--timeout=30")
    result.assert_outcomes(failed=1, passed=1)
    text = result.stdout.str()
    assert re.search(r"E +Chromium \(pid \d+\) was killed by signal 9 \(SIGKILL\)", text)
    assert re.search(r"browser: Chromium pid \d+, killed by signal 9 \(SIGKILL\)", text)
    assert "Timeout" not in text


def test_a_browser_that_dies_behind_a_passing_test_fails_it(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        import os, signal

        def test_killed(page, chromium):
            os.kill(chromium.pid, signal.SIGKILL)
            assert chromium.wait_until_dead(20)

        def test_next(page):
            page.set_content("x")
        """
    )
    result = suite.runpytest_subprocess()
    result.assert_outcomes(failed=1, passed=1)
    assert "BrowserGone: Chromium (pid" in result.stdout.str()


def test_a_session_fixture_that_depends_on_a_dead_browser_is_made_anew(
    suite: pytest.Pytester,
) -> None:
    suite.makepyfile(
        """
        import os, signal
        import pytest

        @pytest.fixture(scope="session")
        def shared(browser):
            context = browser.new_context()
            yield context.new_page()

        def test_killed(shared, chromium):
            os.kill(chromium.pid, signal.SIGKILL)
            shared.evaluate("new Promise(() => {})")

        def test_next(shared):
            assert shared.evaluate("1 + 1") == 2
        """
    )
    suite.runpytest_subprocess("--timeout=30").assert_outcomes(failed=1, passed=1)


def test_a_call_that_playwright_leaves_without_an_answer_is_ended_by_the_browsers_death(
    suite: pytest.Pytester,
) -> None:
    """Creating a page is such a call when the browser dies at the wrong moment."""
    suite.makepyfile(
        """
        import os, signal
        import pytest
        from harness.errors import BrowserGone

        def test_hanging(page, chromium):
            future = page._loop.create_future()

            async def unanswered():
                os.kill(chromium.pid, signal.SIGKILL)
                await future

            with pytest.raises(BrowserGone, match="killed by signal 9"):
                page._sync(unanswered())

        def test_next(page):
            page.set_content("x")
        """
    )
    result = suite.runpytest_subprocess("--timeout=60")
    result.assert_outcomes(passed=1, failed=1)
    assert "BrowserGone: Chromium (pid" in result.stdout.str()


def test_a_stopped_browser_does_not_keep_an_interrupted_run_from_ending(
    suite: pytest.Pytester,
) -> None:
    suite.makepyfile(
        """
        import os, signal

        def test_interrupted(page, chromium):
            page.set_content("x")
            os.kill(chromium.pid, signal.SIGSTOP)
            os.kill(os.getpid(), signal.SIGINT)
            page.evaluate("1 + 1")
        """
    )
    result = suite.runpytest_subprocess(timeout=60)
    assert result.ret == pytest.ExitCode.INTERRUPTED


def test_a_dead_browser_of_a_tests_own_leaves_the_sessions_browser_alone(
    suite: pytest.Pytester,
) -> None:
    suite.makepyfile(
        """
        import os, signal
        import psutil
        import pytest

        seen = []

        def test_own(launch_browser, chromium, request):
            from harness.pytest_plugin.browser_fixtures import pool_of
            seen.append(chromium.pid)
            mine = pool_of(request.config).chromium_of(launch_browser())
            os.kill(mine.pid, signal.SIGKILL)
            mine.wait_until_dead(20)
            seen.append(mine.scratch)

        @pytest.mark.parametrize("n", range(2))
        def test_next(chromium, n):
            assert chromium.pid == seen[0]
            assert not seen[1].exists()
            zombies = [child for child in psutil.Process().children()
                       if child.status() == psutil.STATUS_ZOMBIE]
            assert zombies == []
        """
    )
    suite.runpytest_subprocess().assert_outcomes(failed=1, passed=2)


def test_a_browser_that_the_test_closes_is_no_death(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        def test_closing(launch_browser):
            browser = launch_browser()
            browser.new_page().set_content("x")
            browser.close()
            assert not browser.is_connected()
        """
    )
    suite.runpytest_subprocess().assert_outcomes(passed=1)


def test_a_suites_own_fixtures_win(suite: pytest.Pytester) -> None:
    suite.makeconftest(
        """
        import pytest

        @pytest.fixture(scope="session")
        def browser_context_args(browser_context_args):
            return {**browser_context_args, "viewport": {"width": 333, "height": 222}}

        @pytest.fixture(scope="session")
        def browser_type_launch_args(browser_type_launch_args):
            return {**browser_type_launch_args, "args": ["--user-agent=Mine/1.0"]}

        @pytest.fixture
        def page(page):
            page.set_content("<title>mine</title>")
            return page
        """
    )
    suite.makepyfile(
        """
        def test_it(page):
            assert page.title() == "mine"
            assert page.viewport_size == {"width": 333, "height": 222}
            assert page.evaluate("navigator.userAgent") == "Mine/1.0"
        """
    )
    suite.runpytest_subprocess().assert_outcomes(passed=1)


def test_an_option_without_meaning_over_cdp_is_served_by_playwright_itself(
    suite: pytest.Pytester,
) -> None:
    suite.makepyfile(
        """
        import pytest

        @pytest.fixture(scope="session")
        def browser_type_launch_args(browser_type_launch_args, tmp_path_factory):
            from harness.browser.binary import find
            return {**browser_type_launch_args, "executable_path": str(find().path),
                    "traces_dir": str(tmp_path_factory.mktemp("traces"))}

        def test_it(page):
            page.set_content("<title>native</title>")
            assert page.title() == "native"

        def test_handle(browser, request):
            with pytest.raises(pytest.UsageError, match="came from Playwright itself"):
                request.getfixturevalue("chromium")
        """
    )
    suite.runpytest_subprocess().assert_outcomes(passed=2)


def test_playwrights_own_refusal_of_an_argument_is_kept(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        import pytest
        from playwright.sync_api import Error

        def test_it(launch_browser):
            with pytest.raises(Error, match="user_data_dir"):
                launch_browser(args=["--user-data-dir=/tmp/mine"])
        """
    )
    suite.runpytest_subprocess().assert_outcomes(passed=1)


@pytest.mark.parametrize(("ci", "outcome"), [("", "skipped"), ("true", "errors")])
def test_without_a_browser_tests_skip_by_name_but_fail_in_ci(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, ci: str, outcome: str
) -> None:
    monkeypatch.setenv("HARNESS_CHROMIUM", "/no/such/browser")
    monkeypatch.setenv("CI", ci)
    suite.makepyfile("def test_page(page): pass\ndef test_plain(): pass")
    result = suite.runpytest_subprocess("-rs")
    result.assert_outcomes(passed=1, **{outcome: 1})
    text = result.stdout.str()
    assert "no Chromium was found" in text
    assert ("1 test was skipped because there is no Chromium" in text) == (ci == "")


def test_xdist_workers_add_up_what_was_skipped_without_a_browser(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARNESS_CHROMIUM", "/no/such/browser")
    suite.makepyfile(test_one="def test_page(page): pass", test_two="def test_page(page): pass")
    result = suite.runpytest_subprocess("-n", "2", "--dist", "loadfile")
    result.assert_outcomes(skipped=2)
    assert "2 tests were skipped because there is no Chromium" in result.stdout.str()


def test_an_own_process_ends_with_its_test(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        import os, subprocess, sys

        processes = []

        def test_own(own):
            processes.append(own(subprocess.Popen(["sleep", "600"], start_new_session=True)))
            assert processes[0].poll() is None

        def test_gone():
            assert processes[0].returncode == -15
        """
    )
    result = suite.runpytest_subprocess()
    result.assert_outcomes(passed=2)
    assert "left processes behind" not in result.stdout.str()


def test_what_a_test_leaves_behind_is_ended_and_named(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        import subprocess

        def test_leak():
            subprocess.Popen(["sleep", "601"], start_new_session=True)
        """
    )
    result = suite.runpytest_subprocess("-W", "ignore::ResourceWarning")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*tests left processes behind, now ended*", "pid * sleep 601"])


def test_xdist_workers_have_browsers_of_their_own_and_report_what_they_find(
    suite: pytest.Pytester,
) -> None:
    suite.makepyfile(
        """
        import os, subprocess
        import pytest

        @pytest.mark.parametrize("n", range(4))
        def test_page(page, chromium, n):
            page.set_content(f"<title>{n}</title>")
            assert page.title() == str(n)

        def test_leak():
            subprocess.Popen(["sleep", "602"], start_new_session=True)
        """
    )
    result = suite.runpytest_subprocess("-n", "2", "-W", "ignore::ResourceWarning")
    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines(["pid * sleep 602"])


def test_the_token_is_in_the_environment_during_the_run_only(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARNESS_RUN_TOKEN", "0uter")
    suite.makepyfile(
        test_it="""
        import os

        def test_token():
            outer, own = os.environ["HARNESS_RUN_TOKEN"].split(":")
            assert outer == "0uter"
            assert len(own) == 16
        """,
        main="""
        import os, pytest, sys
        code = pytest.main(["-q", "test_it.py"])
        print("after", os.environ["HARNESS_RUN_TOKEN"])
        sys.exit(code)
        """,
    )
    result = suite.runpython(suite.path / "main.py")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["after 0uter"])
    assert os.environ["HARNESS_RUN_TOKEN"] == "0uter"


def test_a_hung_browser_keeps_no_teardown_waiting_and_the_next_test_gets_a_fresh_one(
    suite: pytest.Pytester,
) -> None:
    suite.makepyfile(
        """
        import os, signal
        import psutil

        def test_stops_it(page, chromium):
            page.goto("about:blank")
            os.kill(chromium.pid, signal.SIGSTOP)
            while psutil.Process(chromium.pid).status() != psutil.STATUS_STOPPED:
                continue
            assert False, "the test's own failure"

        def test_next(page):
            page.set_content("x")
        """
    )
    result = suite.runpytest_subprocess(timeout=60)
    result.assert_outcomes(failed=1, passed=1)
    assert re.search(r"browser: Chromium pid \d+, hung", result.stdout.str())


@pytest.mark.parametrize("end", ["assert False", "os.kill(os.getpid(), signal.SIGINT)"])
def test_a_renderer_that_is_stopped_keeps_no_teardown_waiting(
    suite: pytest.Pytester, end: str
) -> None:
    suite.makepyfile(
        f"""
        import os, signal

        def test_stops_it(page, chromium):
            page.set_content("x")
            pids = {{
                process.pid
                for process in chromium.processes()
                if any(word.startswith("--type=") for word in process.command)
            }}
            for pid in pids:
                os.kill(pid, signal.SIGSTOP)
            while not all(one.stopped for one in chromium.processes() if one.pid in pids):
                continue
            {end}
        """
    )
    result = suite.runpytest_subprocess(timeout=30)
    assert result.ret in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED)
    assert "could not keep" not in result.stdout.str()
