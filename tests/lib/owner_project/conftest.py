"""What a suite of ours lives with: a server first, then a Chromium with a page of that server."""

import os
import signal
import threading

import moments
import pytest
import pytest_timeout

from harness.server.serving import serve as start_server

SCENARIO = os.environ.get("OWNER_SCENARIO", "")


def number_of(item):
    """Return which household of this owner the test is."""
    callspec = getattr(item, "callspec", None)
    return callspec.params.get("number", 0) if callspec else 0


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Before any fixture: a browser's start is one of the moments."""
    moments.exit_when_told(number_of(item))


def pytest_timeout_set_timer(item, settings):
    """The clock of pytest-timeout's thread is the judge: its time is up when the judge says so."""
    if moments.TRIGGER != "timeout by thread":
        return None
    moments.when_told(number_of(item), lambda: pytest_timeout.timeout_timer(item, settings))
    item.cancel_timeout = lambda: None
    return True


@pytest.fixture
def household(number, serve, request):
    """Bring everything to life and publish who it is; the browser comes last."""
    server = serve(moments.SERVER)
    moments.publish(f"household-{number}", pid=os.getpid(), server=server.pid, port=server.port)
    page = request.getfixturevalue("page")
    page.goto(server.url)
    yield page
    if SCENARIO == "stuck teardown":
        signal.pause()


@pytest.fixture
def waiting(number, household, request):
    """Wait in a Playwright call of this household, and publish that."""
    # Asked for late: a session's fixtures would otherwise come before the household.
    chromium = request.getfixturevalue("chromium")
    return lambda: moments.wait_in_page(number, household, chromium)


@pytest.fixture
def broken(household):
    """Fail once everything is alive."""
    raise RuntimeError("the fixture is broken on purpose")


def pytest_sessionstart(session):
    """In one scenario a server is still running when the session has nothing to run."""
    if SCENARIO != "zero match":
        return
    started = threading.Event()

    def start():
        with start_server(moments.SERVER) as server:
            moments.publish("household-0", pid=os.getpid(), server=server.pid, port=server.port)
            started.set()
            threading.Event().wait()

    threading.Thread(target=start, daemon=True).start()
    assert started.wait(30)
