"""The host-wide cap on browsers: this process takes its place before its first browser test.

One place for the process, however many browsers it starts: a holder that waited for a second
one would be waited for by others meanwhile. Not at collection: under xdist no test is scheduled
before every worker has collected. Nothing here runs without `max_browsers`.
"""

import contextlib
import os
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.model.identifiers import Lane
from harness.process import lease, procfs, scratch
from harness.process.output import printable
from harness.pytest_plugin.lanes import lane_of
from harness.pytest_plugin.session import SESSION

FOLDER = ".browsers"
_COMMAND_CHARACTERS = 200
_LEASE = pytest.StashKey[lease.Lease]()
_REFUSAL = pytest.StashKey[HarnessError]()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Wait out here: the time limit of a test, pytest-timeout's, starts further inside."""
    if lane_of(item) is Lane.BROWSER:
        try:
            hold(item.config)
        except HarnessError as error:
            item.stash[_REFUSAL] = error
    return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Without a place a browser test does not run: it errors, with the reason."""
    refusal = item.stash.get(_REFUSAL, None)
    if refusal is not None:
        raise refusal


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, object, object]:
    """Give the place back after everything else: every browser of this process is closed."""
    try:
        return (yield)
    finally:
        held = session.config.stash.get(_LEASE, None)
        if held is not None:
            held.release()


def hold(config: pytest.Config) -> None:
    """Return when this process holds its place; at once where it does, or where there is no cap.

    Raises PreconditionError when no place can be held, and what a signal handler raises.
    """
    state = config.stash[SESSION]
    places = state.settings.max_browsers
    held = config.stash.get(_LEASE, None)
    if places is None or (held is not None and held.held):
        return
    # The guard's own token too: a forked child that goes on with the session shares with us.
    token = state.need_guard().token
    around = {token, *os.environ.get(procfs.TOKEN_VARIABLE, "").split(":")} - {""}
    taken = lease.acquire(
        Path(scratch.root()) / FOLDER,
        places,
        command=command_of(config),
        token=token,
        around=around,
        told=lambda waiting: _say(config, describe(waiting)),
    )
    config.stash[_LEASE] = taken
    if taken.waited_seconds:
        _say(config, f"got one of {_browsers(places)} after {taken.waited_seconds:.1f} s")


def command_of(config: pytest.Config) -> str:
    """Return what somebody else is to read of this run: what was called, and where."""
    worker = getattr(config, "workerinput", None)
    arguments = worker["mainargv"][1:] if worker else config.invocation_params.args
    words = printable(" ".join(["pytest", *map(str, arguments)]).replace("\n", " "))
    if len(words) > _COMMAND_CHARACTERS:
        words = words[:_COMMAND_CHARACTERS] + "…"
    name = f", worker {worker['workerid']}" if worker else ""
    return f"{words} in {printable(str(config.invocation_params.dir))}{name}"


def describe(waiting: lease.Waiting) -> str:
    """Return the line that says what is waited for, and for whom."""
    so_far = f" for {waiting.waited_seconds:.0f} s" if waiting.waited_seconds >= 1 else ""
    holders = ", ".join(
        "a process that has not said its name" if holder is None else str(holder)
        for holder in waiting.holders
    )
    return (
        f"waiting{so_far} for one of {_browsers(waiting.places)} (max_browsers): held by {holders}"
    )


def _browsers(places: int) -> str:
    return f"{places} browser{'' if places == 1 else 's'} of this host"


def _say(config: pytest.Config, words: str) -> None:
    """Print one line at once; a worker of xdist is heard on its standard error only."""
    capture = config.pluginmanager.get_plugin("capturemanager")
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    worker = getattr(config, "workerinput", None)
    with contextlib.ExitStack() as stack:
        # A terminal that is gone must not end the run.
        stack.enter_context(contextlib.suppress(OSError, ValueError))
        if capture is not None:
            stack.enter_context(capture.global_and_fixture_disabled())
        if reporter is not None and worker is None:
            reporter.write_line(f"lanewright: {words}")
            reporter.flush()
        else:
            name = f" {worker['workerid']}" if worker else ""
            print(f"lanewright{name}: {words}", file=sys.__stderr__, flush=True)
