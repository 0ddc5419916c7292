"""Every test gets its lane by the fixtures it reaches, before `-m` selects."""

import pytest

SUITE = """
    import pytest

    @pytest.fixture
    def logged_in(page):
        return page

    def test_plain(): pass
    def test_page(page): pass
    def test_through_a_fixture(logged_in): pass
    def test_handle(chromium): pass
    def test_server(serve): pass
    def test_process(own): pass
    def test_server_and_page(serve, page): pass
    def test_scratch_only(scratch): pass

    @pytest.mark.parametrize("page", [1])
    def test_a_parameter_called_page(page): pass

    @pytest.mark.browser
    def test_marked_by_hand(): pass

    @pytest.mark.unit
    def test_marked_down_by_hand(page): pass

    class TestOfAClass:
        def test_page(self, page): pass
"""


def selected(pytester: pytest.Pytester, *arguments: str) -> list[str]:
    """Return the names of the tests that `arguments` select, in order, without parameters."""
    result = pytester.runpytest_inprocess("--collect-only", "-q", *arguments)
    names = [line.split("::")[-1] for line in result.outlines if "::" in line]
    return sorted(name.split("[")[0] for name in names)


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """A suite with one test of every kind."""
    pytester.makepyfile(SUITE)
    return pytester


def test_the_browser_lane_is_what_reaches_a_browser(suite: pytest.Pytester) -> None:
    assert selected(suite, "-m", "browser") == [
        "test_handle",
        "test_marked_by_hand",
        "test_page",
        "test_page",
        "test_server_and_page",
        "test_through_a_fixture",
    ]


def test_the_server_lane_is_what_starts_a_server_and_no_browser(suite: pytest.Pytester) -> None:
    assert selected(suite, "-m", "server") == ["test_process", "test_server"]


def test_the_unit_lane_is_the_rest(suite: pytest.Pytester) -> None:
    assert selected(suite, "-m", "unit") == [
        "test_a_parameter_called_page",
        "test_marked_down_by_hand",
        "test_plain",
        "test_scratch_only",
    ]


def test_a_fixture_of_the_suite_called_page_is_no_browser(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.fixture
        def page(): return "of a book"

        def test_reading(page): pass
        """
    )
    assert selected(pytester, "-m", "browser and not unit") == []


def test_an_override_that_wraps_the_real_page_is_a_browser(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.fixture
        def page(page): return page

        def test_it(page): pass
        """
    )
    assert selected(pytester, "-m", "browser") == ["test_it"]


def test_a_mark_that_the_suite_declares_itself_is_not_ours_to_set(
    pytester: pytest.Pytester,
) -> None:
    pytester.makeini("[pytest]\nmarkers =\n    unit: fast ones\n")
    pytester.makepyfile(
        """
        import pytest

        def test_plain(): pass

        @pytest.mark.unit
        def test_fast(): pass
        """
    )
    assert selected(pytester, "-m", "unit") == ["test_fast"]


def test_marks_are_known_to_strict_suites(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_plain(): pass")
    assert pytester.runpytest_subprocess("--strict-markers", "-m", "unit").ret == 0


def test_a_wrong_configuration_is_a_usage_error_that_names_every_problem(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyprojecttoml(
        "[tool.harness]\nzygot = true\nserver_start_seconds = -1\n[tool.pytest.ini_options]\n"
    )
    pytester.makepyfile("def test_plain(): pass")
    result = pytester.runpytest_subprocess()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    errors = result.stderr.str()
    assert "tool.harness.zygot" in errors
    assert "tool.harness.server_start_seconds" in errors
    assert "INTERNALERROR" not in errors + result.stdout.str()


def test_collecting_starts_no_guard(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
        import os

        def pytest_collection_finish(session):
            print("token", os.environ.get("HARNESS_RUN_TOKEN", "none"))
        """
    )
    pytester.makepyfile("def test_plain(): pass")
    result = pytester.runpytest_subprocess("--collect-only", "-q", "-s", "-p", "no:cacheprovider")
    outer = __import__("os").environ.get("HARNESS_RUN_TOKEN", "none")
    result.stdout.fnmatch_lines([f"token {outer}"])


def test_a_lane_is_no_keyword(suite: pytest.Pytester) -> None:
    """`-k` selects by names: a mark that nobody wrote must not change what it finds."""
    assert "test_page" in selected(suite, "-k", "not browser")
    assert "test_server" not in selected(suite, "-k", "browser")
    assert selected(suite, "-k", "unit") == ["test_marked_down_by_hand"]


def test_a_mark_that_somebody_declares_after_us_is_theirs(suite: pytest.Pytester) -> None:
    """A plugin named with `-p` is configured last."""
    suite.makepyfile(
        late="""
        def pytest_configure(config):
            config.addinivalue_line("markers", "unit: theirs")
        """
    )
    suite.syspathinsert()
    result = suite.runpytest_subprocess("--collect-only", "-q", "-m", "unit", "-p", "late")
    assert [line.split("::")[-1] for line in result.outlines if "::" in line] == [
        "test_marked_down_by_hand[chromium]"
    ]
