"""Inside a file run: only its file is collected, only its options count, and all is told.

Active when a runner has put an assignment into the environment, from where it is taken at once:
a pytest that a test starts is no file run.
"""

import os
import sys
from pathlib import Path

import pytest

from harness.pytest_plugin.event_writer import EventWriter
from harness.pytest_plugin.neutral_options import neutralize_run
from harness.pytest_plugin.test_tally import (
    LINES,
    TestTally,
    bounded_lines,
    bounded_text,
    reason_of,
)
from harness.records import assignment as assignments
from harness.records.assignment import Assignment
from harness.records.file_events import (
    Collected,
    CollectionFailed,
    CollectionSkipped,
    InternalError,
    SessionFinished,
    SessionStarted,
    TestStarted,
)
from harness.records.tier_record import Leaked

# Characters of each captured stream of a test that reach the output of its file run.
_SECTION = 1_000_000


def take_assignment() -> Assignment | None:
    """Return what this process is to run, once; None outside of a file run."""
    value = os.environ.pop(assignments.VARIABLE, None)
    return None if value is None else assignments.decode(value)


class FileRun:
    """The hooks of one file run."""

    def __init__(self, assignment: Assignment) -> None:
        self._file = Path(assignment.file)
        self._artefacts = assignment.artefacts
        self._writer = EventWriter(assignment)
        self._tally = TestTally()
        self._deselected = 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> None:
        """Undo what a user's `addopts` would do, before any plugin reads it."""
        neutralize_run(config)
        if hasattr(config.option, "output"):
            # pytest-playwright empties it, so no two file runs may share it.
            config.option.output = self._artefacts

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Say that the plugin is there."""
        self._writer.write(SessionStarted)

    @pytest.hookimpl(tryfirst=True)
    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Ignore every other file; the folders above ours are entered."""
        if collection_path == self._file or collection_path in self._file.parents:
            return None
        return True if self._is_inside(collection_path) else None

    def _is_inside(self, path: Path) -> bool:
        return self._file.parent in path.parents or path.parent in self._file.parents

    @pytest.hookimpl(trylast=True)
    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        """Count what somebody left out."""
        self._deselected += len(items)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Name every test that is to run."""
        ids = tuple(item.nodeid for item in session.items)
        self._writer.write(Collected, ids=ids, deselected=self._deselected)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Tell what cannot be collected, and what is skipped as a whole."""
        if report.failed:
            # The error itself comes last, after the frames that led to it.
            told = [line for line in str(report.longrepr).splitlines() if line.strip()]
            lines = bounded_lines(told[-LINES:])
            self._writer.write(CollectionFailed, id=report.nodeid, lines=lines)
        elif report.skipped:
            reason = bounded_text(reason_of(report))
            self._writer.write(CollectionSkipped, id=report.nodeid, reason=reason)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Name the test that runs from here on."""
        self._tally.begin(nodeid)
        self._writer.write(TestStarted, id=nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take a report in, before a terminal prints what may be a flood."""
        report.sections = [(title, bounded_text(text, _SECTION)) for title, text in report.sections]
        self._tally.add(report)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Tell how the test ended, unless it has no report at all."""
        finished = self._tally.finish(nodeid)
        if finished is not None:
            self._writer.write_event(finished)

    def pytest_internalerror(self, excrepr: object) -> None:
        """Tell an error of pytest's own, or of a plugin."""
        self._writer.write(InternalError, lines=bounded_lines(str(excrepr).splitlines()[-LINES:]))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> object:
        """Set the sentinel after everything else, the sweep of what was left included."""
        _spare_the_import_of_hypothesis(session.config)
        result = yield
        from harness.pytest_plugin.session import SESSION

        state = session.config.stash[SESSION]
        self._writer.write(
            SessionFinished,
            exit_status=int(session.exitstatus),
            leaked=tuple(
                Leaked(pid=one.pid, command=bounded_text(one.command or "") or None, how=one.how)
                for one in state.left_behind
            ),
            problems=tuple(bounded_text(one) for one in state.problems),
        )
        return result


def _spare_the_import_of_hypothesis(config: pytest.Config) -> None:
    """Where no test has used it, its plugin would import all of it to say nothing."""
    manager = config.pluginmanager
    plugin = manager.get_plugin("hypothesispytest")
    if plugin is not None and "hypothesis" not in sys.modules:
        manager.unregister(plugin)
