"""pytest-playwright and pytest-playwright-asyncio refuse each other: which runs, in any order."""

import pytest

from tests.lib.beside import beside, in_order

OURS, SYNC, ASYNC = "lanewright", "pytest_playwright", "pytest_playwright_asyncio"
WHICH = """
    def test_which(pytestconfig):
        manager = pytestconfig.pluginmanager
        loaded = [name for name in ("playwright", "playwright-asyncio", "lanewright")
                  if manager.has_plugin(name)]
        assert loaded == {expected}
"""
ASYNC_ONLY = ["playwright-asyncio", "lanewright"]
SYNC_ONLY = ["playwright", "lanewright"]
ORDERS = [
    (OURS, SYNC, ASYNC),
    (OURS, ASYNC, SYNC),
    (ASYNC, OURS, SYNC),
    (SYNC, OURS, ASYNC),
    (SYNC, ASYNC, OURS),
    (ASYNC, SYNC, OURS),
]


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A suite whose warnings are errors, and whose own environment chooses no plugin."""
    for name in ("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        monkeypatch.delenv(name, raising=False)
    pytester.makeini(
        """
        [pytest]
        filterwarnings = error
        addopts = -p no:cacheprovider
        asyncio_default_fixture_loop_scope = function
        """
    )
    return pytester


def run(
    suite: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    order: tuple[str, ...],
    expected: list[str],
    *arguments: str,
) -> pytest.RunResult:
    links = suite.path.parent / f"{suite.path.name}-order"
    monkeypatch.setenv("PYTHONPATH", in_order(links, order, among=[beside("async")]))
    suite.makepyfile(test_which=WHICH.format(expected=expected))
    return suite.runpytest_subprocess(*arguments, "test_which.py")


@pytest.mark.parametrize("order", ORDERS[:3], ids="-".join)
def test_the_async_plugin_runs_where_ours_comes_before_the_second_of_the_two(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, order: tuple[str, ...]
) -> None:
    result = run(suite, monkeypatch, order, ASYNC_ONLY)

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["lanewright: pytest-playwright is left out, since *"])


def test_after_the_sync_plugin_we_refuse_and_say_what_to_add(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = run(suite, monkeypatch, (SYNC, OURS, ASYNC), ASYNC_ONLY)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "Add '-p no:playwright' to pytest's addopts for an async suite" in result.stderr.str()


@pytest.mark.parametrize("order", ORDERS[4:], ids="-".join)
def test_after_both_of_them_playwrights_own_refusal_stands(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, order: tuple[str, ...]
) -> None:
    result = run(suite, monkeypatch, order, ASYNC_ONLY)

    assert result.ret != 0
    assert "are not compatible. Please use only one of them." in result.stderr.str()


@pytest.mark.parametrize("order", ORDERS[3:], ids="-".join)
def test_switching_the_sync_plugin_off_works_in_the_other_orders_too(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, order: tuple[str, ...]
) -> None:
    result = run(suite, monkeypatch, order, ASYNC_ONLY, "-p", "no:playwright")

    result.assert_outcomes(passed=1)
    assert "left out" not in result.stdout.str()


@pytest.mark.parametrize("order", [ORDERS[0], ORDERS[3], ORDERS[4]], ids="-".join)
def test_switching_the_async_plugin_off_keeps_the_sync_one(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, order: tuple[str, ...]
) -> None:
    run(suite, monkeypatch, order, SYNC_ONLY, "-p", "no:playwright-asyncio").assert_outcomes(
        passed=1
    )


def test_a_plugin_asked_for_by_name_is_not_left_out(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without autoloading, the async plugin that is only installed does not come.
    arguments = ("--disable-plugin-autoload", "-p", "playwright", "-p", "lanewright")
    suite.makeini("[pytest]\nfilterwarnings = error\n")
    run(suite, monkeypatch, ORDERS[0], SYNC_ONLY, *arguments).assert_outcomes(passed=1)


def test_ours_named_first_makes_every_order_work(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(suite, monkeypatch, ORDERS[5], ASYNC_ONLY, "-p", "lanewright").assert_outcomes(passed=1)


def test_a_synchronous_suite_is_refused_and_does_not_pass_unawaited(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.makepyfile(test_sync="def test_title(page): page.goto('about:blank')")
    result = run(suite, monkeypatch, ORDERS[0], ASYNC_ONLY, "test_sync.py")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "test_title[chromium] is synchronous and asks for 'page'." in result.stderr.str()


def test_a_fixture_of_the_suites_own_called_page_is_no_reason_to_refuse(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.makeconftest("import pytest\n@pytest.fixture\ndef page(): return 'of a book'")
    suite.makepyfile(test_sync="def test_title(page): assert page == 'of a book'")
    result = run(suite, monkeypatch, ORDERS[0], ASYNC_ONLY, "test_sync.py")

    result.assert_outcomes(passed=2)
