"""A fixture of ours never wins over a suite's, whatever kind of module that is in."""

import pytest


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """A suite with fixtures in a module of its own; it starts no browser."""
    pytester.makepyfile(
        suite_fixtures="""
        import pytest

        @pytest.fixture(scope="session")
        def launch_browser():
            return "theirs"

        @pytest.fixture(name="chromium")
        def anything():
            return "theirs"

        @pytest.fixture
        def scratch():
            return "theirs"
        """,
        test_it="""
        def test_it(launch_browser, chromium, scratch):
            assert [launch_browser, chromium, scratch] == ["theirs"] * 3
        """,
    )
    pytester.syspathinsert()
    return pytester


def test_a_module_that_the_conftest_names_wins(suite: pytest.Pytester) -> None:
    suite.makeconftest("pytest_plugins = ['suite_fixtures']")
    suite.runpytest_subprocess().assert_outcomes(passed=1)


def test_a_module_on_the_command_line_wins_over_ours(suite: pytest.Pytester) -> None:
    """Over ours only: pytest-playwright's own `launch_browser` wins over it, as ever."""
    suite.makepyfile(
        test_it="""
        def test_it(chromium, scratch):
            assert [chromium, scratch] == ["theirs"] * 2
        """
    )
    suite.runpytest_subprocess("-p", "suite_fixtures").assert_outcomes(passed=1)


def test_a_module_that_the_conftest_names_can_ask_for_what_it_overrides(
    pytester: pytest.Pytester,
) -> None:
    pytester.makeconftest("pytest_plugins = ['suite_fixtures']")
    pytester.makepyfile(
        suite_fixtures="""
        import pytest

        @pytest.fixture
        def scratch(scratch):
            return scratch / "below"
        """,
        test_it="""
        def test_it(scratch):
            assert scratch.name == "below"
            assert scratch.parent.is_dir()
        """,
    )
    pytester.syspathinsert()
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


def test_our_launch_stands_in_front_of_pytest_playwrights(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(launch_browser): pass")
    result = pytester.runpytest_subprocess("--fixtures-per-test", "-v")
    result.stdout.fnmatch_lines(["launch_browser -- *harness/pytest_plugin/browser_fixtures.py:*"])


def test_nobody_else_has_an_option_of_our_prefix(pytester: pytest.Pytester) -> None:
    text = pytester.runpytest_subprocess("--help").stdout.str()
    assert text.count("--harness-") == 1
    assert text.count("  harness_") == 1
    assert "--harness-native-launch" in text
    assert "harness_native_launch (bool):" in text


def test_an_option_that_somebody_has_taken_is_left_to_them(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        taken="""
        def pytest_addoption(parser):
            parser.addoption("--harness-native-launch", dest="theirs", default="theirs")
            parser.addini("harness_native_launch", "theirs", type="bool")
        """,
        test_it="""
        def test_it(pytestconfig):
            assert pytestconfig.getoption("theirs") == "theirs"
        """,
    )
    pytester.syspathinsert()
    pytester.runpytest_subprocess("-p", "taken").assert_outcomes(passed=1)
