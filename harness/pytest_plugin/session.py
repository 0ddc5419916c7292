"""What one pytest process owns: its guard, its signal receiver, and what it found left over."""

import contextlib
from collections.abc import Callable
from dataclasses import asdict

import pytest

from harness.config.problems import ConfigError
from harness.config.reader import load
from harness.config.schema import Config
from harness.errors import HarnessError
from harness.model.identifiers import Lane
from harness.process import lifeline, scratch
from harness.process.guard import Guard
from harness.process.names import signal_name
from harness.process.ownership import END_SECONDS, live_families
from harness.process.report import EndedProcess, ended_processes
from harness.process.signals import SignalReceiver
from harness.pytest_plugin.driver import OwnedDriver
from harness.pytest_plugin.lanes import lane_of

_LEFT_BEHIND = "lanewright_left_behind"
_PROBLEMS = "lanewright_problems"
_SKIPPED = "lanewright_skipped_without_browser"


class HarnessSession:
    """State of one pytest process; fixtures and hooks reach it through the stash."""

    def __init__(self, config: pytest.Config, settings: Config) -> None:
        self.config = config
        self.settings = settings
        self.guard: Guard | None = None
        self.driver: OwnedDriver | None = None
        self.left_behind: list[EndedProcess] = []
        self.problems: list[str] = []
        self.notes: set[str] = set()
        self.skipped_without_browser = 0
        self._receiver = SignalReceiver(self._unwind)
        self._session: pytest.Session | None = None
        self.terminated_by: int | None = None
        # A session may run inside another one, or inside a program with families of its own.
        self._not_ours = frozenset(live_families())

    @classmethod
    def of(cls, config: pytest.Config) -> "HarnessSession":
        """Read the configuration; a wrong one is a usage error that names every problem."""
        try:
            return cls(config, load(config.rootpath))
        except ConfigError as error:
            raise pytest.UsageError(str(error)) from None

    def start(self, session: pytest.Session) -> None:
        """Start the guard and receive signals; a run that only collects starts nothing."""
        self._session = session
        if self.config.option.collectonly:
            return
        try:
            self.guard = Guard.start()
        except HarnessError as error:
            raise pytest.UsageError(
                f"lanewright: {error}\nIts scratch folder is {scratch.root()}; set "
                f"{scratch.ROOT_VARIABLE} to a folder of yours that can be written to."
            ) from None
        self._note(self._own_driver)
        self._receiver.install()

    def finish(self) -> None:
        """End what fixtures left running, then what tests left behind; note both."""
        for family in set(live_families()) - self._not_ours:
            if family.leader is not None:
                self.left_behind.append(
                    EndedProcess(
                        pid=family.pid,
                        start_ticks=family.leader.start_ticks,
                        command=family.spec.label,
                        how="still owned",
                    )
                )
                self._note(family.end)
        guard = self.guard
        if guard is not None and not guard.family.inert:
            self._note(self._finish_driver)
            self._note(lambda: self._note_ended(guard.sweep()))

    def stop(self) -> None:
        """End the guard and give the signal handlers back. Safe to call without `start`."""
        self._receiver.restore()
        if self.driver is not None:
            self.driver.restore()
        lifeline.discard_spare(END_SECONDS)
        if self.guard is not None:
            guard, self.guard = self.guard, None
            self._note(guard.stop)

    @property
    def interrupted(self) -> bool:
        """True once SIGINT, SIGTERM or SIGHUP has been received."""
        return self._receiver.received is not None

    @property
    def interrupted_once(self) -> bool:
        """True while one signal has been received and no second one."""
        return self.interrupted and not self._receiver.received_again

    def need_guard(self) -> Guard:
        """Return the guard of this run."""
        if self.guard is None:
            raise pytest.UsageError("lanewright: there is no guard outside of a test session")
        return self.guard

    def end_stopped_driver(self) -> bool:
        """End Playwright's driver where it is stopped, since no teardown could end; tell it.

        A look that fails (a test has used up every descriptor) breaks no promise: `finish` proves
        the end.
        """
        with contextlib.suppress(HarnessError, OSError):
            return self.driver is not None and self.driver.end_stopped()
        return False

    def driver_obituaries(self) -> list[str]:
        """Say how Playwright's driver came to its end, where a signal ended it."""
        found: list[str] = []
        if self.driver is not None:
            driver = self.driver
            self._note(lambda: found.extend(driver.obituaries()))
        return found

    def _finish_driver(self) -> None:
        if self.driver is not None:
            left_behind, problems = self.driver.finish()
            self.left_behind += left_behind
            self.problems += problems

    def _own_driver(self) -> None:
        self.driver = OwnedDriver.install(self.need_guard().scratch)

    def _unwind(self, number: int) -> None:
        """Let pytest run its finalizers after SIGTERM or SIGHUP, and end with 128 + the signal.

        The exception may be swallowed where it is raised (a test's own `except`, a group of
        errors), so the session is told as well.
        """
        self.terminated_by = number
        message = f"lanewright: received {signal_name(number)}"
        if self._session is not None:
            self._session.shouldstop = message
        raise pytest.exit.Exception(message, returncode=128 + number)

    def _note_ended(self, ended: tuple[EndedProcess, ...]) -> None:
        self.left_behind += ended

    def _note(self, act: Callable[[], object]) -> None:
        """An error of the harness is told at the end and never changes a test's status."""
        try:
            act()
        except (HarnessError, OSError) as error:
            self.problems.append(str(error))


SESSION = pytest.StashKey[HarnessSession]()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Own everything that is started from here on."""
    session.config.stash[SESSION].start(session)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Where a test will need a browser or a server, start its warden beside everything else."""
    started = session.config.stash[SESSION].guard is not None
    if started and any(lane_of(item) is not Lane.UNIT for item in session.items):
        lifeline.prepare()


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> object:
    """After every fixture is torn down, and every xdist worker with it, look what is left."""
    try:
        return (yield)
    finally:
        state = session.config.stash[SESSION]
        state.finish()
        if state.terminated_by is not None:
            session.exitstatus = 128 + state.terminated_by
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[_LEFT_BEHIND] = [asdict(process) for process in state.left_behind]
            output[_PROBLEMS] = state.problems
            output[_SKIPPED] = state.skipped_without_browser


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    """Take over what an xdist worker found left behind."""
    output = getattr(node, "workeroutput", None) or {}
    state = node.config.stash[SESSION]  # type: ignore[attr-defined]
    state.left_behind += ended_processes(output.get(_LEFT_BEHIND, []))
    state.problems += output.get(_PROBLEMS, [])
    state.skipped_without_browser += output.get(_SKIPPED, 0)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name what had to be ended, and what could not be; quiet when all is well."""
    state = terminalreporter.config.stash[SESSION]
    if state.left_behind:
        terminalreporter.section("lanewright: tests left processes behind, now ended", yellow=True)
        for process in state.left_behind:
            terminalreporter.write_line(str(process))
    if state.problems:
        terminalreporter.section("lanewright: could not keep its promise", red=True, bold=True)
        for line in state.problems:
            terminalreporter.write_line(line)
    for note in sorted(state.notes):
        terminalreporter.write_line(note, yellow=True)
    if state.skipped_without_browser:
        count = state.skipped_without_browser
        told = "1 test was" if count == 1 else f"{count} tests were"
        terminalreporter.write_line(
            f"lanewright: {told} skipped because there is no Chromium", yellow=True
        )
