"""A test file gets the lane of its most demanding test, with a reason that can be checked."""

import pytest

from harness.config.pytest_ini import PytestIni
from tests.lib.project_text import classification_of, reason_of

NOTHING = "unit (needs no server and no browser)"
FIXTURE = "import pytest\n@pytest.fixture\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("def test_a(tmp_path): ...", NOTHING),
        ("def test_a(page): ...", "browser (fixture 'page' in test_a)"),
        ("def test_a(serve): ...", "server (fixture 'serve' in test_a)"),
        ("def test_a(live_server): ...", "server (fixture 'live_server' in test_a)"),
        ("def test_a(serve): ...\ndef test_b(cdp): ...", "browser (fixture 'cdp' in test_b)"),
        (
            "class TestIt:\n def test_a(self, page): ...",
            "browser (fixture 'page' in TestIt::test_a)",
        ),
        ("def test_a(page=None): ...", NOTHING),
        ("def helper(page): ...", NOTHING),
        ("class Other:\n def test_a(self, page): ...", NOTHING),
        (
            "import pytest\n@pytest.mark.usefixtures('page')\ndef test_a(): ...",
            "browser (fixture 'page' in test_a)",
        ),
        (
            "def test_a(request): request.getfixturevalue('page')",
            "browser (fixture 'page' in test_a)",
        ),
        ("import pytest\n@pytest.mark.parametrize('page', [1])\ndef test_a(page): ...", NOTHING),
        (
            "import pytest\n@pytest.mark.parametrize('page', [1], indirect=True)\n"
            "def test_a(page): ...",
            "browser (fixture 'page' in test_a)",
        ),
        (
            FIXTURE + "def shown(page): ...\n"
            "@pytest.mark.parametrize('page', [1])\ndef test_a(shown, page): ...",
            NOTHING,
        ),
        (
            "import unittest\nclass Some(unittest.TestCase):\n def test_a(self, page): ...",
            NOTHING,
        ),
        (
            "import pytest, unittest\n@pytest.mark.usefixtures('page')\n"
            "class Some(unittest.TestCase):\n def test_a(self): ...",
            "browser (fixture 'page' in Some::test_a)",
        ),
    ],
)  # fmt: skip
def test_the_fixtures_of_a_test_decide(body: str, expected: str) -> None:
    assert reason_of({"tests/test_it.py": body}) == expected


def test_the_reason_shows_how_a_fixture_is_reached() -> None:
    assert reason_of({
        "tests/conftest.py": FIXTURE + "def site(logged_in): ...",
        "conftest.py": FIXTURE + "def logged_in(page): ...",
        "tests/test_it.py": "def test_a(site): ...",
    }) == (
        "browser (fixture 'site' in test_a, which asks for 'logged_in', which asks for 'page')"
    )  # fmt: skip


def test_a_page_of_the_projects_own_is_no_browser() -> None:
    assert reason_of({
        "tests/conftest.py": FIXTURE + "def page(): return 'of a book'",
        "tests/test_it.py": "def test_a(page): ...",
    }) == NOTHING  # fmt: skip


def test_an_override_that_asks_for_what_it_overrides_is_a_browser() -> None:
    assert reason_of({
        "tests/conftest.py": FIXTURE + "def page(page): return page",
        "tests/test_it.py": "def test_a(page): ...",
    }) == "browser (fixture 'page' in test_a)"  # fmt: skip


def test_the_nearest_definition_wins_also_for_fixtures_from_further_out() -> None:
    texts = {
        "conftest.py": FIXTURE + "def site(page): ...",
        "a/conftest.py": FIXTURE + "def page(): ...",
        "a/test_a.py": "def test_it(site): ...",
        "b/test_b.py": "def test_it(site): ...",
    }
    lanes = {e.file: e.lane.value for e in classification_of(texts).roster.entries}
    assert lanes == {"a/test_a.py": "unit", "b/test_b.py": "browser"}


@pytest.mark.parametrize("place", ["conftest.py", "tests/conftest.py", "tests/test_it.py"])
def test_an_autouse_fixture_counts_for_every_test_below(place: str) -> None:
    auto = "import pytest\n@pytest.fixture(autouse=True)\ndef ready(page): ...\n"
    texts = {"tests/test_it.py": "", place: auto}
    texts["tests/test_it.py"] += "def test_a(): ...\n"
    assert reason_of(texts) == ("browser (fixture 'ready' in test_a, which asks for 'page')")


def test_a_conftest_beside_is_not_one_above() -> None:
    auto = "import pytest\n@pytest.fixture(autouse=True)\ndef ready(page): ...\n"
    assert reason_of({"a/conftest.py": auto, "b/test_it.py": "def test_a(): ..."}) == NOTHING


@pytest.mark.parametrize(
    "conftest",
    [
        "pytest_plugins = ['helpers.fixtures']",
        "pytest_plugins = 'helpers.outer'",
        "from helpers.fixtures import site",
        "from helpers.fixtures import *",
        "from helpers.again import site",
    ],
)
def test_fixtures_come_from_plugins_and_imports_of_the_project(conftest: str) -> None:
    assert reason_of({
        "conftest.py": conftest,
        "helpers/__init__.py": "",
        "helpers/outer.py": "pytest_plugins = ('helpers.fixtures',)",
        "helpers/again.py": "from .fixtures import site",
        "helpers/fixtures.py": FIXTURE + "def site(page): ...",
        "tests/test_it.py": "def test_a(site): ...",
    }) == "browser (fixture 'site' in test_a, which asks for 'page')"  # fmt: skip


def test_plugins_and_fixtures_of_the_configuration_count() -> None:
    texts = {
        "my/fixtures.py": FIXTURE + "def site(page): ...",
        "tests/test_it.py": "def test_a(): ...",
    }
    ini = PytestIni(plugins=("my.fixtures",), usefixtures=("site",))
    assert reason_of(texts, ini=ini) == (
        "browser (fixture 'site' in test_a, which asks for 'page')"
    )


def test_inherited_tests_and_fixtures_of_a_class_count() -> None:
    assert reason_of({
        "tests/base.py": "import pytest\nclass Base:\n"
        "    @pytest.fixture\n    def site(self, page): ...\n    def test_a(self, site): ...",
        "tests/test_it.py": "from base import Base\nclass TestIt(Base): ...",
    }) == "browser (fixture 'site' in TestIt::test_a, which asks for 'page')"  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import http.server", "server (imports http.server)"),
        ("from http import server", "server (imports http.server)"),
        ("import socketserver as s", "server (imports socketserver)"),
        ("from harness.server.serving import serve", "server (imports harness.server)"),
        ("from selenium import webdriver", "browser (imports selenium)"),
        (
            "from playwright.sync_api import sync_playwright",
            "browser (imports playwright.sync_api.sync_playwright)",
        ),
        (
            "from playwright import async_api\ndef test_x(): async_api.async_playwright()",
            "browser (imports playwright.async_api.async_playwright)",
        ),
        ("from playwright.sync_api import Page, expect, Error", NOTHING),
        ("import playwright.sync_api", NOTHING),
        ("import http.client, servers, uvicornish", NOTHING),
        ("from harness.browser.launch import launch", "browser (imports harness.browser.launch)"),
        ("def test_b():\n    import uvicorn", "server (imports uvicorn)"),
    ],
)
def test_imports_decide(text: str, expected: str) -> None:
    assert reason_of({"tests/test_it.py": f"{text}\ndef test_a(): ..."}) == expected


def test_imports_are_followed_to_what_is_used_inside_of_the_test_folders() -> None:
    texts = {
        "tests/lib/http.py": "import http.server\nfrom tests.lib.deep import other\n"
        "def answer(): return http.server.HTTPServer()\ndef plain(): ...\n",
        "tests/lib/deep.py": "def other(): ...\n",
        "tests/lib/more.py": "from tests.lib.http import answer\ndef ask(): answer()\n",
        "tests/test_used.py": "from tests.lib.http import answer\ndef test_a(): ...",
        "tests/test_unused.py": "from tests.lib.http import plain\ndef test_a(): ...",
        "tests/test_module.py": "from tests.lib import http\ndef test_a(): http.answer()",
        "tests/test_module_unused.py": "from tests.lib import http\ndef test_a(): http.plain()",
        "tests/test_far.py": "from .lib import more\ndef test_a(): more.ask()",
        "tests/test_all.py": "from tests.lib.http import *\ndef test_a(): answer()",
    }
    reasons = {e.file: f"{e.lane} ({e.reason})" for e in classification_of(texts).roster.entries}
    served = "server (imports tests.lib.http, which imports http.server)"
    assert reasons == {
        "tests/test_used.py": served,
        "tests/test_unused.py": NOTHING,
        "tests/test_module.py": served,
        "tests/test_module_unused.py": NOTHING,
        "tests/test_far.py": "server (imports tests.lib.more, which imports tests.lib.http, "
        "which imports http.server)",
        "tests/test_all.py": served,
    }


def test_what_the_application_imports_is_not_what_its_tests_need() -> None:
    assert reason_of({
        "app/web.py": "import http.server\ndef answer(): http.server.HTTPServer()",
        "tests/test_it.py": "from app.web import answer\ndef test_a(): answer()",
    }) == NOTHING  # fmt: skip


def test_a_circle_of_imports_ends() -> None:
    assert reason_of({
        "tests/one.py": "from tests.two import b\ndef a(): b()",
        "tests/two.py": "from tests.one import a\ndef b(): a()",
        "tests/test_it.py": "from tests.one import a, c\nfrom tests.one import Missing\n"
        "class TestIt(Missing):\n def test_a(self): ...",
    }) == NOTHING  # fmt: skip


def test_the_code_of_a_fixture_counts_for_the_tests_that_use_it() -> None:
    texts = {
        "tests/conftest.py": "import http.server\n" + FIXTURE
        + "def site(): return http.server.HTTPServer()\n",
        "tests/test_a.py": "def test_it(site): ...",
        "tests/test_b.py": "def test_it(): ...",
    }  # fmt: skip
    reasons = {e.file: f"{e.lane} ({e.reason})" for e in classification_of(texts).roster.entries}
    assert reasons == {
        "tests/test_a.py": "server (fixture 'site' in test_it, which imports http.server)",
        "tests/test_b.py": NOTHING,
    }


def test_commands_of_the_configuration_decide() -> None:
    body = "import subprocess\ndef test_a(): subprocess.run(['npm', 'run', 'dev'])"
    texts = {"tests/test_it.py": body}
    assert reason_of(texts, commands={"npm run dev": "browser"}) == "browser (runs 'npm run dev')"
    assert reason_of(texts, commands={"npm run build": "browser"}) == NOTHING


MARKED = "import pytest\nimport http.server\n@pytest.mark.{lane}\ndef test_a({fixture}): ..."


@pytest.mark.parametrize(
    ("lane", "fixture", "expected"),
    [
        ("unit", "", "unit (mark 'unit' on test_a)"),
        ("browser", "", "browser (mark 'browser' on test_a)"),
        ("server", "", "server (mark 'server' on test_a)"),
        ("unit", "page", "browser (fixture 'page' in test_a)"),
        ("browser", "serve", "browser (mark 'browser' on test_a)"),
        ("browser", "page", "browser (fixture 'page' in test_a)"),
    ],
)
def test_a_mark_beats_imports_and_no_fixture(lane: str, fixture: str, expected: str) -> None:
    body = MARKED.format(lane=lane, fixture=fixture)
    assert reason_of({"tests/test_it.py": body}) == expected


def test_a_mark_that_is_less_than_the_fixtures_is_a_contradiction() -> None:
    body = MARKED.format(lane="unit", fixture="page")
    [found] = classification_of({"tests/test_it.py": body}).contradictions
    assert found.file == "tests/test_it.py"
    assert found.message == "mark 'unit' on test_a, but fixture 'page' in test_a"


def test_a_file_that_cannot_be_parsed_is_in_the_browser_lane_and_says_why() -> None:
    found = classification_of({"tests/test_it.py": "def broken(:"})
    [entry] = found.roster.entries
    assert entry.lane == "browser"
    assert entry.reason == "cannot be parsed (line 1: invalid syntax)"
    assert [(c.file, c.message) for c in found.contradictions] == [
        ("tests/test_it.py", "cannot be parsed (line 1: invalid syntax)")
    ]


def test_below_a_conftest_that_cannot_be_parsed_everything_may_be_needed() -> None:
    texts = {"conftest.py": "def broken(:", "tests/test_it.py": "def test_a(): ..."}
    assert reason_of(texts) == "browser (conftest.py cannot be parsed (line 1: invalid syntax))"


def test_a_helper_that_cannot_be_parsed_is_in_the_chain() -> None:
    texts = {"tests/lib.py": "if:", "tests/test_it.py": "import tests.lib\ndef test_a(): ..."}
    assert reason_of(texts) == (
        "browser (imports tests.lib, which cannot be parsed (line 1: invalid syntax))"
    )


def test_the_names_of_tests_follow_the_configuration() -> None:
    texts = {"tests/test_it.py": "class CheckIt:\n def check_a(self, page): ..."}
    ini = PytestIni(python_classes=("Check",), python_functions=("check_*",))
    assert reason_of(texts) == NOTHING
    assert reason_of(texts, ini=ini) == "browser (fixture 'page' in CheckIt::check_a)"


def test_of_two_conftests_the_nearer_one_overrides() -> None:
    texts = {
        "conftest.py": FIXTURE + "def site(page): ...",
        "tests/conftest.py": FIXTURE + "def site(serve): ...",
        "tests/test_it.py": "def test_a(site): ...",
    }
    assert reason_of(texts) == "server (fixture 'site' in test_a, which asks for 'serve')"
