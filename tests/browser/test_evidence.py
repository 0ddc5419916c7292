"""What a failing browser test shows, in the terminal and beside it."""

import re
import zipfile
from pathlib import Path

import pytest

from tests.lib import fake_browsers

pytestmark = pytest.mark.browser

SECTION = "lanewright evidence"
FOLDER = "test-results/test-it-py-test-it-chromium"


def section_of(result: pytest.RunResult) -> str:
    """Return the first evidence, up to the next heading of pytest's."""
    text = result.stdout.str()
    begin = text.index(f" {SECTION} -")
    return re.split(r"^[-_=]{3,}", text[begin:], maxsplit=1, flags=re.MULTILINE)[0]


def test_a_failing_test_shows_what_the_page_said_and_asked_for(suite: pytest.Pytester) -> None:
    (suite.path / "site").mkdir()
    (suite.path / "site" / "index.html").write_text(
        "<title>T</title><link rel=icon href=data:,><h1>Hello</h1><img src=missing.png>"
        "<script>console.error('it is broken'); setTimeout(() => { throw new Error('oh no') })"
        "</script>"
    )
    suite.makepyfile(
        """
        from pathlib import Path

        def test_title(page, serve):
            page.goto(serve(Path("site")).url)
            page.wait_for_function("document.images[0].complete")
            assert page.title() == "another"
        """
    )
    result = suite.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    text = result.stdout.str()
    section = text[text.index(SECTION) :]
    assert re.search(r"assertion: AssertionError: assert 'T' == 'another'", section)
    assert re.search(r"last URL: http://127\.0\.0\.1:\d+/", section)
    assert re.search(r"console errors \(2\):[\s\S]*it is broken \(http://.*:1\)", section)
    assert re.search(r"page errors \(1\):\s+Error: oh no", section)
    assert re.search(r"failed requests \(1\):\s+GET http://.*/missing\.png \(image\): 404", section)
    assert "responsive" in section
    picture = re.search(r"picture: (\S+)", section)
    assert picture
    assert (suite.path / picture[1]).read_bytes().startswith(b"\x89PNG")


def test_a_test_that_passes_shows_nothing(suite: pytest.Pytester) -> None:
    suite.makepyfile("def test_page(page): page.set_content('x')")
    result = suite.runpytest_subprocess("-rA")
    result.assert_outcomes(passed=1)
    assert SECTION not in result.stdout.str()
    assert "left" not in result.stdout.str()
    assert not (suite.path / "test-results").exists()


def test_a_hung_page_still_has_evidence_within_a_bound(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        def test_hung(page):
            page.set_content("x")
            page.evaluate("setTimeout(() => { while (true); })")
            page.locator("h1").click(timeout=200)
        """
    )
    result = suite.runpytest_subprocess("--timeout=60")
    result.assert_outcomes(failed=1)
    section = result.stdout.str()[result.stdout.str().index(SECTION) :]
    assert "responsive" in section
    assert re.search(r"picture: none \(.*Timeout.*\)", section)


def test_no_flood_hides_the_error_and_no_control_character_reaches_the_terminal(
    suite: pytest.Pytester,
) -> None:
    suite.makepyfile(
        r"""
        import time

        def test_flood(page):
            page.set_content('''<script>
                console.error('THE CAUSE \\u001b[2J');
                for (let i = 0; i < 500; i++) console.log(i);
                setTimeout(() => console.error('LATE'), 50);
            </script>''')
            page.evaluate("new Promise(done => setTimeout(done, 60))")
            assert False
        """
    )
    result = suite.runpytest_subprocess("--color=no")
    section = result.stdout.str()[result.stdout.str().index(SECTION) :]
    assert r"THE CAUSE \x1b[2J" in section
    assert "LATE" in section
    assert "\x1b" not in section


def test_evidence_survives_an_output_folder_that_cannot_be_written(
    suite: pytest.Pytester,
) -> None:
    suite.makepyfile("def test_it(page): page.set_content('<title>x</title>'); assert 0")
    result = suite.runpytest_subprocess("--output=/proc/nothing")
    section = result.stdout.str()[result.stdout.str().index(SECTION) :]
    assert "last URL: about:blank" in section
    assert re.search(r"picture: none \(.*/proc/nothing", section)


def test_a_suites_own_browser_is_said_to_be_unwatched(suite: pytest.Pytester) -> None:
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
    suite.makepyfile("def test_it(page): page.set_content('x'); assert 0")
    result = suite.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    assert "the suite's own browser is not watched" in result.stdout.str()


def test_the_document_lies_beside_the_picture_and_pytest_playwrights_own(
    suite: pytest.Pytester,
) -> None:
    suite.makepyfile(
        test_it="""
        def test_it(page):
            page.set_content("<!DOCTYPE html><title>T</title><p id=found>Grüße</p>")
            assert False
        """
    )
    result = suite.runpytest_subprocess("--screenshot=only-on-failure", "--tracing=on")
    section = section_of(result)
    assert f"picture: {FOLDER}/evidence.png\n" in section
    assert f"DOM: {FOLDER}/evidence.html\n" in section
    assert sorted(path.name for path in (suite.path / FOLDER).iterdir()) == [
        "evidence.html",
        "evidence.png",
        "test-failed-1.png",
        "trace.zip",
    ]
    document = (suite.path / FOLDER / "evidence.html").read_text(encoding="utf-8")
    assert document.startswith("<!DOCTYPE html>\n<html>")
    assert '<p id="found">Grüße</p>' in document


def test_a_long_document_is_cut_and_says_so(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        test_it="""
        def test_it(page):
            page.set_content("<p>" + "ä" * 300_000)
            assert False
        """
    )
    section = section_of(suite.runpytest_subprocess())
    assert f"DOM: {FOLDER}/evidence.html (the first 256 KiB)\n" in section
    data = (suite.path / FOLDER / "evidence.html").read_bytes()
    assert 256 * 1024 < len(data) < 257 * 1024
    assert re.search(
        r"<!-- lanewright: cut here, \d+ of 300\d{3} characters are kept -->", data.decode()
    )


def test_a_document_that_cannot_be_read_in_time_is_given_up(suite: pytest.Pytester) -> None:
    """The page gives a picture, and hangs when it is asked for its document."""
    suite.makepyfile(
        """
        def test_it(page):
            page.evaluate(
                "Object.defineProperty(document, 'documentElement', { get() { while (true); } })"
            )
            assert False

        def test_next(page): page.set_content("x")
        """
    )
    result = suite.runpytest_subprocess("--timeout=60")
    result.assert_outcomes(failed=1, passed=1)
    section = section_of(result)
    assert re.search(r"picture: \S+/evidence\.png\n", section)
    assert "DOM: none (CDPSession.send: Timeout 2000ms exceeded.)\n" in section


def test_a_suites_own_output_path_is_where_evidence_goes(suite: pytest.Pytester) -> None:
    suite.makeconftest(
        """
        import pytest

        @pytest.fixture
        def output_path(pytestconfig):
            return str(pytestconfig.rootpath / "mine")
        """
    )
    suite.makepyfile("def test_it(page): page.set_content('x'); assert 0")
    assert "picture: mine/evidence.png\n" in section_of(suite.runpytest_subprocess())
    assert (suite.path / "mine" / "evidence.png").is_file()


def test_requests_are_shown_with_their_outcome_and_credentials_are_not(
    suite: pytest.Pytester,
) -> None:
    (suite.path / "site").mkdir()
    (suite.path / "site" / "index.html").write_text("<link rel=icon href=data:,><h1>Hello</h1>")
    suite.makepyfile(
        """
        from pathlib import Path

        def test_it(page, serve):
            url = serve(Path("site")).url
            page.goto(url + "/?password=hidden1&page=2")
            page.evaluate("fetch('missing?api_key=hidden2')")
            page.evaluate(
                "Promise.all([...Array(12).keys()].map(n => fetch(`?n=${n}&token=hidden3`)))"
            )
            page.evaluate("console.error('see http://me:hidden4@host/')")
            raise AssertionError("at http://me:hidden5@host/")
        """
    )
    section = section_of(suite.runpytest_subprocess())
    assert re.search(r"last URL: http://\S+/\?password=\*\*\*&page=2\n", section)
    assert "assertion: AssertionError: at http://***@host/\n" in section
    assert "see http://***@host/ (" in section
    assert re.search(
        r"failed requests \(1\):\n  GET http://\S+/missing\?api_key=\*\*\* \(fetch\): 404\n"
        r"requests \(14\):\n  \.\.\. and 4 before\n"
        r"(  GET http://\S+/\?n=\d+&token=\*\*\* \(fetch\): 200\n){10}browser:",
        section,
    )
    assert "hidden" not in section


def test_the_trace_of_a_failure_is_named_with_the_command_that_opens_it(
    suite: pytest.Pytester,
) -> None:
    suite.makepyfile(
        test_it="""
        def test_it(page): page.set_content("x"); assert False
        def test_passes(page): page.set_content("x")
        """
    )
    trace = f"{FOLDER}/with space/trace.zip".replace("test-results", "kept results")
    suite.makeconftest(
        """
        import pytest

        @pytest.fixture
        def output_path(output_path):
            return output_path + "/with space"
        """
    )
    result = suite.runpytest_subprocess("-rA", "--tracing=on", "--output=kept results")
    result.assert_outcomes(failed=1, passed=1)
    text = result.stdout.str()
    after = text[text.index("lanewright evidence after teardown") :]
    assert after.splitlines()[1:3] == [f"trace: {trace}", f"  playwright show-trace '{trace}'"]
    assert zipfile.is_zipfile(suite.path / trace)
    assert text.count("show-trace") == 1


def test_without_tracing_nothing_is_said_after_the_teardown(suite: pytest.Pytester) -> None:
    suite.makepyfile("def test_it(page): page.set_content('x'); assert False")
    result = suite.runpytest_subprocess()
    assert SECTION in result.stdout.str()
    assert "after teardown" not in result.stdout.str()


def test_a_failing_teardown_shows_what_is_still_known(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        test_it="""
        import pytest

        @pytest.fixture
        def fragile(context):
            yield
            raise RuntimeError("in teardown")

        def test_it(fragile, page):
            page.route("**", lambda route: route.fulfill(status=200, body="<p>x"))
            page.goto("http://host.test/")
            page.evaluate("console.error('said before')")
        """
    )
    result = suite.runpytest_subprocess("--tracing=retain-on-failure")
    result.assert_outcomes(passed=1, errors=1)
    section = section_of(result)
    assert "assertion: RuntimeError: in teardown\n" in section
    assert "last URL: http://host.test/\n" in section
    assert "said before (" in section
    assert "GET http://host.test/ (document): 200\n" in section
    result.stdout.fnmatch_lines([f"trace: {FOLDER}/trace.zip"])


def test_what_an_earlier_test_left_open_is_named_as_its_own(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        test_it="""
        def test_leaves(browser):
            page = browser.new_page()
            page.set_content('''<script>
                setInterval(() => console.error('from the other page'), 5);
            </script>''')

        def test_it(page, browser):
            page.set_content("mine")
            page.evaluate("console.error('of my own')")
            pages = [one for context in browser.contexts for one in context.pages]
            other = next(one for one in pages if one != page)
            other.wait_for_event("console")
            assert False
        """
    )
    result = suite.runpytest_subprocess()
    result.assert_outcomes(passed=1, failed=1)
    own, _, earlier = section_of(result).partition("opened by an earlier test: ")
    assert re.search(r"console errors \(1\):\n  of my own \(", own)
    assert "from the other page" not in own
    assert earlier.startswith("about:blank (test_it.py::test_leaves[chromium])\n")
    assert "from the other page" in earlier
    assert earlier.count("picture:") == 1
    assert not (suite.path / FOLDER / "evidence-1.png").exists()


def test_a_page_that_the_session_shares_is_evidence_under_the_name_of_its_opener(
    suite: pytest.Pytester,
) -> None:
    suite.makepyfile(
        test_it="""
        import pytest

        @pytest.fixture(scope="module")
        def shared(browser):
            return browser.new_context().new_page()

        def test_first(shared): shared.set_content("x")

        def test_it(shared):
            shared.evaluate("console.error('of the second test')")
            assert False
        """
    )
    section = section_of(suite.runpytest_subprocess())
    opener = "opened by an earlier test: test_it.py::test_first[chromium]"
    assert f"last URL: about:blank ({opener})\n" in section
    assert re.search(r"  console errors \(1\):\n    of the second test \(", section)
    assert re.search(rf"picture: \S+/evidence\.png \(page {re.escape(opener)}\)\n", section)


def test_a_crashed_renderer_is_named(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        def test_it(page):
            page.set_content("x")
            page.goto("chrome://crash")
        """
    )
    result = suite.runpytest_subprocess("--timeout=60")
    result.assert_outcomes(failed=1)
    section = section_of(result)
    assert "page: its renderer crashed (about:blank)\n" in section
    assert "picture: none (Page.screenshot: Target crashed)\n" in section
    assert "DOM: none, the page gave no picture either\n" in section


def test_a_cdp_session_of_a_hung_page_keeps_no_teardown_waiting(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        def test_hung(page, cdp):
            page.evaluate("setTimeout(() => { while (true); })")
            assert False

        def test_next(page): page.set_content("x")
        """
    )
    suite.runpytest_subprocess("--timeout=60").assert_outcomes(failed=1, passed=1)


def test_a_browser_that_does_not_start_in_time_names_what_bounds_it(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HARNESS_CHROMIUM", str(fake_browsers.prints_nothing_and_hangs(tmp_path)))
    suite.makepyprojecttoml("[tool.harness]\nbrowser_start_seconds = 0.5\n")
    suite.makepyfile(
        """
        def test_it(page): pass

        def test_own(launch_browser): launch_browser(timeout=400)
        """
    )
    result = suite.runpytest_subprocess()
    result.assert_outcomes(errors=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "E*(its bound is 0.5 s: browser_start_seconds in [[]tool.harness]): it announced no*",
            "E*(its bound is 0.4 s: the launch option timeout): it announced no*",
        ]
    )
