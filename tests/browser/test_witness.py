"""The witness: what each test had of a browser, and which drove none."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytestmark = pytest.mark.browser

DROVE_NONE = "drove no browser"


def properties_of(report: Path) -> dict[str, dict[str, str]]:
    """Return the witness's properties in a JUnit file, by test name."""
    return {
        case.attrib["name"].partition("[")[0]: {
            one.attrib["name"].removeprefix("lanewright_"): one.attrib["value"]
            for one in case.iter("property")
            if one.attrib["name"].startswith("lanewright_")
        }
        for case in ElementTree.parse(report).iter("testcase")
    }


def named(result: pytest.RunResult) -> list[str]:
    """Return the tests that the end of a run names."""
    text = result.stdout.str()
    found = re.search(rf"^=+ lanewright: .* {DROVE_NONE} =+\n((?:.*::.*\n)+)", text, re.MULTILINE)
    return found[1].replace("[chromium]", "").split() if found else []


SUITE = """
    from pathlib import Path
    import pytest
    from playwright.sync_api import expect

    @pytest.fixture
    def opened(page):
        page.set_content("<h1>x</h1>")
        return page

    @pytest.fixture(scope="module")
    def heading(browser):
        page = browser.new_page()
        page.set_content("<h1>shared</h1>")
        yield page.inner_text("h1")
        page.close()

    def test_navigates(page, serve):
        page.goto(serve(Path("site")).url)
        page.evaluate("location.hash = 'x'")
        assert page.title() == "T"

    def test_raw(page, cdp):
        cdp.send("Runtime.evaluate", {"expression": "1"})

    def test_only_sets_content(page): page.set_content("<p>x</p>")
    def test_only_expects(page): expect(page.locator("p")).to_have_count(0)
    def test_only_in_a_fixture(opened): pass
    def test_opens_a_page(context): context.new_page()
    def test_launches(browser_type):
        from harness.browser.binary import find
        browser_type.launch(executable_path=str(find().path)).close()

    def test_nothing(page): assert page.url == "about:blank"
    def test_nothing_late(request): request.getfixturevalue("page")
    def test_nothing_and_cdp(page, cdp): pass
    def test_fails_before(page): assert 0

    def test_first_shared(heading): assert heading == "shared"
    def test_second_shared(heading): assert heading == "shared"

    def test_handle(chromium): assert chromium.died() is None
    @pytest.mark.skip
    def test_skipped(page): pass
    def test_skips_itself(page): pytest.skip("not today")
    @pytest.mark.xfail
    def test_expected(page): assert 0
    @pytest.mark.browser
    def test_by_hand(): pass
    def test_unit(): pass
"""
# pytest-playwright 0.10 under pytest 9.
PLAYWRIGHTS_OWN = ("-W", "ignore:Session-scoped fixtures:pytest.PytestRemovedIn10Warning")
EXPECTED = ["test_nothing", "test_nothing_and_cdp", "test_fails_before"]


@pytest.fixture
def driven(suite: pytest.Pytester) -> pytest.Pytester:
    """A suite whose tests drive a browser in every way, and in none."""
    (suite.path / "site").mkdir()
    (suite.path / "site" / "index.html").write_text(
        "<title>T</title><link rel=icon href=data:,><iframe src=frame.html></iframe>"
    )
    (suite.path / "site" / "frame.html").write_text("<p>in the frame</p>")
    suite.makepyfile(test_it=SUITE)
    return suite


def test_each_browser_test_has_its_counts_and_those_that_drove_none_are_named(
    driven: pytest.Pytester,
) -> None:
    result = driven.runpytest_subprocess("--junitxml=junit.xml", "-W", "error", *PLAYWRIGHTS_OWN)
    result.assert_outcomes(passed=15, failed=1, skipped=2, xfailed=1)
    assert named(result) == [f"test_it.py::{name}" for name in EXPECTED]
    found = properties_of(driven.path / "junit.xml")
    assert found["test_navigates"] == {
        "witness": "drove a browser",
        "navigations": "3",
        "requests": "2",
        "commands": "3",
        "cdp_commands": "0",
    }
    assert found["test_raw"] | {"witness": ""} == {
        "witness": "",
        "navigations": "0",
        "requests": "0",
        "commands": "0",
        "cdp_commands": "1",
    }
    assert {name: found[name]["commands"] for name in (
        "test_only_sets_content", "test_only_expects", "test_only_in_a_fixture",
        "test_opens_a_page", "test_launches",
    )} == dict.fromkeys(
        ("test_only_sets_content", "test_only_expects", "test_only_in_a_fixture",
         "test_opens_a_page"), "1"
    ) | {"test_launches": "2"}  # fmt: skip
    assert {name: one.get("witness") for name, one in found.items()} == {
        **dict.fromkeys(
            ("test_navigates", "test_raw", "test_only_sets_content", "test_only_expects",
             "test_only_in_a_fixture", "test_opens_a_page", "test_launches",
             "test_first_shared"),
            "drove a browser",
        ),
        **dict.fromkeys((*EXPECTED, "test_expected"), DROVE_NONE),
        "test_second_shared": "uses what a wider fixture had from a browser",
        **dict.fromkeys(("test_handle", "test_by_hand"), "not watched"),
        **dict.fromkeys(("test_skipped", "test_skips_itself", "test_unit", "test_nothing_late")),
    }  # fmt: skip


def test_xdist_workers_tests_are_named_by_the_controller(driven: pytest.Pytester) -> None:
    result = driven.runpytest_subprocess("-n", "2", "-k", "nothing or content or fails")
    assert sorted(named(result)) == sorted(f"test_it.py::{name}" for name in EXPECTED)


def test_a_run_whose_browser_tests_all_drove_one_is_quiet(suite: pytest.Pytester) -> None:
    suite.makepyfile("def test_it(page): page.set_content('x')")
    result = suite.runpytest_subprocess()
    result.assert_outcomes(passed=1)
    assert "lanewright" not in result.stdout.str().partition("\n\n")[2]


def test_a_playwright_that_is_not_heard_is_not_judged(suite: pytest.Pytester) -> None:
    """As if a later Playwright sent its messages in another way."""
    suite.makeconftest(
        """
        from playwright._impl.connection import Connection
        from harness.browser.commands import CommandCounter

        CommandCounter.watch = lambda self, playwright: None
        """
    )
    suite.makepyfile("def test_it(page): pass")
    result = suite.runpytest_subprocess("--junitxml=junit.xml")
    result.assert_outcomes(passed=1)
    assert DROVE_NONE not in result.stdout.str()
    assert properties_of(suite.path / "junit.xml") == {"test_it": {"witness": "not watched"}}


def test_a_browser_of_the_suites_own_is_judged_by_its_commands_alone(
    suite: pytest.Pytester,
) -> None:
    suite.makeconftest(
        """
        import pytest
        from harness.browser.binary import find

        @pytest.fixture(scope="session")
        def browser(playwright):
            browser = playwright.chromium.launch(executable_path=str(find().path))
            yield browser
            browser.close()
        """
    )
    suite.makepyfile(
        test_it="""
        def test_drives(page): page.goto("data:text/html,x")
        def test_nothing(page): pass
        """
    )
    result = suite.runpytest_subprocess("--junitxml=junit.xml")
    assert named(result) == ["test_it.py::test_nothing"]
    assert properties_of(suite.path / "junit.xml") == {
        "test_drives": {"witness": "drove a browser", "commands": "1", "cdp_commands": "0"},
        "test_nothing": {"witness": DROVE_NONE, "commands": "0", "cdp_commands": "0"},
    }


def test_a_remote_browsers_tests_are_judged_through_the_driver(suite: pytest.Pytester) -> None:
    suite.makeconftest(
        """
        import subprocess
        from pathlib import Path
        import playwright
        import pytest
        from harness.browser.binary import find

        @pytest.fixture(scope="session")
        def connect_options():
            Path("server.json").write_text('{"executablePath": "' + str(find().path) + '"}')
            driver = Path(playwright.__file__).parent / "driver"
            command = [driver / "node", driver / "package" / "cli.js", "launch-server",
                       "--browser=chromium", "--config", "server.json"]
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
                yield {"endpoint": server.stdout.readline().strip()}
                server.terminate()
        """
    )
    suite.makepyfile(
        test_it="""
        def test_drives(page): page.set_content("x")
        def test_nothing(page): pass
        """
    )
    result = suite.runpytest_subprocess("--junitxml=junit.xml", "--timeout=60")
    result.assert_outcomes(passed=2)
    assert named(result) == ["test_it.py::test_nothing"]
    assert properties_of(suite.path / "junit.xml")["test_drives"]["commands"] == "1"
