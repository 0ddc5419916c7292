"""`live_server` of pytest-django and of pytest-flask with `page`: as without us, nothing left."""

import re

import psutil
import pytest

from tests.lib.beside import beside

pytestmark = pytest.mark.browser

PAGE = "<title>Hello</title><link rel=icon href=data:,>"
CONFTEST = """
    import pytest
    from harness.browser.binary import find

    @pytest.fixture(scope="session")
    def browser_type_launch_args(browser_type_launch_args):
        return {**browser_type_launch_args, "executable_path": str(find().path)}
"""
TESTS = """
    def test_green(page, live_server):
        page.goto(address(live_server))
        assert page.title() == "Hello"

    def test_again(page, live_server):
        page.goto(address(live_server))
        page.goto(address(live_server))
        assert page.title() == "Hello"

    def test_red(page, live_server):
        page.goto(address(live_server))
        assert page.title() == "another"

    def test_server_only(live_server):
        import urllib.request
        with urllib.request.urlopen(address(live_server)) as answer:
            assert answer.status == 200

    def test_plain(): pass
"""
DJANGO_SETTINGS = """
    SECRET_KEY = "only for this test"
    ROOT_URLCONF = "addresses"
    ALLOWED_HOSTS = ["*"]
    INSTALLED_APPS = ["django.contrib.staticfiles"]
    STATIC_URL = "/static/"
    DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
"""
WITHOUT = ("-p", "no:lanewright")
both = pytest.mark.parametrize("without", [(), WITHOUT], ids=["with", "without"])


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """A suite of its own process, whose warnings are errors but for two of its own plugins."""
    pytester.makeconftest(CONFTEST)
    return pytester


@pytest.fixture
def django(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project as pytest-django and Playwright document it."""
    monkeypatch.setenv("PYTHONPATH", str(beside("django")))
    # Playwright's sync API has a running event loop in its thread, which Django's ORM refuses.
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    _make_ini(suite, "DJANGO_SETTINGS_MODULE = own_settings")
    suite.makepyfile(
        own_settings=DJANGO_SETTINGS,
        addresses=f"""
            from django.http import HttpResponse
            from django.urls import path

            urlpatterns = [path("", lambda request: HttpResponse("{PAGE}"))]
        """,
        test_it=f"""
            from django.db import connection

            def address(live_server):
                return live_server.url + "/"

            def test_database(page, live_server, transactional_db):
                page.goto(address(live_server))
                with connection.cursor() as cursor:
                    assert cursor.execute("SELECT 41 + 1").fetchone() == (42,)
            {TESTS.replace(chr(10), chr(10) + " " * 8)}
        """,
    )
    return suite


@pytest.fixture
def flask(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project as pytest-flask documents it: its server is a forked child."""
    monkeypatch.setenv("PYTHONPATH", str(beside("flask")))
    _make_ini(suite, "")
    suite.makepyfile(
        test_it=f"""
            import pytest
            from flask import Flask

            @pytest.fixture(scope="session")
            def app():
                app = Flask(__name__)
                app.add_url_rule("/", view_func=lambda: "{PAGE}")
                return app

            def address(live_server):
                return live_server.url("/")

            def test_child(live_server):
                with open("server-pid", "w") as file:
                    file.write(str(live_server._process.pid))
            {TESTS.replace(chr(10), chr(10) + " " * 8)}
        """
    )
    return suite


def _make_ini(suite: pytest.Pytester, line: str) -> None:
    suite.makeini(
        f"""
        [pytest]
        addopts = -p no:cacheprovider
        filterwarnings =
            error
            ignore:Session-scoped fixtures defined:pytest.PytestRemovedIn10Warning
        {line}
        """
    )


def selected(suite: pytest.Pytester, lane: str) -> list[str]:
    result = suite.runpytest_subprocess("--collect-only", "-q", "-m", lane)
    return sorted(re.findall(r"::(\w+)", result.stdout.str()))


@both
def test_djangos_live_server_is_the_same_with_the_plugin_and_without(
    django: pytest.Pytester, without: tuple[str, ...]
) -> None:
    result = django.runpytest_subprocess(*without)

    result.assert_outcomes(passed=5, failed=1)
    assert "E       AssertionError: assert 'Hello' == 'another'" in result.stdout.str()
    assert "left processes behind" not in result.stdout.str()


@both
def test_flasks_live_server_is_the_same_with_the_plugin_and_without(
    flask: pytest.Pytester, without: tuple[str, ...]
) -> None:
    result = flask.runpytest_subprocess(*without)

    result.assert_outcomes(passed=5, failed=1)
    assert "E       AssertionError: assert 'Hello' == 'another'" in result.stdout.str()
    assert "left processes behind" not in result.stdout.str()
    assert not psutil.pid_exists(int((flask.path / "server-pid").read_text()))


def test_a_page_from_djangos_live_server_is_in_the_browser_lane(django: pytest.Pytester) -> None:
    assert selected(django, "browser") == ["test_again", "test_database", "test_green", "test_red"]
    assert selected(django, "server") == ["test_server_only"]
    assert selected(django, "unit") == ["test_plain"]


def test_a_page_from_flasks_live_server_is_in_the_browser_lane(flask: pytest.Pytester) -> None:
    assert selected(flask, "browser") == ["test_again", "test_green", "test_red"]
    assert selected(flask, "server") == ["test_child", "test_server_only"]
    assert selected(flask, "unit") == ["test_plain"]
