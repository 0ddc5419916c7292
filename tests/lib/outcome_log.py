"""A pytest plugin of the tests' own: writes the outcome of every node id to a JSON file.

Loaded with `-p tests.lib.outcome_log` into the run that is compared; knows neither Playwright
nor this project, so that it sees both runs with the same eyes.
"""

import json
import os
from pathlib import Path

import pytest

VARIABLE = "OUTCOME_LOG"
_outcomes: dict[str, str] = {}


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """A file that cannot be imported is an error of its node."""
    if report.failed:
        _outcomes[report.nodeid] = "error"


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """The call decides, unless a setup or teardown went wrong: that is an error."""
    if report.when == "call" or report.skipped:
        _outcomes[report.nodeid] = report.outcome
    elif report.failed:
        _outcomes[report.nodeid] = "error"


def pytest_sessionfinish(session: pytest.Session) -> None:
    """The controller alone writes: xdist sends it every report."""
    if not hasattr(session.config, "workerinput"):
        Path(os.environ[VARIABLE]).write_text(json.dumps(_outcomes), encoding="utf-8")
