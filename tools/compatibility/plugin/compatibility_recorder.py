"""Loaded with `-p` into both kinds of run: writes each report down.

Stands alone, since it runs in the environment of a stranger's suite.
"""

import json
import os

import pytest

RECORD = "COMPATIBILITY_RECORD"
_LONGEST_REASON_CHARS = 300


class _Recorder:
    def __init__(self, path: str) -> None:
        self._path = path

    def _write(self, **fact: object) -> None:
        with open(self._path, "a", encoding="utf-8") as record:
            record.write(json.dumps(fact) + "\n")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._write(
            id=report.nodeid,
            when=report.when,
            outcome=report.outcome,
            xfail=hasattr(report, "wasxfail"),
            reason=_reason(report) if report.outcome in ("failed", "skipped") else "",
        )

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.outcome != "passed":
            self._write(
                id=report.nodeid,
                when="collect",
                outcome=report.outcome,
                xfail=False,
                reason=_reason(report),
            )

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        self._write(exit_status=int(exitstatus))


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        text = str(crash.message)
    elif isinstance(report.longrepr, tuple):
        text = str(report.longrepr[2])
    else:
        text = str(report.longrepr).strip().rpartition("\n")[2]
    return text[:_LONGEST_REASON_CHARS].encode("utf-8", "backslashreplace").decode()


def pytest_configure(config: pytest.Config) -> None:
    # Fixtures of a plugin that is registered here win over pytest-playwright's.
    config.pluginmanager.import_plugin("compatibility_browser")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Recorder(os.environ[RECORD]), "compatibility-recorder")
