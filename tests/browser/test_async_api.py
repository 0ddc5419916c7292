"""pytest-playwright-asyncio: an async suite runs as it does without us."""

import re

import pytest

from tests.lib.beside import beside, in_order

pytestmark = pytest.mark.browser

# The order in which we can choose; the others are in tests/unit/pytest_plugin.
OURS_FIRST = ("lanewright", "pytest_playwright", "pytest_playwright_asyncio")
CONFTEST = """
    import pytest
    from harness.browser.binary import find

    @pytest.fixture(scope="session")
    def browser_type_launch_args(browser_type_launch_args):
        return {**browser_type_launch_args, "executable_path": str(find().path)}
"""
SUITE = """
    import pytest

    pytestmark = pytest.mark.asyncio(loop_scope="session")

    async def test_title(page, context, browser, browser_type, playwright, new_context):
        await page.set_content("<title>Hello</title>")
        assert await page.title() == "Hello"
        assert page.context == context
        assert context.browser == browser
        assert browser.browser_type == browser_type == playwright.chromium
        other = await (await new_context(locale="de-DE")).new_page()
        assert await other.evaluate("navigator.language") == "de-DE"

    async def test_red(page):
        await page.set_content("<title>Hello</title>")
        assert await page.title() == "another"

    @pytest.mark.skip(reason="not today")
    async def test_left_for_later(page): pass

    async def test_broken_fixture(page, missing): pass

    async def test_without_a_browser(): pass
"""
OUTCOMES = {"passed": 2, "failed": 1, "skipped": 1, "errors": 1}


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """An async suite whose warnings are errors, but for one of Playwright's own."""
    links = pytester.path.parent / f"{pytester.path.name}-order"
    monkeypatch.setenv("PYTHONPATH", in_order(links, OURS_FIRST, among=[beside("async")]))
    pytester.makeini(
        """
        [pytest]
        filterwarnings =
            error
            ignore:Session-scoped fixtures defined:pytest.PytestRemovedIn10Warning
        addopts = -p no:cacheprovider
        asyncio_default_fixture_loop_scope = session
        """
    )
    pytester.makeconftest(CONFTEST)
    return pytester


@pytest.mark.parametrize(
    "without", [(), ("-p", "no:lanewright", "-p", "no:playwright")], ids=["with", "without"]
)
def test_every_outcome_is_the_same_with_the_plugin_and_without(
    suite: pytest.Pytester, without: tuple[str, ...]
) -> None:
    suite.makepyfile(SUITE)
    result = suite.runpytest_subprocess(*without)

    result.assert_outcomes(**OUTCOMES)
    assert "E       AssertionError: assert 'Hello' == 'another'" in result.stdout.str()
    assert "lanewright evidence" not in result.stdout.str()
    assert "left processes behind" not in result.stdout.str()


def test_what_asks_for_an_async_page_is_in_the_browser_lane(suite: pytest.Pytester) -> None:
    suite.makepyfile(SUITE)
    result = suite.runpytest_subprocess("--collect-only", "-q", "-m", "browser")
    names = re.findall(r"::(\w+)", result.stdout.str())

    assert names == ["test_title", "test_red", "test_left_for_later", "test_broken_fixture"]


def test_the_fixtures_of_ours_that_need_our_own_launch_refuse_clearly(
    suite: pytest.Pytester,
) -> None:
    suite.makepyfile(
        """
        import pytest

        pytestmark = pytest.mark.asyncio(loop_scope="session")

        async def test_handle(page, chromium): pass
        async def test_session(page, cdp): pass
        async def test_scratch(page, scratch): assert scratch.is_dir()
        """
    )
    result = suite.runpytest_subprocess()

    result.assert_outcomes(passed=1, errors=2)
    result.stdout.fnmatch_lines(
        [
            "*UsageError: the fixture 'chromium' needs a browser that lanewright launched; *",
            "*UsageError: the fixture 'cdp' *: use 'await page.context.new_cdp_session(page)'",
        ]
    )


def test_xdist_workers_choose_like_their_controller(suite: pytest.Pytester) -> None:
    suite.makepyfile(SUITE)

    suite.runpytest_subprocess("-n", "2").assert_outcomes(**OUTCOMES)
