"""A browser that dies: its test fails at once and says why, the next test gets a fresh one."""

import contextlib
from collections.abc import Generator, Iterator

import pytest
from playwright.sync_api import Browser, Error, Playwright

from harness.browser.chromium import Chromium
from harness.browser.connect import is_connected
from harness.errors import BrowserGone
from harness.pytest_plugin.browser_fixtures import NO_BROWSER, pool_of
from harness.pytest_plugin.session import SESSION

# Between Playwright's news of a closed connection and the warden's of the exit.
_EXIT_NEWS_SECONDS = 1.0
_STOPPED = "lanewright: Playwright's driver was stopped (SIGSTOP), so it was ended"


_FAILED = pytest.StashKey[bool]()
_NAMED_DEATH = pytest.StashKey[bool]()
_CONNECTED_FIXTURES = pytest.StashKey[set[pytest.FixtureDef[object]]]()


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    """Remember every `browser` and `playwright`, whoever defined it, that has a value now."""
    __tracebackhide__ = True
    value = yield
    if fixturedef.argname in ("browser", "playwright"):
        request.config.stash.setdefault(_CONNECTED_FIXTURES, set()).add(fixturedef)
    return value


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note a failure for the teardown, which must not wait for a hung browser."""
    report = yield
    item.stash[_FAILED] = item.stash.get(_FAILED, False) or report.failed
    if report.skipped and NO_BROWSER in str(report.longrepr):
        item.config.stash[SESSION].skipped_without_browser += 1
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    """Start each test's evidence afresh; name a browser's death in the error of a fixture."""
    __tracebackhide__ = True
    pool_of(item.config).recorder.begin_test(item.nodeid)
    item.stash[_NAMED_DEATH] = item.stash[_FAILED] = False
    with _naming_deaths(item):
        return (yield)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Name a browser's death in the test's own error; a test that missed it fails too."""
    pool = pool_of(item.config)
    dead_before = set(pool.dead())
    with _naming_deaths(item):
        result = yield
    for chromium in set(pool.dead()) - dead_before:
        how = chromium.died() or ""
        if how.startswith("killed by signal"):
            item.stash[_NAMED_DEATH] = True
            raise BrowserGone(_obituary(chromium, how))
    return result


@contextlib.contextmanager
def _naming_deaths(item: pytest.Item) -> Iterator[None]:
    try:
        with _ending_a_stopped_driver(item):
            yield
    except BrowserGone:
        item.stash[_NAMED_DEATH] = True
        raise
    except Error as error:
        for obituary in _obituaries(item.config):
            error.add_note(obituary)
            item.stash[_NAMED_DEATH] = True
        raise


@contextlib.contextmanager
def _ending_a_stopped_driver(item: pytest.Item) -> Iterator[None]:
    """End it before anybody asks it for evidence or a teardown, which would wait for ever."""
    # Whatever its lane: a fixture may ask for its page only when it runs.
    end = item.config.stash[SESSION].end_stopped_driver
    try:
        yield
    except BaseException as error:
        if end():
            error.add_note(_STOPPED)
            item.stash[_NAMED_DEATH] = True
        raise
    end()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, object, object]:
    """After a test's own teardown, clear every fixture value that a dead browser stands behind.

    Closing the pages of a dead browser is an error of its own: told once, with its cause.
    """
    pool = pool_of(item.config)
    if item.stash.get(_FAILED, False):
        # A page of a browser that does not answer can never be closed.
        item.stash[_NAMED_DEATH] |= bool(pool.end_hung())
    try:
        return (yield)
    except (Error, BaseExceptionGroup, BrowserGone) as error:
        if _is_playwrights_alone(error):
            obituaries = _obituaries(item.config)
            if item.stash.get(_NAMED_DEATH, False):
                return None
            if obituaries:
                raise BrowserGone("\n".join(obituaries)) from error
        raise
    finally:
        if pool.dead() or pool.disconnected():
            _clear_lost_connections(item)
            pool.discard_dead()


def _clear_lost_connections(item: pytest.Item) -> None:
    """Finish every `browser` and `playwright` that has lost its other end, and so what depends
    on it; the next test makes a new one.
    """
    valued = item.config.stash.setdefault(_CONNECTED_FIXTURES, set())
    for definition in tuple(valued):
        value = definition.cached_result[0] if definition.cached_result else None
        if not isinstance(value, (Browser, Playwright)) or not is_connected(value):
            valued.discard(definition)
            try:
                definition.finish(item._request)  # type: ignore[attr-defined]
            except BaseException as error:
                # Closing what has been lost is an error of its own, whose cause has been told.
                if not _is_playwrights_alone(error):
                    raise


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, object, object]:
    """After a signal, let no page that cannot be closed any more change how the run ends.

    A call that a signal interrupted, or a browser that was let go, makes Playwright's own
    teardown fail; what else fails is raised as ever.
    """
    state = session.config.stash[SESSION]
    if state.interrupted:
        # No teardown can wait for a browser that does not answer.
        pool_of(session.config).end_hung()
    state.end_stopped_driver()
    try:
        return (yield)
    except BaseException as error:
        # Playwright's loop hands the interrupt that it was ended by to its next caller as well.
        replayed = state.interrupted_once and isinstance(error, KeyboardInterrupt)
        if replayed or (state.interrupted and _is_playwrights_alone(error)):
            return None
        raise


def _is_playwrights_alone(error: BaseException) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return error.split((Error, BrowserGone))[1] is None
    return isinstance(error, (Error, BrowserGone))


def _obituaries(config: pytest.Config) -> list[str]:
    """Return how each browser that Playwright has lost came to its end, or its driver did."""
    lost = pool_of(config).disconnected()
    ends = [(chromium, chromium.wait_until_dead(_EXIT_NEWS_SECONDS)) for chromium in lost]
    drivers = config.stash[SESSION].driver_obituaries()
    return drivers + [_obituary(chromium, how) for chromium, how in ends if how is not None]


def _obituary(chromium: Chromium, how: str) -> str:
    words = chromium.last_words(4)
    said = f" Its last words: {words}" if words else ""
    return f"Chromium (pid {chromium.pid}) was {how} during this test.{said}".replace(
        "was exited", "exited"
    )
