"""A page in a running session: pytest-playwright with this plugin beside it without."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from harness.browser.binary import find
from tools.bench.samples import Finding, Series

ROUNDS = 10
TESTS = 20

_CONFTEST = """
import json, os, time
import pytest

@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    return {**browser_type_launch_args, "executable_path": os.environ["BENCH_CHROMIUM"]}

taken, began = [], []

def pytest_runtest_logstart(nodeid, location):
    began.append(time.perf_counter())

def pytest_runtest_logfinish(nodeid, location):
    taken.append(time.perf_counter() - began[-1])

def pytest_sessionfinish(session):
    with open(os.environ["BENCH_RESULT"], "w") as file:
        json.dump(taken[2:-1], file)
"""
_SUITE = """
import pytest

@pytest.mark.parametrize("n", range({tests}))
def test_page(page, n):
    page.goto("data:text/html,<title>hi</title><button onclick='document.title=1'>go</button>")
    page.click("button")
    assert page.title() == "1"
"""


def measure(rounds: int = ROUNDS) -> Iterator[Series | Finding]:
    """Alternate whole sessions; a round's ratio is that of its two sessions' medians.

    The first tests, which start the browser, and the last, which ends it, are left out. The
    median of the rounds' ratios is compared, since a machine's mood lasts longer than a round.
    """
    with_plugin, without = Series("test with the plugin"), Series("test without it")
    ratios: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        (project / "conftest.py").write_text(_CONFTEST)
        (project / "pytest.ini").write_text("[pytest]\n")
        (project / "test_pages.py").write_text(_SUITE.format(tests=TESTS))
        for number in range(rounds):
            order = [(with_plugin, []), (without, ["-p", "no:lanewright"])]
            medians = {}
            for series, arguments in order if number % 2 else reversed(order):
                taken = _run(project, arguments)
                medians[series.name] = statistics.median(taken)
                for seconds in taken:
                    series.add(seconds)
            ratios.append(medians[with_plugin.name] / medians[without.name])
    yield from (with_plugin, without)
    yield Finding(
        name="page in a running session, with over without",
        value=statistics.median(ratios),
        target=1.05,
        unit="times",
    )


def _run(project: Path, arguments: list[str]) -> list[float]:
    result = project / "result.json"
    environment = {
        **os.environ, "BENCH_RESULT": str(result), "BENCH_CHROMIUM": str(find().path)
    }  # fmt: skip
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
        cwd=project,
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    taken: list[float] = json.loads(result.read_text())
    return taken
